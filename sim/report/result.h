/* SPDX-License-Identifier: BSD-3-Clause */
/* result.h - what `simulate` and `compare` found, ready to be written as text, JSON or CSV.
 *
 * Units: SI. A number that is not known is marked by its flag and never written.
 * Ownership: the writers borrow everything. */
#ifndef SIM_REPORT_RESULT_H
#define SIM_REPORT_RESULT_H

#include "workloads/step.h"

enum { RESULT_CALLS = 16, RESULT_TREATMENTS = 8, RESULT_CAUSES = 8 };

struct result_analytic {
    bool present; /* compare was asked for */
    bool time_known;
    double time_s, wire_s;
    bool error_known;
    double relative_error;
    const char *basis; /* "time", "wire" */
    /* from the analytic to the simulated time on that basis; they add up */
    int n_causes;
    bool shapley; /* false: switched on first and last only, with an interaction left */
    struct {
        const char *name;
        double seconds, first, last;
    } causes[RESULT_CAUSES];
};

/* The rank that nobody can be faster than, by the port model; rank -1 when nothing moves. */
struct result_straggler {
    int rank;
    const char *side; /* "send", "receive", "shared link" */
    const struct link *link;
    double end_s;
};

struct result_call {
    const char *strategy, *phase;
    bool simulated;      /* false with --analytic-only */
    bool conditional;    /* call_time is not open for it */
    bool time_known;
    char reason[200];    /* why the time is not known, or how alpha was interpolated */
    double time_s;
    bool band_known;
    double band_s[2];
    double treatment_s[RESULT_TREATMENTS];
    double wire_s, bound_s, wire_bound_s;
    double tier_bytes[TIER_COUNT], tier_messages[TIER_COUNT];
    struct outcome shown; /* of the known costs, otherwise of the wire */
    const struct link *busiest; /* NULL when nothing moved */
    double busiest_bytes, busiest_utilisation;
    uint64_t flows;       /* of all runs of this call */
    struct result_analytic analytic;
    struct result_straggler straggler; /* under the costs shown */
    /* port model, ranks x (send, receive, shared link): earliest ends, 0 where nothing moves; NULL: none */
    double *port_end_s;
};

/* Gain of the first multi-hop strategy over one hop, for one phase; absent unless both were asked for. */
struct result_gain {
    const char *of;   /* strategy */
    bool known;       /* both times known */
    double time;      /* gain on call times */
    bool band_known;
    double band[2];
    bool wire_known;
    double wire;
};

struct result_weakest {
    char constant[48];
    enum status status;
};

struct result {
    const char *schema; /* "moesim/simulate/1" or "moesim/compare/1" */
    const struct platform *platform;
    const struct workload *workload;
    const struct implementation *implementation;
    const struct traffic *traffic;
    struct traffic_rho rho;
    struct result_call calls[RESULT_CALLS];
    int n_calls;
    struct result_gain gain;
    struct result_weakest weakest;
    struct buf warnings; /* one line each */
    uint64_t seed;
    uint64_t flows;
    double wall_s, cpu_s, peak_rss_bytes;
    const char *engine_version;
    /* provenance */
    const char *program_version, *program_git;
    const char *const *arguments;
    int n_arguments;
};

void result_write_json(const struct result *r, struct buf *out);
void result_write_text(const struct result *r, struct buf *out);
void result_write_csv(const struct result *r, struct buf *out);

#endif
