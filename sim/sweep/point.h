/* SPDX-License-Identifier: BSD-3-Clause */
/* point.h - what a point of a sweep costs, and its record.
 *
 * The key is question_key(): it changes when, and only when, the record may.
 * Units: SI. Errors: those of the inputs. Ownership: borrows everything. Edges: a point that cannot run has a plan
 * that says why, and an error record. */
#ifndef SIM_SWEEP_POINT_H
#define SIM_SWEEP_POINT_H

#include "sim/study/study.h"
#include "sim/sweep/spec.h"

struct sweep_plan {
    char key[HASH_TEXT];
    int ranks;
    double flows;        /* messages of its simulations, each once */
    double seconds;      /* they may take, to be of the right size only */
    enum rc rc;          /* of loading its inputs */
    char message[200];   /* why it cannot run; it gets an error record */
};

/* Names the engine of all points where the spec leaves it open: the one of the point whose run has the most flows, as
 * study_estimate() counts them. The same on every machine. Points that cannot run do not count. */
void sweep_choose_engine(struct sweep_spec *spec, const struct study *study);

/* Loads the point's inputs (not its traffic). A key that does not exist, or a value of the wrong kind, is an error
 * of the sweep file; values that do not fit together are the point's own and stand in the plan. */
enum rc sweep_point_plan(const struct sweep_spec *spec, size_t point, const struct study *study,
                         struct sweep_plan *plan, struct err *e);

/* Plans all points; plans has room for each. The first error is that of the sweep file, with the point's number. */
enum rc sweep_plan_all(const struct sweep_spec *spec, const struct study *study, struct sweep_plan *plans,
                       struct err *e);

/* Appends the record of a point: its result, or why there is none. Points share inputs by the study's memo. */
void sweep_point_run(const struct sweep_spec *spec, size_t point, const struct sweep_plan *plan,
                     const struct study *study, struct buf *out);

/* Appends the error record of a point that no worker could do, and why: an rc of circumstance is tried again. */
void sweep_point_lost(const struct sweep_spec *spec, size_t point, const struct sweep_plan *plan, enum rc why,
                      const char *message, struct buf *out);

#endif
