/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/sweep/point.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/report/record.h"
#include "sim/study/estimate.h"
#include "sim/study/key.h"

/* Seconds on one core, measured on a machine of 2 shared cores with workloads/sweeps, 16 to 256 ranks. Under skew the
 * ends of messages fall apart, and each changes the shares of all that are under way. */
#define UNIFORM_MESSAGE_S 3.8e-6
#define SKEWED_MESSAGE_S 0.9e-6 /* and rank, up to */
#define SKEWED_RANKS 110.0
#define ANALYTIC_S 2e-4
#define ANALYTIC_PAIR_S 5e-8

/* Simulations of one call: known costs and wire, or wire and the treatments; the causes come on top, smaller ones
 * among them: as many of full size as were measured to take that long. */
static double runs_per_call(const struct question *q) {
    enum { WITHOUT_CAUSES = 2, WITH_CAUSES = 9 };
    return q->causes ? WITH_CAUSES : WITHOUT_CAUSES;
}

/* Fills the messages that a point may send at most: a flow for the payload of each, one for its cost. */
static void fill_flows(const struct question *q, const struct inputs *in, struct sweep_plan *plan) {
    double ranks = plat_ranks(in->platform);
    double groups = (double)in->platform->groups, each = ranks / groups;
    double one = ranks * (ranks - 1), two = ranks * (groups - 1) + ranks * (each - 1);
    int phases = question_has_phase(q, PHASE_DISPATCH) + question_has_phase(q, PHASE_COMBINE);
    const int *strategies;
    int n = question_strategies(q, &strategies);
    double flows = 0;
    for (int i = 0; i < n; i++)
        flows += strategies[i] == STRATEGY_ONE_HOP
                     ? one
                     : two * (double)(in->implementation->chunks > 1 ? in->implementation->chunks : 1);
    plan->ranks = (int)ranks;
    plan->flows = question_simulates(q) ? flows * phases : 0;
    bool uniform = in->workload->routing.source == SOURCE_UNIFORM;
    double message_s = uniform ? UNIFORM_MESSAGE_S : SKEWED_MESSAGE_S * fmin(ranks, SKEWED_RANKS);
    plan->seconds = ANALYTIC_S + ANALYTIC_PAIR_S * ranks * ranks + plan->flows * runs_per_call(q) * message_s;
}

static bool is_spec_error(enum rc rc) {
    return rc == RC_USAGE || rc == RC_SCHEMA || rc == RC_UNIT || rc == RC_SYNTAX || rc == RC_IO;
}

/* Plans a point that cannot run: its key is made of why. */
static enum rc refuse(const struct study *study, const struct question *q, enum rc rc, const struct err *why,
                      struct sweep_plan *plan, struct err *e) {
    const struct question_program program = question_program(study);
    plan->rc = rc;
    snprintf(plan->message, sizeof plan->message, "%.199s", why->text);
    return question_key(q, &program, NULL, plan->message, plan->key, e);
}

enum rc sweep_point_plan(const struct sweep_spec *spec, size_t point, const struct study *study,
                         struct sweep_plan *plan, struct err *e) {
    const struct question_program program = question_program(study);
    struct question q;
    struct inputs in = {.memo = study->memo};
    *plan = (struct sweep_plan){.key = ""};
    enum rc rc = sweep_spec_question(spec, point, &q, e);
    if (!rc)
        rc = inputs_load(&q, INPUT_PLATFORM | INPUT_WORKLOAD | INPUT_IMPLEMENTATION, &in, e);
    if (!rc)
        rc = question_key(&q, &program, &in, NULL, plan->key, e);
    if (!rc)
        fill_flows(&q, &in, plan);
    else if (!is_spec_error(rc))
        rc = refuse(study, &q, rc, e, plan, e);
    inputs_clear(&in);
    question_clear(&q);
    return rc;
}

enum rc sweep_plan_all(const struct sweep_spec *spec, const struct study *study, struct sweep_plan *plans,
                       struct err *e) {
    for (size_t i = 0; i < spec->n_points; i++) {
        enum rc rc = sweep_point_plan(spec, i, study, &plans[i], e);
        if (rc) {
            err_prefix(e, "%s: point %lld", spec->doc->file, (long long)spec->points[i].number);
            return rc == RC_USAGE ? RC_SCHEMA : rc; // the file is wrong, not the command line
        }
    }
    return RC_OK;
}

/* --- one engine for all points ----------------------------------------------------------------------- */

struct candidate {
    size_t point;
    double messages; /* about */
};

static int most_first(const void *a, const void *b) {
    const struct candidate *x = a, *y = b;
    if (x->messages != y->messages)
        return x->messages < y->messages ? 1 : -1;
    return (x->point > y->point) - (x->point < y->point);
}

/* Says whether `auto` takes the engine `fluid` for a point; false where it cannot run. */
static bool needs_fluid(const struct sweep_spec *spec, size_t point, const struct study *study) {
    struct question q;
    struct estimate x;
    struct err ignored;
    bool fluid = !sweep_spec_question(spec, point, &q, &ignored) && !study_estimate(study, &q, &x, &ignored) &&
                 x.engine == SIM_ENGINE_FLUID;
    question_clear(&q);
    return fluid;
}

void sweep_choose_engine(struct sweep_spec *spec, const struct study *study) {
    bool withdrawn = licence_state(licences_get(study->licences, CAP_FLUID_ENGINE)) == CAPABILITY_WITHDRAWN;
    bool fluid = false;
    if (spec->engine != SIM_ENGINE_AUTO || !spec->simulate)
        return;
    struct candidate *all = mem_alloc(spec->n_points, sizeof *all);
    for (size_t i = 0; i < spec->n_points && !withdrawn; i++) {
        struct sweep_plan plan;
        struct err ignored; // told when the point is planned
        sweep_point_plan(spec, i, study, &plan, &ignored);
        all[i] = (struct candidate){i, plan.flows};
    }
    qsort(all, spec->n_points, sizeof *all, most_first);
    // what is about right need not be counted far below the limit
    for (size_t i = 0; i < spec->n_points && !withdrawn && !fluid && all[i].messages > SIM_SIMGRID_FLOWS / 8.0; i++)
        fluid = needs_fluid(spec, all[i].point, study);
    free(all);
    spec->engine = fluid ? SIM_ENGINE_FLUID : SIM_ENGINE_SIMGRID;
}

/* --- records ------------------------------------------------------------------------------------------ */

static void fill_head(const struct sweep_spec *spec, size_t point, const struct sweep_plan *plan,
                      const char *axes[SWEEP_AXES], const char *values[SWEEP_AXES],
                      struct record_head *h) {
    const struct sweep_point *p = &spec->points[point];
    for (size_t i = 0; i < spec->n_axes; i++) {
        axes[i] = spec->axes[i].key;
        values[i] = spec->axes[i].values[p->at[i]];
    }
    *h = (struct record_head){.key = plan->key,
                              .sweep = spec->name,
                              .number = p->number,
                              .seed = p->seed,
                              .n = spec->n_axes,
                              .axes = axes,
                              .values = values};
}

static void write_error(const struct sweep_spec *spec, size_t point, const struct record_head *head, enum rc rc,
                        const char *message, struct buf *out) {
    struct arena arena = {0};
    struct question q;
    const char **words = NULL;
    int n = sweep_spec_question(spec, point, &q, NULL) ? 0 : question_words(&q, &arena, &words);
    record_write_error(head, rc, message, words, n, out);
    question_clear(&q);
    arena_clear(&arena);
}

void sweep_point_run(const struct sweep_spec *spec, size_t point, const struct sweep_plan *plan,
                     const struct study *study, struct buf *out) {
    const char *axes[SWEEP_AXES], *values[SWEEP_AXES];
    struct record_head head;
    struct question q = {0};
    struct result *r = NULL;
    struct err e = {.text = ""};
    fill_head(spec, point, plan, axes, values, &head);
    enum rc rc = plan->rc;
    if (rc)
        snprintf(e.text, sizeof e.text, "%s", plan->message);
    else
        rc = sweep_spec_question(spec, point, &q, &e);
    if (!rc)
        rc = study_answer(study, &q, &r, &e);
    if (rc)
        write_error(spec, point, &head, rc, e.text, out);
    else
        record_write(&head, r, out);
    result_free(r);
    question_clear(&q);
}

void sweep_point_lost(const struct sweep_spec *spec, size_t point, const struct sweep_plan *plan, enum rc why,
                      const char *message, struct buf *out) {
    const char *axes[SWEEP_AXES], *values[SWEEP_AXES];
    struct record_head head;
    fill_head(spec, point, plan, axes, values, &head);
    write_error(spec, point, &head, why, message, out);
}
