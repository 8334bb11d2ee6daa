/* SPDX-License-Identifier: BSD-3-Clause */
/* checklist.h - may two hops be expected to win on a machine? The paper's conditions, at the constants of that machine,
 * the target.
 *
 * The artifact takes the breakeven of condition 2 at its reference geometry whatever the target is,
 * and so clears machines on which its own model says that two hops lose. Here a target is cleared only where the
 * closed form's gain is at least 1 too.
 * Units: ratios and gains have none; messages are counted in bytes, alphas in seconds. Source: FORMULAS.md [F12].
 * Errors: none; a condition that fails is a row, not an error. Edges: at_breakeven NULL is the target.
 * Ownership: borrows everything; the list is plain data. */
#ifndef MODEL_CHECKLIST_H
#define MODEL_CHECKLIST_H

#include "model/breakeven.h"

enum checklist_item {
    CHECK_QUOTA, /* q >= 2 */
    CHECK_RATIO, /* ratio >= effective breakeven */
    CHECK_GROUPS, /* N_g >= 2 */
    CHECK_MESSAGES, /* one-hop bytes per peer >= 4 x_half */
    CHECK_ALPHA, /* alpha(N_g) + alpha(R) < alpha(EP) */
    CHECK_ITEMS
};

struct checklist {
    struct checklist_row {
        const char *name;
        bool passed;
        double value, threshold;
    } rows[CHECK_ITEMS];
    bool chain_fused; /* advisory: at most 0.02 us a pair */
    bool cleared;
    double gain; /* of the closed form at that ratio */
    double breakeven; /* used in CHECK_RATIO; above the range when there is none */
};

/* Fills in each condition, and whether the target is cleared. at_breakeven: the machine whose breakeven CHECK_RATIO
 * uses; NULL: the target itself. The artifact passes its reference geometry there. */
void checklist_fill(const struct breakeven *target, double ratio,
                    const struct breakeven *at_breakeven, struct checklist *list);

#endif
