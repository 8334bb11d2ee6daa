/* SPDX-License-Identifier: BSD-3-Clause */
/* result.h - what was found for a question: the only type that text, JSON, CSV, page and timeline are written from.
 *
 * Numbers are claims: sealed by gates/ where they arise, they can be written but not read. Unknown ones are zeroed.
 * Units: SI. Errors: none. Edges: a zeroed result is empty.
 * Ownership: study_answer() makes a result, result_free() releases it with its inputs; it borrows its question and the
 * study that answered. */
#ifndef SIM_STUDY_RESULT_H
#define SIM_STUDY_RESULT_H

#include "sim/study/inputs.h"
#include "sim/study/result_messages.h"
#include "sim/study/result_spread.h"
#include "workloads/costs.h"

enum { RESULT_CALLS = PHASE_COUNT * (STRATEGY_COUNT + 1), RESULT_TREATMENTS = 8, RESULT_CAUSES = 8, RESULT_MAP = 32 };

struct result_analytic {
    bool present; /* compare was asked for */
    struct claim time, wire, relative_error;
    const char *basis, *no_form; /* "time", "wire" or NULL; what has no closed form ("gather-first"), or NULL */
    int n_causes; /* from the analytic to the simulated time on that basis; they add up */
    bool shapley; /* false: switched on first and last only, with an interaction left */
    struct {
        const char *name;
        struct claim seconds, first, last;
    } causes[RESULT_CAUSES];
};

struct result_stage {
    const char *name;
    struct claim start, end;
    double bytes, messages, rho_out, rho_in; /* not above 0: none */
};

/* The rank that nobody can be faster than, by the port model; rank -1 when nothing moves. */
struct result_straggler {
    int rank;
    const char *side; /* "send", "receive", "shared link" */
    const struct link *link;
    struct claim end;
};

/* One of the busiest links of the run that is shown. */
enum { RESULT_LINKS = 6, RESULT_BINS = 60, RESULT_SEQUENCE = 256 };
struct result_link {
    const struct link *link;
    double bytes;
    struct claim utilisation; /* bytes / (capacity x time) */
    int n_bins;
    double bins[RESULT_BINS]; /* share of the capacity used in each */
};

/* Calls back to back; wire where the time is not known. A layer's time is what it adds to the end of the sequence,
 * so that they add up; alone it may take longer, since a rank that is done begins the next call. */
struct result_sequence {
    const char *host; /* NULL: not asked for */
    int n_calls;
    char reason[200]; /* why the time is not known */
    struct claim per_call, per_call_wire; /* mean */
    const char *by; /* "layer", "batch"; NULL: all calls are equal */
    int64_t number[RESULT_SEQUENCE]; /* of its layer or batch */
    struct claim time[RESULT_SEQUENCE], wire[RESULT_SEQUENCE];
    int worst; /* place of the call that adds most; -1: no number of one may be shown */
};

struct result_call {
    const char *strategy, *phase;
    const char *engine; /* as of the result */
    enum dedup dedup; /* of a one-hop call */
    bool baseline;    /* nobody asked for it, but a gain is against it */
    int chunks;
    bool pipelined, simulated;      /* false with --analytic-only */
    bool conditional;    /* call_time is not open for it */
    bool bound_is_near, even, wire_slack_is_far; /* load; wire time far above its bound */
    const char *far_cause;        /* of an even load that is far above its bound, with the key that mends it; or NULL */
    bool time_known;     /* otherwise stages, ranks and utilisation are those of the wire */
    const struct licence *licence; /* of the call time */
    char reason[200];    /* why the time is not known, or how alpha was interpolated */
    char reopen[240];    /* what would make it known */
    struct claim time, band[2], treatments[RESULT_TREATMENTS];
    struct claim wire, bound, wire_bound, slack, fixed[FIXED_PARTS];
    double tier_bytes[TIER_MAX], tier_messages[TIER_MAX];
    struct result_stage stages[OUTCOME_STAGES];
    int n_stages, n_links;
    struct claim *send_end, *recv_end; /* per rank; NULL when not simulated */
    struct result_group *groups;       /* [n_groups] EP groups; none where the job is the whole machine */
    int n_groups, fastest, slowest;
    const struct link *busiest;        /* NULL when nothing moved */
    double busiest_bytes;
    struct claim busiest_utilisation;
    struct result_link *links; /* [n_links] */
    struct claim bin; /* width of their bins */
    struct result_messages messages;
    char critical_path[OUTCOME_PATH];
    struct claim fairness, from_last;
    struct result_straggler straggler; /* under the costs shown */
    struct claim *port_end; /* per rank: send, receive, shared link; earliest ends, unknown where nothing moves */
    struct result_sequence sequence;
    struct result_draws draws;
    struct result_allowance allowance;
    struct result_analytic analytic;
    double *map; /* [from * map_blocks + to] bytes between blocks of map_ranks ranks, or NULL */
    int map_blocks, map_ranks;
};

/* Gain of the first multi-hop strategy over the best one hop, for one phase or the round trip. */
enum { RESULT_ROUND_TRIP = PHASE_COUNT, RESULT_GAINS };
struct result_gain {
    bool asked; /* both calls were made */
    int against; /* the one hop: its place among the calls; of a phase only */
    struct claim time, band[2], wire;
    struct claim analytic, analytic_wire; /* by the closed form */
};

struct result_weakest {
    const char *constant; /* "platform.slow.latency"; NULL: no number rests on one */
    enum status status;
};

struct result {
    const struct question *question;
    struct inputs in;
    struct manifest files; /* that were opened for it */
    struct result_call calls[RESULT_CALLS]; /* as asked, then the better one hops that gains are against */
    int n_calls;
    const char *gain_of; /* strategy; NULL: no gain was asked for */
    enum dedup gain_against; /* of the one hop that the gains are against */
    struct result_gain gain[RESULT_GAINS]; /* by phase, then the round trip */
    struct result_weakest weakest;
    struct buf assumed; /* constants that no source gives, one a line, those that weigh most first */
    struct buf assumed_choices; /* what no source gives and is no number: order, window, pieces */
    struct claim hierarchy_ratio;
    const struct licence *licences[CAP_COUNT]; /* as this question leaves them */
    struct licences *decided;                  /* the study's; those of this question are forgotten with the result */
    const struct gate_result *gates;           /* that stood behind them */
    size_t n_gates;
    struct buf warnings; /* one line each */
    const char *engine; /* of all calls: "simgrid", "fluid", "bound" (nothing was simulated); NULL: none was asked */
    uint64_t flows, events, levels; /* 0: not counted */
    double wall_s, cpu_s, peak_rss_bytes;
    const char *const *arguments; /* a command line that asks this */
    int n_arguments;
    struct arena arena; /* of arguments that nobody gave */
};

/* What words call it: the strategy, and of a baseline what tells it from the one hop that was asked for. */
const char *result_call_name(const struct result_call *c);

#endif
