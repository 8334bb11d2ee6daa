/* SPDX-License-Identifier: BSD-3-Clause */
/* What links have carried: payload is counted whenever the number of a bundle's flows changes, and where a bin ends. */
#include "sim/engine/fluid_parts.h"

#include <math.h>

void fluid_meter_bundle(struct flows *f, int bundle, double served) {
    struct fluid_bundle *b = &f->bundles[bundle];
    if (!f->metered)
        return;
    const int *route = f->route + (size_t)bundle * (size_t)f->stride;
    double payload = b->n * (served - b->metered);
    b->metered = served;
    const int *times = f->times + (size_t)bundle * (size_t)f->stride;
    for (int i = 0; i < b->n_links; i++) {
        f->carried[route[i]] += payload * times[i];
        if (f->bins > 0)
            f->binned[(size_t)route[i] * (size_t)f->bins + (size_t)f->bin] += payload * times[i];
    }
}

double fluid_bin_end(const struct flows *f) {
    return f->bins > 0 ? (f->bin + 1) * f->bin_width : INFINITY;
}

/* Doubles the width of all bins. */
static void widen_bins(struct flows *f) {
    f->bin_width *= 2;
    for (int link = 0; link < f->n_links; link++) {
        double *bin = f->binned + (size_t)link * (size_t)f->bins;
        for (int i = 0; i < f->bins; i++)
            bin[i] = (2 * i < f->bins ? bin[2 * i] : 0) + (2 * i + 1 < f->bins ? bin[2 * i + 1] : 0);
    }
    f->bin = f->bins / 2; // half filled where their number is odd
}

void fluid_next_bin(struct flows *f) {
    for (int bundle = 0; bundle < f->n_bundles; bundle++)
        if (f->bundles[bundle].n > 0)
            fluid_meter_bundle(f, bundle, fmin(fluid_served(f, bundle), f->bundles[bundle].heap[0].key));
    f->bin++;
    if (f->bin == f->bins)
        widen_bins(f);
}
