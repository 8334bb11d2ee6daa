/* SPDX-License-Identifier: BSD-3-Clause */
/* estimand.h - how the evidence of a gate becomes metrics: one function each (estimand_table.h has their names).
 *
 * The function that simulates a call is a parameter; nothing here knows the simulator. Where the function that
 * an estimand needs is missing the gate is not evaluated, with that reason.
 * Units: SI. Errors: of the corpus (RC_SCHEMA, RC_UNIT), of a platform, of the answering function;
 * RC_UNSUPPORTED where a function that is needed is not there.
 * Edges: an estimand that simulates is refused where no simulator is given.
 * Ownership: an input borrows all it points to; the caller clears the evidence that a function fills, after an error
 * too. */
#ifndef VALIDATION_ESTIMAND_H
#define VALIDATION_ESTIMAND_H

#include "gates/gate.h"
#include "model/model.h"
#include "validation/agreement.h"
#include "validation/corpus.h"
#include "validation/packet.h"
#include "validation/simulate.h"
#include "workloads/costs.h"

/* Finds the time of one of `calls` equal calls issued in a row: the host waits for each (REGIME_OBSERVED), or once at
 * the end (REGIME_AHEAD). */
typedef enum rc (*regime_f)(const struct call *call, const struct costs *costs, enum regime regime,
                            int calls, double *per_call_s, struct err *e);

struct estimand_tools {
    const struct simulator *simulator; /* the engine; NULL: gates that simulate are not evaluated */
    const struct simulator *second;    /* another engine, or NULL; where it is given both report all their messages */
    agreement_sequence_f sequence;     /* calls in a row on either, or NULL */
    regime_f repeat;                   /* calls in a row, or NULL */
    bool full;                         /* the whole grids, not the quick ones */
};

struct estimand_input {
    const struct gate *gate;
    const struct corpus *corpus;     /* NULL when the gate has none */
    const struct packet_corpus *packet; /* of packet-level times, in its place */
    const struct platform *platform; /* NULL when the gate has none */
    const struct implementation *implementation; /* with the platform */
    struct estimand_tools tools;
};

typedef enum rc (*estimand_f)(const struct estimand_input *in, struct gate_evidence *x, struct err *e);

/* --- the estimands, by file ------------------------------------------------------------------- */

enum rc estimand_all_to_all(const struct estimand_input *in, struct gate_evidence *x, struct err *e);
enum rc estimand_all_to_all_paper(const struct estimand_input *in, struct gate_evidence *x,
                                  struct err *e);
enum rc estimand_strategies(const struct estimand_input *in, struct gate_evidence *x, struct err *e);
enum rc estimand_strategies_paper(const struct estimand_input *in, struct gate_evidence *x,
                                  struct err *e);
enum rc estimand_step_gain(const struct estimand_input *in, struct gate_evidence *x, struct err *e);
enum rc estimand_overlap(const struct estimand_input *in, struct gate_evidence *x, struct err *e);
enum rc estimand_alpha_spread(const struct estimand_input *in, struct gate_evidence *x, struct err *e);
enum rc estimand_coverage(const struct estimand_input *in, struct gate_evidence *x, struct err *e);

enum rc estimand_simulated_all_to_all(const struct estimand_input *in, struct gate_evidence *x,
                                      struct err *e);
enum rc estimand_simulated_strategies(const struct estimand_input *in, struct gate_evidence *x,
                                      struct err *e);
enum rc estimand_cross_check(const struct estimand_input *in, struct gate_evidence *x, struct err *e);
enum rc estimand_engine_agreement(const struct estimand_input *in, struct gate_evidence *x,
                                  struct err *e);
enum rc estimand_bound(const struct estimand_input *in, struct gate_evidence *x, struct err *e);
enum rc estimand_bound_agreement(const struct estimand_input *in, struct gate_evidence *x, struct err *e);
enum rc estimand_conservation(const struct estimand_input *in, struct gate_evidence *x, struct err *e);
enum rc estimand_monotonic(const struct estimand_input *in, struct gate_evidence *x, struct err *e);
enum rc estimand_host_regime(const struct estimand_input *in, struct gate_evidence *x, struct err *e);
enum rc estimand_contention(const struct estimand_input *in, struct gate_evidence *x, struct err *e);
enum rc estimand_packet(const struct estimand_input *in, struct gate_evidence *x, struct err *e);
enum rc estimand_packet_allowance(const struct estimand_input *in, struct gate_evidence *x, struct err *e);
enum rc estimand_external(const struct estimand_input *in, struct gate_evidence *x, struct err *e);

#endif
