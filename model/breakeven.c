/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/breakeven.h"

#include <math.h>

static const char *const hold_names[] = {"bytes", "time"};

const char *breakeven_hold_name(enum x_half_hold hold) {
    return hold_names[hold];
}

/* Returns the chance that q of n miss a given m: C(n - m, q) / C(n, q). q need not be whole. */
static double miss(double n, double m, double q) {
    if (q > n - m)
        return 0;
    return exp(lgamma(n - m + 1) - lgamma(n - m - q + 1) - lgamma(n + 1) + lgamma(n - q + 1));
}

bool breakeven_byte_only(int ranks_per_group, double quota, double experts_per_rank,
                         double *ratio) {
    double ranks = ranks_per_group, rows = quota;
    if (!(quota > 1) || ranks_per_group < 2)
        return false;
    if (experts_per_rank > 0) // D(q) = R (1 - C(S - E_c, q) / C(S, q)), S = R E_c
        rows = ranks * (1 - miss(ranks * experts_per_rank, experts_per_rank, quota));
    *ratio = (1 - 1 / ranks) * rows / (quota - 1); // [F8]
    return true;
}

static double scale(double factor) {
    return factor > 0 ? factor : 1;
}

static struct beta level(const struct breakeven *b, double beta_Bps, double x_half_bytes) {
    return (struct beta){x_half_bytes > 0 ? b->kind : BETA_FLAT, beta_Bps, x_half_bytes};
}

void breakeven_predict(const struct breakeven *b, double ratio, struct model_terms *terms) {
    double held = b->hold == HOLD_TIME ? ratio : 1, slow_Bps = b->base_Bps / ratio;
    const struct model_machine m = {
        .fast = level(b, b->base_Bps * scale(b->fast_scale), b->fast_x_half_bytes),
        .slow = level(b, slow_Bps * scale(b->slow_scale), b->slow_x_half_bytes / held),
        .flat = level(b, slow_Bps * scale(b->flat_scale), b->flat_x_half_bytes / held),
        .alpha_one_hop_s = b->alpha_one_hop_s,
        .alpha_hop_a_s = b->alpha_hop_a_s,
        .alpha_hop_b_s = b->alpha_hop_b_s,
        .splits_s = b->splits_s,
        .chain_s_per_pair = b->chain_s_per_pair * scale(b->pairs_per_row),
        .chain_floor_s = b->chain_floor_s};
    model_predict(&m, &b->geometry, terms);
    terms->two_hop_s += b->host_exposure_s;
    terms->gain = terms->two_hop_s > 0 ? terms->one_hop_s / terms->two_hop_s : -1;
}

static enum rc gain_above_1(double ratio, void *context, double *y, struct err *e) {
    (void)e;
    struct model_terms t;
    breakeven_predict(context, ratio, &t);
    *y = t.one_hop_s - t.two_hop_s;
    return RC_OK;
}

enum { HALVINGS = 40 }; /* the artifact's */
static const double range_default[2] = {1, 32};

struct root breakeven_effective(const struct breakeven *b) {
    struct breakeven copy = *b;
    struct root root;
    const double *range = b->range[1] > 0 ? b->range : range_default;
    enum rc rc = root_bisect(gain_above_1, &copy, range, HALVINGS, &root, NULL);
    BUG_ON(rc != RC_OK);
    return root;
}

void breakeven_from_calls(const struct call *one, const struct costs *one_costs,
                          const struct call *two, const struct costs *two_costs,
                          struct breakeven *b) {
    struct model_machine m_one, m_two;
    struct model_geometry g_one, g;
    model_from_call(one, one_costs, &m_one, &g_one);
    model_from_call(two, two_costs, &m_two, &g);
    const struct plat_tier *tier = two->platform->tier;
    enum tier slow = plat_slow(two->platform);
    double base_Bps = tier[two->cut].bandwidth_Bps.value;
    double slow_Bps = tier[slow].bandwidth_Bps.value;
    // rows of a one hop may be de-duplicated in another way than those of hop B
    g.skew.one_hop = g.top_k > 0 ? g_one.top_k / g.top_k : 1;
    *b = (struct breakeven){.geometry = g,
                            .kind = BETA_CLOSED,
                            .base_Bps = base_Bps,
                            .fast_scale = m_two.fast.beta_Bps / base_Bps,
                            .slow_scale = m_two.slow.beta_Bps / slow_Bps,
                            .flat_scale = m_one.flat.beta_Bps / slow_Bps,
                            .fast_x_half_bytes = m_two.fast.x_half_bytes,
                            .slow_x_half_bytes = m_two.slow.x_half_bytes,
                            .flat_x_half_bytes = m_one.flat.x_half_bytes,
                            .alpha_one_hop_s = m_one.alpha_one_hop_s,
                            .alpha_hop_a_s = m_two.alpha_hop_a_s,
                            .alpha_hop_b_s = m_two.alpha_hop_b_s,
                            .splits_s = m_two.splits_s,
                            .chain_s_per_pair = two_costs->chain_s_per_pair,
                            .chain_floor_s = m_two.chain_floor_s};
    if (g.top_k > 0)
        b->pairs_per_row = (double)workload_slots(two->workload) / g.top_k;
    // a stated cost o of a message stays at every ratio; in bytes it is o times the bandwidth
    b->hold = tier[slow].message_cost_s.given || two->implementation->message_cost_s.slow.given
                  ? HOLD_TIME
                  : HOLD_BYTES;
    if (b->hold == HOLD_TIME) {
        b->slow_x_half_bytes *= base_Bps / slow_Bps;
        b->flat_x_half_bytes *= base_Bps / slow_Bps;
    }
}

/* Time of a chain of 73728 pairs by hidden width, in ms: the artifact's sim/machine.py, two nodes, 2026-08-26. */
static const struct {
    double hidden, time_ms;
} width_sweep[] = {{1024, 2.37}, {2048, 2.51}, {4096, 2.85}, {8192, 3.79}};
enum { WIDTHS = sizeof width_sweep / sizeof *width_sweep, WIDTH_OF_CONSTANT = 1 };

enum rc breakeven_chain_width(double hidden, bool interpolate, double *factor, bool *interpolated,
                              struct err *e) {
    int above = 0;
    while (above < WIDTHS && width_sweep[above].hidden < hidden)
        above++;
    bool measured = above < WIDTHS && width_sweep[above].hidden == hidden;
    if (above == WIDTHS || (above == 0 && !measured))
        return err_set(e, RC_UNSUPPORTED,
                       "the chain was measured at hidden widths 1024 to 8192, not at %g", hidden);
    if (!measured && !interpolate)
        return err_set(
            e, RC_UNSUPPORTED,
            "the chain was measured at hidden widths 1024, 2048, 4096 and 8192, not at %g; "
            "--interpolate takes the line between two of them",
            hidden);
    double time_ms = width_sweep[above].time_ms;
    if (!measured) {
        double from = width_sweep[above - 1].hidden, to = width_sweep[above].hidden;
        double part = (hidden - from) / (to - from);
        time_ms = (1 - part) * width_sweep[above - 1].time_ms + part * time_ms;
    }
    *interpolated = !measured;
    *factor = time_ms / width_sweep[WIDTH_OF_CONSTANT].time_ms;
    return RC_OK;
}
