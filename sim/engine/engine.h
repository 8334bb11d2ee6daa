/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.h - plays a call on links: when does each message start, share links, arrive.
 *
 * Two engines share the links out: SimGrid, and our own `fluid`, which costs less where many flows hang together.
 * The simulation runs in a forked child; a crash becomes RC_ENGINE with its last words on stderr. One child plays all
 * cases of a call one after the other on one network; cases that differ only in what shifts times share a run.
 * Model: fluid, lossless; a flow takes exactly bytes / bandwidth, many share links max-min fairly;
 * latency delays arrival and holds no window slot; the per-message cost is time on the sender's
 * egress port of the tier used, and nowhere else. FORMULAS.md [S1]..[S8].
 * Units: SI.
 * Errors: RC_ENGINE (it crashed), RC_RANGE (sizes that cannot be simulated together), and those of circumstance
 * (rc_is_circumstance(): the same question may be answered another time): RC_TIMEOUT, RC_RESOURCE (killed from
 * outside, no memory, no process). Outcomes are untouched on failure.
 * Ownership: outcome_clear() each outcome; the call and its topology are borrowed.
 * Edges: a call without messages lasts its fixed costs. */
#ifndef SIM_ENGINE_ENGINE_H
#define SIM_ENGINE_ENGINE_H

#include "sim/engine/choice.h"
#include "workloads/costs.h"

struct sim_options {
    enum sim_engine engine; /* not SIM_ENGINE_BOUND */
    bool checked;     /* `fluid` proves its rates at every instant (slow): RC_ENGINE where they are not max-min fair */
    double timeout_s; /* CPU time of one sim_run(), and ten times that of wall time (child.h); 0 = unlimited */
    bool times_only; /* links are not measured: no link_bytes, and 10 to 20 % less time a run */
    int link_bins; /* count bytes over time in so many bins per link; 0 = do not */
    int messages;  /* tell when the largest so many messages were under way; 0 = do not, INT_MAX = all */
};

/* Returns how many runs the cases take: those that differ only in what shifts times share one. */
size_t sim_runs(const struct call *call, const struct costs *cases, size_t n_cases);

/* Simulates the call once for each case of fixed costs; outcomes[n_cases]. Order, window and start
 * come from the call's implementation. */
enum rc sim_run(const struct call *call, const struct costs *cases, size_t n_cases,
                const struct sim_options *options, struct outcome *outcomes, struct err *e);

/* Simulates as sim_run() does, in the form that validation/simulate.h calls: options is a struct sim_options. */
enum rc sim_answer(const struct call *call, const struct costs *cases, size_t n_cases, void *options,
                   struct outcome *outcomes, struct err *e);

/* A question about calls back to back, of one or several layers or micro-batches. Each rank's host issues exchange
 * after exchange, which takes it alpha each. An exchange begins at a rank when it is issued, the exchange before is
 * over there (sends and arrivals), and the local work between them is done. An observed host waits for the exchange
 * before to end before it issues the next; one that runs ahead issues meanwhile, except that a readback of splits makes
 * it wait. Inside a pipelined call hops follow by pieces, as in sim_run(). FORMULAS.md [S7] */
struct sim_sequence {
    const struct call *calls; /* [n_calls] on one topology; enter_s of the first one counts */
    const struct costs *costs; /* [n_calls] */
    size_t n_calls;
    enum regime host;
};

/* Plays a sequence in the form that validation/agreement.h calls: options is a struct sim_options. */
enum rc sim_answer_sequence(const struct call *calls, const struct costs *costs, size_t n_calls, enum regime host,
                            void *options, struct outcome *outcomes, struct err *e);

/* Simulates a sequence and fills outcomes[n_calls], each in its own time from begin_s on; flows, events and the cost of
 * the simulation are those of the whole sequence, and bytes over time too, counted from the start of the sequence.
 * *total_s: end of the last call. */
enum rc sim_run_sequence(const struct sim_sequence *sequence, const struct sim_options *options,
                         struct outcome *outcomes, double *total_s, struct err *e);

/* Returns the version of the SimGrid library that is linked, such as "3.32.0". */
const char *sim_version(void);

/* Writes an equivalent SimGrid platform file (DTD 4.1) for other tools. */
enum rc sim_xml(const struct topology *topology, struct buf *out, struct err *e);

#endif
