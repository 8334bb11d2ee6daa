/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/bench.h"

#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "workloads/strategy.h"

enum { SETTINGS = 16 };

/* Splits "key=value key=value"; texts live in the arena. */
static size_t split(struct arena *arena, const char *text, struct setting settings[static SETTINGS]) {
    size_t n = 0;
    if (!text)
        return 0;
    char *copy = arena_copy(arena, text), *rest = copy;
    for (char *word; (word = strtok_r(rest, " ", &rest));) {
        char *equals = strchr(word, '=');
        BUG_ON(!equals || n == SETTINGS);
        *equals = '\0';
        settings[n++] = (struct setting){word, equals + 1};
    }
    return n;
}

/* Slows links beside those that the platform slows itself. */
static void degrade(const struct plat_degraded *slowed, size_t n, struct platform *p) {
    if (!n)
        return;
    struct plat_degraded *all = arena_alloc(&p->doc->arena, p->degraded.n + n, sizeof *all);
    if (p->degraded.n)
        memcpy(all, p->degraded.items, p->degraded.n * sizeof *all);
    for (size_t i = 0; i < n; i++) {
        all[p->degraded.n] = slowed[i];
        all[p->degraded.n++].link = arena_copy(&p->doc->arena, slowed[i].link);
    }
    p->degraded.items = all;
}

static enum rc load_rest(const struct bench_ask *ask, struct arena *arena, struct bench *b, struct err *e) {
    struct setting s[SETTINGS];
    b->topology = topo_build(b->platform);
    size_t n = split(arena, ask->workload_set, s);
    enum rc rc = workload_load(ask->workload, s, n, &b->workload, e);
    n = split(arena, ask->implementation_set, s);
    if (!rc)
        rc = implementation_load(ask->implementation ? ask->implementation : b->platform->implementation,
                                 s, n, &b->implementation, e);
    if (!rc)
        rc = implementation_apply(b->implementation, b->topology, e);
    if (!rc)
        rc = traffic_build(b->platform, b->workload, ask->seed, &b->traffic, e);
    return rc;
}

enum rc bench_open(const struct bench_ask *ask, struct bench *b, struct err *e) {
    return bench_open_slowed(ask, NULL, 0, b, e);
}

enum rc bench_open_slowed(const struct bench_ask *ask, const struct plat_degraded *slowed, size_t n, struct bench *b,
                          struct err *e) {
    struct arena arena = {0};
    struct setting s[SETTINGS];
    *b = (struct bench){0};
    enum rc rc = plat_load(ask->platform, s, split(&arena, ask->platform_set, s), &b->platform, e);
    if (!rc) {
        degrade(slowed, n, b->platform);
        rc = load_rest(ask, &arena, b, e);
    }
    arena_clear(&arena);
    if (rc)
        bench_close(b);
    else
        call_build(b->topology, b->workload, b->implementation, b->traffic, ask->strategy,
                   PHASE_DISPATCH, &b->call);
    return rc;
}

void bench_close(struct bench *b) {
    call_clear(&b->call);
    traffic_free(b->traffic);
    topo_free(b->topology);
    plat_free(b->platform);
    workload_free(b->workload);
    implementation_free(b->implementation);
    *b = (struct bench){0};
}

void bench_all_to_all(struct bench *b, double total_bytes) {
    int ranks = b->topology->ranks;
    size_t pairs = (size_t)ranks * (size_t)ranks;
    double *dense = mem_alloc(pairs, sizeof *dense);
    for (size_t i = 0; i < pairs; i++)
        dense[i] = total_bytes / ranks;
    matrix_clear(&b->call.stages[0].bytes);
    matrix_from_dense(dense, ranks, false, &b->call.stages[0].bytes);
    free(dense);
}
