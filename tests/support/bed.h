/* SPDX-License-Identifier: BSD-3-Clause */
/* bed.h - a call made by hand: platform text, implementation and dense byte matrices, without
 * files. */
#ifndef TESTS_SUPPORT_BED_H
#define TESTS_SUPPORT_BED_H

#include "tests/support/check.h"

#include <unistd.h>

#include "sim/engine/engine.h"
#include "workloads/costs.h"

struct bed {
    struct platform *platform;
    struct topology *topology;
    struct implementation how;
    struct call call;
};

/* Loads a platform file with this text under its schema and name. */
static inline struct platform *bed_platform(const char *text) {
    char folder[] = "/tmp/moesim-bed-XXXXXX", path[80];
    if (!mkdtemp(folder))
        fail_msg("no folder %s", folder);
    snprintf(path, sizeof path, "%s/bed.yaml", folder);
    FILE *f = fopen(path, "w");
    if (!f)
        fail_msg("cannot write %s", path);
    fprintf(f, "schema: " PLATFORM_SCHEMA "\nname: bed\n%s", text);
    fclose(f);
    struct platform *p = NULL;
    struct err e;
    enum rc rc = plat_load(path, NULL, 0, &p, &e);
    unlink(path);
    rmdir(folder);
    if (rc)
        fail_msg("%s", e.text);
    return p;
}

/* window 0 = all */
static inline void bed_open(struct bed *b, const char *platform, int order, int64_t window,
                            int start) {
    struct platform *p = bed_platform(platform);
    *b = (struct bed){
        .platform = p,
        .topology = topo_build(p),
        .how = {.name = "bed", .order = order, .window = window, .start = start},
    };
    b->call = (struct call){
        .platform = p, .topology = b->topology, .implementation = &b->how, .row_bytes = 1};
}

static inline void bed_close(struct bed *b) {
    call_clear(&b->call);
    topo_free(b->topology);
    plat_free(b->platform);
}

/* Adds a stage that sends bytes[src * ranks + dst]. */
static inline struct stage *bed_stage(struct bed *b, const char *name, const double *bytes) {
    int ranks = b->topology->ranks;
    struct stage *s = call_add_stage(&b->call, name);
    s->world = ranks;
    s->span = TIER_SLOW;
    matrix_init(&s->bytes, ranks, (size_t)ranks * (size_t)ranks, false);
    size_t n = 0;
    for (int src = 0; src < ranks; src++) {
        s->bytes.start[src] = n;
        for (int dst = 0; dst < ranks; dst++) {
            s->bytes.dst[n] = dst;
            s->bytes.value[n++] = bytes[src * ranks + dst];
        }
    }
    s->bytes.start[ranks] = n;
    return s;
}

/* Adds a stage where each rank sends the same to every rank, itself included. */
static inline struct stage *bed_uniform(struct bed *b, const char *name, double bytes) {
    size_t n = (size_t)b->topology->ranks * (size_t)b->topology->ranks;
    double *dense = calloc(n, sizeof *dense);
    for (size_t i = 0; i < n; i++)
        dense[i] = bytes;
    struct stage *s = bed_stage(b, name, dense);
    free(dense);
    return s;
}

/* Simulates one case with one engine, `fluid` with its rates checked; outcome_clear() releases. */
static inline struct outcome bed_run_with(const struct bed *b, const struct costs *costs, enum sim_engine engine) {
    struct outcome o = {0};
    struct err e;
    const struct sim_options options = {.engine = engine, .checked = engine == SIM_ENGINE_FLUID};
    assert_ok(sim_run(&b->call, costs, 1, &options, &o, &e), &e);
    if (engine != SIM_ENGINE_AUTO)
        assert_string_equal(o.engine, sim_engine_name(engine));
    return o;
}

/* Simulates one case with both engines, which must agree: on when each rank is done, what each link carried, and what
 * was last. Returns SimGrid's outcome; outcome_clear() releases. */
static inline struct outcome bed_run(const struct bed *b, const struct costs *costs) {
    struct outcome o = bed_run_with(b, costs, SIM_ENGINE_SIMGRID), other = bed_run_with(b, costs, SIM_ENGINE_FLUID);
    assert_rel(other.time_s, o.time_s, 1e-9);
    for (int rank = 0; rank < b->topology->ranks; rank++) {
        assert_rel(other.send_end_s[rank], o.send_end_s[rank], 1e-9);
        assert_rel(other.recv_end_s[rank], o.recv_end_s[rank], 1e-9);
    }
    for (int l = 0; l < b->topology->n_links; l++)
        assert_near(other.link_bytes[l], o.link_bytes[l], 1e-9 * fmax(o.link_bytes[l], 1));
    assert_int_equal(other.flows, o.flows);
    assert_string_equal(other.critical_path, o.critical_path);
    outcome_clear(&other);
    return o;
}

/* Largest work of a link over all stages, seconds. */
static inline double bed_bound_s(const struct bed *b) {
    size_t n = (size_t)b->topology->n_links;
    double *busy_s = calloc(n, sizeof *busy_s), most_s = 0;
    for (int stage = 0; stage < b->call.n_stages; stage++)
        call_link_load(&b->call, stage, NULL, busy_s);
    for (size_t l = 0; l < n; l++)
        most_s = fmax(most_s, busy_s[l]);
    free(busy_s);
    return most_s;
}

#endif
