/* SPDX-License-Identifier: BSD-3-Clause */
/* breakeven.h - the smallest ratio of fast to slow bandwidth at which two hops beat one: the question and its result.
 *
 * Units: SI. Edges: a number that is not known is marked by its flag and never written.
 * Errors: those of the inputs and the engine, RC_WITHDRAWN, RC_UNSUPPORTED, RC_RANGE. Ownership: study_breakeven()
 * makes a result, breakeven_free() releases it; it borrows its question and the study. */
#ifndef SIM_STUDY_BREAKEVEN_H
#define SIM_STUDY_BREAKEVEN_H

#include "model/intervals.h"
#include "sim/study/study.h"

enum {
    BREAKEVEN_ENTRIES = 4,
    BREAKEVEN_CURVE = 61,
    BREAKEVEN_SKEWS = 3,
    BREAKEVEN_CHECKS = 5
};

struct breakeven_spread {
    bool known;
    double p5, p50, p95;
};

/* A ratio, or why there is none. */
struct breakeven_ratio {
    bool known;
    double value;
    char reason[240]; /* "coverage: ..", "range: ..", "chain_width: .." */
};

struct breakeven_entry {
    const struct chain_constant *chain;
    double s_per_pair; /* at this hidden width */
    bool interpolated; /* between measured widths */
    struct breakeven_ratio ratio; /* x_half held in bytes, or as the platform states it */
    struct breakeven_ratio time_held; /* per-message cost held; not for simulated ones */
    bool band_known; /* over the alpha treatments, where alpha is not known */
    double band[2];
    struct breakeven_spread spread; /* over the intervals of the constants */
    double gain[BREAKEVEN_CURVE]; /* over ratios of curve_ratio; analytic ones only */
    int evaluations; /* of the simulator */
};

struct breakeven_question {
    struct question q;
    bool simulated;   /* by a search of simulations; otherwise by the closed form for every chain */
    bool interpolate; /* chain between measured hidden widths */
    double host_exposure_s; /* extra host time of two hops */
};

/* A constant with an interval. */
struct breakeven_input {
    const char *name;
    double low, high;           /* of the constant */
    double gain_low, gain_high; /* with the constant at each end */
};

struct breakeven_result {
    const struct breakeven_question *question;
    struct inputs in;
    struct manifest files;
    struct licences *decided;
    struct intervals *intervals; /* of the platform's constants; hold the names of inputs */
    bool simulated;
    enum sim_engine engine; /* of all calls of the search; SIM_ENGINE_AUTO: there is none */
    const struct licence *licence; /* of the capability; not withdrawn, or there is no result */
    int64_t ranks;
    double fan_out, quota, row_bytes, experts_per_rank;
    double base_Bps;
    const char *held; /* what the slow tier keeps over the ratios: x_half in "bytes", or in "time" */
    double host_exposure_s;
    double range[2];
    struct breakeven_ratio byte_only, byte_only_dedup;
    struct breakeven_entry entries[BREAKEVEN_ENTRIES];
    int n_entries;
    bool alpha_known;
    char alpha_reason[200]; /* why alpha is not known, or how it was interpolated */
    bool curves_known;
    double curve_ratio[BREAKEVEN_CURVE];
    /* skew, side by side; -1 where nothing moves */
    double cv;
    struct {
        const char *exchange;
        double paper, exact, matrix_in, matrix_out;
    } skew[BREAKEVEN_SKEWS];
    /* checklist at the file's own ratio and the implementation's chain */
    bool checklist_known, cleared;
    double ratio, gain;
    struct {
        const char *name;
        bool passed;
        double value, threshold;
    } checks[BREAKEVEN_CHECKS];
    /* Monte Carlo over the intervals */
    int draws;
    uint64_t seed;
    struct breakeven_spread one_hop_s, two_hop_s, gain_spread;
    int n_inputs;
    struct breakeven_input *inputs; /* [n_inputs] the one that moves the gain most first; NULL: none */
};

/* Answers a question about breakeven. */
enum rc study_breakeven(const struct study *s, const struct breakeven_question *question,
                        struct breakeven_result **result, struct err *e);
void breakeven_free(struct breakeven_result *r); /* NULL is allowed */

#endif
