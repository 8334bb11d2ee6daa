/* SPDX-License-Identifier: BSD-3-Clause */
/* figures.h - the raw numbers behind `simulate` and `compare`, before they become claims.
 *
 * Units: SI. They are worked out here and handed to the report by figures_publish(), which asks gates/ for the
 * right to show each of them; nothing else leads from here to an output.
 * Ownership: figures_clear() releases; figures_publish() lends what it links to and allocates the claims per
 * rank, which figures_unpublish() releases. */
#ifndef SIM_CLI_FIGURES_H
#define SIM_CLI_FIGURES_H

#include "model/bound.h"
#include "sim/cli/allow.h"
#include "sim/report/result.h"
#include "validation/causes.h"
#include "workloads/costs.h"

struct call_analytic {
    bool present; /* compare was asked for */
    bool covered; /* there is a closed form */
    const char *no_form; /* what there is none of; NULL */
    bool time_known;
    double time_s, wire_s;
    bool error_known;
    double relative_error;
    const char *basis; /* "time", "wire" */
};

/* Quantiles over draws: p50, p95, p99. */
enum { DRAWS_QUANTILES = RESULT_QUANTILES };
struct draws_figures {
    int n; /* 0: not asked for */
    int layers;
    bool known;
    double time_s[DRAWS_QUANTILES], wire_s[DRAWS_QUANTILES];
};

/* Calls back to back. */
struct sequence_figures {
    const char *host; /* NULL: not asked for */
    int n_calls;
    bool known; /* otherwise the times are those of the wire */
    char reason[200];
    double per_call_s; /* mean */
    const char *by; /* "layer", "batch"; NULL: all calls are equal */
    int64_t number[RESULT_SEQUENCE]; /* of its layer or batch */
    double time_s[RESULT_SEQUENCE]; /* what each call adds to the end of the sequence, with `by` only */
};

struct call_figures {
    const char *strategy, *phase;
    struct gate_scope asked; /* machine, worlds, sizes and skew that a gate must cover */
    enum dedup dedup; /* of a one-hop call */
    int chunks;
    bool pipelined;
    bool simulated;   /* false with --analytic-only */
    bool time_known;
    char reason[200]; /* why the time is not known, or how alpha was interpolated */
    double time_s;
    bool band_known;
    double band_s[2];
    double treatment_s[RESULT_TREATMENTS];
    double wire_s, bound_s, wire_bound_s;
    double fixed_s[FIXED_PARTS]; /* where the time is known */
    double tier_bytes[TIER_MAX], tier_messages[TIER_MAX];
    struct outcome shown; /* of the known costs, otherwise of the wire */
    const struct link *busiest; /* NULL when nothing moved */
    double busiest_bytes, busiest_utilisation;
    struct call_analytic analytic;
    struct causes causes; /* n 0: not explained */
    struct bound_straggler straggler;
    struct bound_rank *ports; /* per rank */
    struct sequence_figures sequence;
    struct draws_figures draws;
    struct allow_figures allow;
    double *map; /* [from * map_blocks + to] bytes between blocks of map_ranks ranks; NULL: not asked for */
    int map_blocks, map_ranks;
};

struct gain_figures {
    bool asked;     /* both calls were made */
    bool known;     /* both times known */
    double time;    /* gain on call times */
    bool band_known;
    double band[2];
    bool wire_known;
    double wire;
    bool analytic_known, analytic_wire_known; /* the same by the closed form */
    double analytic, analytic_wire;
};

struct figures {
    struct call_figures calls[RESULT_CALLS];
    int n_calls;
    const char *gain_of; /* strategy; NULL: no gain was asked for */
    enum dedup gain_against; /* of the one hop that the gains are against */
    struct gain_figures gain[RESULT_GAINS];
    bool extrapolates; /* the hierarchy ratio is a setting, not a measured machine's */
};

void call_figures_clear(struct call_figures *f);
void figures_clear(struct figures *f);

/* Gain of the first multi-hop strategy over the best one hop: per phase, and for the round trip. best[phase] is
 * the one-hop call with the other de-duplication, or not simulated. */
void figures_gain(struct figures *f, const struct call_figures best[static PHASE_COUNT],
                  size_t n_treatments);

/* Turns every figure into a claim under the licence that its question has. r->platform is set. */
void figures_publish(const struct figures *f, const struct topology *t, struct licences *licences,
                     struct result *r);
/* Releases what figures_publish() allocated. */
void figures_unpublish(struct result *r);

#endif
