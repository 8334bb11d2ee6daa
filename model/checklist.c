/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/checklist.h"

#include <math.h>

/* Thresholds of the artifact's sim/profile.py. */
static const double quota_least = 2, groups_least = 2, x_halves_least = 4;
static const double fused_s_per_pair = 0.02e-6;

void checklist_fill(const struct breakeven *target, double ratio,
                    const struct breakeven *at_breakeven, struct checklist *list) {
    const struct model_geometry *g = &target->geometry;
    struct root root = breakeven_effective(at_breakeven ? at_breakeven : target);
    struct model_terms terms;
    breakeven_predict(target, ratio, &terms);
    double ranks = (double)g->groups * g->ranks_per_group;
    double held = target->hold == HOLD_TIME ? ratio : 1;
    *list = (struct checklist){
        .rows = {[CHECK_QUOTA] = {.name = "quota",
                                  .value = g->top_k / g->fan_out,
                                  .threshold = quota_least},
                 [CHECK_RATIO] = {.name = "ratio", .value = ratio, .threshold = root.x},
                 [CHECK_GROUPS] = {.name = "groups", .value = g->groups, .threshold = groups_least},
                 [CHECK_MESSAGES] = {.name = "message_bytes",
                                     .value = g->tokens * g->top_k * g->row_bytes / ranks,
                                     .threshold =
                                         x_halves_least * target->flat_x_half_bytes / held},
                 [CHECK_ALPHA] = {.name = "alpha_s",
                                  .value = target->alpha_hop_a_s + target->alpha_hop_b_s,
                                  .threshold = target->alpha_one_hop_s}},
        .chain_fused = target->chain_s_per_pair <= fused_s_per_pair,
        .cleared = true,
        .gain = terms.gain,
        .breakeven = root.state == ROOT_NEVER ? INFINITY : root.x};
    for (int i = 0; i < CHECK_ITEMS; i++) {
        struct checklist_row *row = &list->rows[i];
        row->passed = i == CHECK_ALPHA ? row->value < row->threshold : row->value >= row->threshold;
        if (i == CHECK_RATIO && root.state == ROOT_NEVER)
            row->passed = false;
        list->cleared = list->cleared && row->passed;
    }
}
