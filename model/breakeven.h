/* SPDX-License-Identifier: BSD-3-Clause */
/* breakeven.h - the smallest ratio of fast to slow bandwidth at which two hops beat one.
 *
 * Units: SI. Source: FORMULAS.md [F8] [F9].
 * Valid for: the closed form's balanced loads; a ratio is searched by slowing the slow tier, the base (fast)
 * bandwidth stays. The answer depends on that base, on tokens and on the alphas, not on the ratio alone.
 * Errors: RC_RANGE, RC_UNSUPPORTED from the width of the chain only.
 * Edges: scales, a range and pairs_per_row of 0 stand for their defaults.
 * Ownership: borrows everything. */
#ifndef MODEL_BREAKEVEN_H
#define MODEL_BREAKEVEN_H

#include "model/model.h"
#include "platforms/base/root.h"
#include "workloads/costs.h"

/* Finds the ratio where both strategies put the same bytes' time on the wire; false when there is none (q <= 1).
 * experts_per_rank > 0: hop B sends a token once per rank, however many of its experts are there. [F8] */
bool breakeven_byte_only(int ranks_per_group, double quota, double experts_per_rank, double *ratio);

enum x_half_hold {
    HOLD_BYTES, /* x_half stays while the slow tier slows: the cost of a message grows with the ratio */
    HOLD_TIME /* the cost of a message stays: x_half shrinks with the ratio */
};
const char *breakeven_hold_name(enum x_half_hold hold); /* "bytes", "time" */

/* A family of machines that differ in the ratio alone. The levels' bandwidths are base x fast_scale,
 * base / ratio x slow_scale, base / ratio x flat_scale; scales of 0 count as 1. */
struct breakeven {
    struct model_geometry geometry;
    enum beta_kind kind; /* of levels with an x_half */
    double base_Bps;
    double fast_scale, slow_scale, flat_scale;
    double fast_x_half_bytes, slow_x_half_bytes, flat_x_half_bytes; /* at ratio 1 */
    enum x_half_hold hold;
    double alpha_one_hop_s, alpha_hop_a_s, alpha_hop_b_s;
    double splits_s, chain_s_per_pair, chain_floor_s;
    double pairs_per_row; /* of hop B, above 1 where rows are de-duplicated; 0 counts as 1 */
    double host_exposure_s; /* added to two hops */
    double range[2]; /* ratios searched; {0, 0}: 1 to 32 */
};

/* Evaluates the closed form of the family at one ratio. */
void breakeven_predict(const struct breakeven *b, double ratio, struct model_terms *terms);

/* Searches the effective breakeven as the paper does: 40 halvings, upper end. [F9] */
struct root breakeven_effective(const struct breakeven *b);

/* Fills the family around a platform under given fixed costs of both strategies, ratio left open. */
void breakeven_from_calls(const struct call *one, const struct costs *one_costs,
                          const struct call *two, const struct costs *two_costs,
                          struct breakeven *b);

/* --- the chain at other widths --------------------------------------------------------------- */

/* Finds the factor on a chain constant of width 2048, from the sweep at 1024, 2048, 4096 and 8192. Between those widths
 * RC_UNSUPPORTED unless interpolate (linear; *interpolated is set), outside always. [F6] */
enum rc breakeven_chain_width(double hidden, bool interpolate, double *factor, bool *interpolated,
                              struct err *e);

#endif
