/* SPDX-License-Identifier: BSD-3-Clause */
/* The proof that rates are max-min fair: no link carries more than it can, and each flow passes a full link on which no
 * flow is faster. */
#include "sim/engine/fluid_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "platforms/base/mem.h"

#define ALLOWED 1e-9 /* relative; what rounding leaves is about 1e-13 */

/* Of each link, what its flows use together and the fastest of them, the rates being those that bundles are served
 * at. */
struct use {
    double sum, fastest;
};

static double rate_of(const struct flows *f, int bundle) {
    int held = f->bundles[bundle].held;
    return held == FLUID_NONE ? INFINITY : f->level[f->route[(size_t)bundle * (size_t)f->stride + (size_t)held]];
}

static void add_up(const struct flows *f, struct use *use) {
    for (int b = 0; b < f->n_bundles; b++) {
        double rate = rate_of(f, b);
        for (int i = 0; i < f->bundles[b].n_links && f->bundles[b].n > 0; i++) {
            size_t at = (size_t)b * (size_t)f->stride + (size_t)i;
            struct use *u = &use[f->route[at]];
            u->sum += rate * f->bundles[b].n * f->times[at];
            u->fastest = fmax(u->fastest, rate);
        }
    }
}

static bool has_reason(const struct flows *f, const struct use *use, int bundle) {
    double rate = rate_of(f, bundle);
    for (int i = 0; i < f->bundles[bundle].n_links; i++) {
        int link = f->route[(size_t)bundle * (size_t)f->stride + (size_t)i];
        if (use[link].sum >= f->links[link].capacity * (1 - ALLOWED) && use[link].fastest <= rate * (1 + ALLOWED))
            return true;
    }
    return false;
}

bool fluid_is_fair(const struct flows *f, char why[static 200]) {
    struct use *use = mem_alloc((size_t)f->n_links, sizeof *use);
    bool fair = true;
    add_up(f, use);
    for (int l = 0; l < f->n_links && fair; l++) {
        fair = use[l].sum <= f->links[l].capacity * (1 + ALLOWED);
        if (!fair)
            snprintf(why, 200, "link %d carries %.17g of %.17g at %.17g s", l, use[l].sum, f->links[l].capacity,
                     f->now);
    }
    for (int b = 0; b < f->n_bundles && fair; b++) {
        fair = f->bundles[b].n == 0 || has_reason(f, use, b);
        if (!fair)
            snprintf(why, 200, "bundle %d has no full link without faster flows at rate %.17g, %.17g s", b,
                     rate_of(f, b), f->now);
    }
    free(use);
    return fair;
}
