/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/cli/sweep_point.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/file.h"
#include "sim/cli/answer.h"
#include "sim/cli/cli.h"
#include "sim/report/record.h"

static void hash_field(struct hash *h, const char *name, const char *text) {
    hash_add(h, name, strlen(name) + 1);
    hash_add(h, text, strlen(text) + 1);
}

/* A file of the workload, or that there is none. */
static enum rc hash_input(struct hash *h, const char *name, const char *path, struct err *e) {
    char text[HASH_TEXT] = "";
    enum rc rc = path ? hash_file(path, text, e) : RC_OK;
    hash_field(h, name, text);
    return rc;
}

/* What the traffic of a point comes from: the workload, the shape of the platform and the seed. */
static enum rc hash_traffic(const struct options *o, const struct inputs *in, char text[static HASH_TEXT],
                            struct err *e) {
    const struct workload *w = in->workload;
    const struct platform *p = in->platform;
    struct hash *h = hash_start();
    hash_add(h, &o->seed, sizeof o->seed);
    for (int tier = 0; tier < p->n_tiers; tier++)
        hash_add(h, p->domains[tier].first, ((size_t)p->domains[tier].n + 1) * sizeof *p->domains[tier].first);
    hash_field(h, "workload", w->doc->sha256);
    for (size_t i = 0; i < o->set_workload.n; i++)
        hash_field(h, o->set_workload.items[i].key, o->set_workload.items[i].value);
    enum rc rc = hash_input(h, "trace", w->trace_path, e);
    if (!rc)
        rc = hash_input(h, "placement", w->placement_path, e);
    if (!rc)
        rc = hash_input(h, "tokens", w->tokens_path, e);
    hash_end(h, text);
    return rc;
}

static enum rc fill_key(const struct options *o, const struct inputs *in, struct sweep_plan *plan,
                        struct err *e) {
    enum rc rc = hash_traffic(o, in, plan->traffic_key, e);
    if (rc)
        return rc;
    struct hash *h = hash_start();
    hash_field(h, "version", MOESIM_VERSION);
    for (int i = 0; i < o->n_arguments; i++)
        hash_field(h, "argument", o->arguments[i]);
    hash_field(h, "platform", in->platform->doc->sha256);
    hash_field(h, "implementation", in->implementation->doc->sha256);
    hash_field(h, "traffic", plan->traffic_key);
    hash_end(h, plan->key);
    return RC_OK;
}

/* Seconds on one core, measured on a machine of 2 shared cores with workloads/sweeps, 16 to 256 ranks. Under skew the
 * ends of messages fall apart, and each changes the shares of all that are under way. */
#define UNIFORM_MESSAGE_S 3.8e-6
#define SKEWED_MESSAGE_S 0.9e-6 /* and rank, up to */
#define SKEWED_RANKS 110.0
#define ANALYTIC_S 2e-4
#define ANALYTIC_PAIR_S 5e-8

/* Simulations of one call: known costs and wire, or wire and the treatments; the causes come on top, smaller ones
 * among them: as many of full size as were measured to take that long. */
static double runs_per_call(const struct sweep_spec *spec) {
    enum { WITHOUT_CAUSES = 2, WITH_CAUSES = 9 };
    return spec->causes == SWEEP_ALL ? WITH_CAUSES : WITHOUT_CAUSES;
}

/* Messages that a point may send at most: a flow for the payload of each, one for its cost. */
static void fill_flows(const struct sweep_spec *spec, const struct options *o, const struct inputs *in,
                       struct sweep_plan *plan) {
    double ranks = plat_ranks(in->platform);
    double groups = (double)in->platform->groups, each = ranks / groups;
    double one = ranks * (ranks - 1), two = ranks * (groups - 1) + ranks * (each - 1);
    int phases = o->phases[PHASE_DISPATCH] + o->phases[PHASE_COMBINE];
    double flows = 0;
    for (int i = 0; i < (o->n_strategies ? o->n_strategies : 2); i++) {
        bool one_hop = o->n_strategies ? o->strategies[i] == STRATEGY_ONE_HOP : i == 0;
        flows += one_hop ? one : two * (double)(in->implementation->chunks > 1 ? in->implementation->chunks : 1);
    }
    plan->ranks = (int)ranks;
    plan->flows = o->analytic_only ? 0 : flows * phases;
    bool uniform = in->workload->routing.source == SOURCE_UNIFORM;
    double message_s = uniform ? UNIFORM_MESSAGE_S : SKEWED_MESSAGE_S * fmin(ranks, SKEWED_RANKS);
    plan->seconds = ANALYTIC_S + ANALYTIC_PAIR_S * ranks * ranks + plan->flows * runs_per_call(spec) * message_s;
}

static bool is_spec_error(enum rc rc) {
    return rc == RC_USAGE || rc == RC_SCHEMA || rc == RC_UNIT || rc == RC_SYNTAX || rc == RC_IO;
}

enum rc sweep_point_plan(const struct sweep_spec *spec, size_t point, struct inputs_memo *memo,
                         struct sweep_plan *plan, struct err *e) {
    struct arena arena = {0};
    const char **argv;
    int argc = sweep_spec_arguments(spec, point, &arena, &argv);
    struct options o;
    struct inputs in = {.memo = memo};
    *plan = (struct sweep_plan){.key = ""};
    enum rc rc = options_parse(argc, argv, &o, e);
    if (!rc)
        rc = inputs_load(&o, INPUT_PLATFORM | INPUT_WORKLOAD | INPUT_IMPLEMENTATION, &in, e);
    if (!rc)
        rc = fill_key(&o, &in, plan, e);
    if (!rc) {
        fill_flows(spec, &o, &in, plan);
    } else if (!is_spec_error(rc)) {
        plan->rc = rc;
        snprintf(plan->message, sizeof plan->message, "%.199s", e->text);
        struct hash *h = hash_start();
        hash_field(h, "version", MOESIM_VERSION);
        for (int i = 0; i < argc; i++)
            hash_field(h, "argument", argv[i]);
        hash_field(h, "refused", plan->message);
        hash_end(h, plan->key);
        rc = RC_OK;
    }
    inputs_clear(&in);
    options_clear(&o);
    arena_clear(&arena);
    return rc;
}

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

struct sink {
    const struct record_head *head;
    struct buf *out;
};

static enum rc write_record(const struct result *r, void *context, struct err *e) {
    const struct sink *sink = context;
    (void)e;
    record_write(sink->head, r, sink->out);
    return RC_OK;
}

static bool chosen(int which, size_t point) {
    return which == SWEEP_ALL || (which == SWEEP_FIRST && point == 0);
}

void sweep_point_run(const struct sweep_spec *spec, size_t point, const struct sweep_plan *plan,
                     const struct licensing *l, struct inputs_memo *memo, struct buf *out) {
    const char *axes[SWEEP_AXES], *values[SWEEP_AXES], **argv;
    struct record_head head;
    struct arena arena = {0};
    struct options o;
    struct err e = {.text = ""};
    int argc = sweep_spec_arguments(spec, point, &arena, &argv);
    fill_head(spec, point, plan, axes, values, &head);
    enum rc rc = plan->rc;
    if (rc)
        snprintf(e.text, sizeof e.text, "%s", plan->message);
    else
        rc = options_parse(argc, argv, &o, &e);
    if (!rc) {
        struct sink sink = {&head, out};
        memo->traffic_key = plan->traffic_key;
        o.brief = true;
        o.detail = chosen(spec->detail, point);
        o.unexplained = !chosen(spec->causes, point);
        o.timeout_s = spec->timeout_s.given ? spec->timeout_s.value : 0;
        rc = answer(&o, l, true, memo, write_record, &sink, &e);
        options_clear(&o);
    }
    if (rc)
        record_write_error(&head, rc, e.text, argv + 1, argc - 1, out);
    arena_clear(&arena);
}

void sweep_point_lost(const struct sweep_spec *spec, size_t point, const struct sweep_plan *plan,
                      const char *message, struct buf *out) {
    const char *axes[SWEEP_AXES], *values[SWEEP_AXES], **argv;
    struct record_head head;
    struct arena arena = {0};
    int argc = sweep_spec_arguments(spec, point, &arena, &argv);
    fill_head(spec, point, plan, axes, values, &head);
    record_write_error(&head, RC_ENGINE, message, argv + 1, argc - 1, out);
    arena_clear(&arena);
}
