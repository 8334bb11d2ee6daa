/* SPDX-License-Identifier: BSD-3-Clause */
/* checklist.h - may two hops be expected to win here? The paper's conditions, at the target's own
 * constants.
 *
 * The artifact takes the breakeven of condition 2 at its reference geometry whatever the target is,
 * and so clears machines on which its own model says that two hops lose. Here a cleared target has
 * G >= 1 (closed form).
 * Units: ratios and gains have none; messages are counted in bytes, alphas in seconds. Source: FORMULAS.md [F12].
 * Errors: none; a condition that fails is a row, not an error.
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

/* Fills the conditions and what they amount to. at_breakeven: the machine whose breakeven is asked for, NULL: the
 * target itself. The artifact's
 * behaviour is the reference geometry there. */
void checklist_fill(const struct breakeven *target, double ratio,
                    const struct breakeven *at_breakeven, struct checklist *list);

#endif
