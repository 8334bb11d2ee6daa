/* SPDX-License-Identifier: BSD-3-Clause */
/* model.h - the closed-form cost model of dispatch: one hop against two hops (TerraceMoE paper).
 *
 * Units: SI (seconds, bytes, bytes per second), where the paper uses ms and GB/s.
 * Model / Source: FORMULAS.md [F1]..[F7].
 * Valid for: balanced destinations, serial hops. It does not see skew, shared links, schedules, overlap.
 * Errors: none; inputs are validated by the readers. Edges: a world of 1 costs nothing; no bytes cost alpha only.
 * Ownership: borrows everything; results are plain data. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "workloads/costs.h"

/* How the effective bandwidth depends on the size of a message. [F2] */
enum beta_kind {
    BETA_FLAT,   /* beta_Bps whatever the size */
    BETA_CLOSED, /* beta_Bps * x / (x + x_half) */
    BETA_TABLE   /* the artifact's 48 points of the closed form on [1e3, 1e9] bytes, linear in log x,
                    clamped outside */
};
struct beta {
    enum beta_kind kind;
    double beta_Bps;
    double x_half_bytes;
};
/* Returns the effective bandwidth at a message size. [F2] */
double model_beta_Bps(const struct beta *b, double message_bytes);

/* Returns the time of one all-to-all of `world` ranks: every rank holds `rows` rows, the share local_frac of them
 * for itself.
 * A world of 1 exchanges nothing and costs nothing. [F1] */
double model_all_to_all_s(const struct beta *b, double alpha_s, int world, double rows,
                          double local_frac, double row_bytes);

struct model_machine {
    struct beta flat, slow, fast; /* one hop, hop A, hop B */
    double alpha_one_hop_s, alpha_hop_a_s, alpha_hop_b_s;
    double splits_s;
    double chain_s_per_pair;
    double chain_floor_s;
};

struct model_geometry {
    int groups;
    int ranks_per_group;
    double tokens;    /* T, per rank */
    double top_k;     /* k */
    double fan_out;   /* M, or the mean number of destination groups of a token */
    double row_bytes; /* H b */
    double hop_a_local_frac; /* share of hop A's rows that stay; 0: 1 / N_g. The artifact once had M / N_g */
    struct model_skew {      /* factors on the rows of each exchange; 0 counts as 1. [F10] */
        double one_hop, hop_a, hop_b;
    } skew;
};

struct model_terms {
    double one_hop_s, hop_a_s, hop_b_s, chain_s, splits_s, two_hop_s;
    double gain; /* one_hop_s / two_hop_s; -1 when two hops cost nothing */
};

/* Fills all terms of the cost model. [F4] [F5] [F6] [F7] */
void model_predict(const struct model_machine *m, const struct model_geometry *g,
                   struct model_terms *terms);

/* Fills flat, slow and fast (inside the domains of the cut) from a platform, as a library reaches them; NULL: the
 * platform's own rates. */
void model_levels(const struct platform *p, const struct implementation *how, enum tier cut, struct model_machine *m);

/* Fills in machine and geometry of a call under given fixed costs. latency_s of the costs is not part of the paper's
 * model: one latency of the widest tier of each hop is added to its alpha, as the simulator pays it. */
void model_from_call(const struct call *call, const struct costs *costs, struct model_machine *m,
                     struct model_geometry *g);

/* Returns the bandwidth, with its saturation, that the closed form charges a stage with. [F2] */
struct beta model_stage_level(const struct call *call, const struct stage *stage);

/* Returns the word for a call that has no closed form ("gather-first"), NULL for one that has. A pipelined call is
 * priced as if serial. */
const char *model_no_form(const struct call *call);
/* Says whether a call has a closed form. */
bool model_covers(const struct call *call);

/* Fills the outcome of a call by the closed form: time and serial stages (hop_a, splits, chain, hop_b). */
void model_call(const struct call *call, const struct costs *costs, struct outcome *outcome);

#endif
