/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/traffic_sums.h"

#include <math.h>

#include "platforms/base/stat.h"

void traffic_rho(const struct traffic *t, struct traffic_rho *rho) {
    *rho = (struct traffic_rho){
        .rank = stat_max_over_mean(t->rank_load, (size_t)t->ranks),
        .expert = stat_max_over_mean(t->expert_load, (size_t)t->experts),
        .one_hop_in = matrix_rho_max(&t->one_hop, false),
        .one_hop_out = matrix_rho_max(&t->one_hop, true),
        .hop_a_in = matrix_rho_max(&t->hop_a[TIER_FAST], false),
        .hop_a_out = matrix_rho_max(&t->hop_a[TIER_FAST], true),
        .hop_b_in = matrix_rho_max(&t->hop_b, false),
        .hop_b_out = matrix_rho_max(&t->hop_b, true),
    };
}

enum rc traffic_check_bytes(struct traffic *t, double row_bytes, struct err *e) {
    const double most = 9223372036854774784.0; // the largest double below 2^63
    double total = 0, largest = 0;
    for (int src = 0; src < t->ranks; src++) {
        double before = total;
        for (size_t i = t->one_hop.start[src]; i < t->one_hop.start[src + 1]; i++) {
            total += t->one_hop.value[i] * row_bytes;
            if (total > most)
                return err_set(e, RC_RANGE,
                               "the call moves more than 2^63 bytes, reached with %.6g from rank %d to "
                               "rank %d",
                               t->one_hop.value[i] * row_bytes, src, t->one_hop.dst[i]);
        }
        largest = fmax(largest, total - before);
    }
    if (largest > INT32_MAX)
        buf_printf(&t->notes,
                   "library limit: a rank sends %.4g bytes; libraries with 32-bit counts refuse this size\n",
                   largest);
    return RC_OK;
}
