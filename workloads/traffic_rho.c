/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/base/stat.h"
#include "workloads/traffic.h"

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
