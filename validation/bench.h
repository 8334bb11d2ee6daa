/* SPDX-License-Identifier: BSD-3-Clause */
/* bench.h - one call set up for a gate of the simulator.
 *
 * Units: SI. Errors: those of the readers.
 * Ownership: bench_close() releases; a bench must not move while its call is in use. */
#ifndef VALIDATION_BENCH_H
#define VALIDATION_BENCH_H

#include "workloads/call.h"

/* Names of files and overrides, "key=value key=value"; NULL: none. */
struct bench_ask {
    const char *platform, *platform_set;
    const char *workload, *workload_set;
    const char *implementation, *implementation_set; /* NULL: the platform's */
    enum strategy strategy;
    uint64_t seed;
};

struct bench {
    struct platform *platform;
    struct topology *topology;
    struct workload *workload;
    struct implementation *implementation;
    struct traffic *traffic;
    struct call call;
};

enum rc bench_open(const struct bench_ask *ask, struct bench *b, struct err *e);
/* Opens it with links slowed beside those that the platform slows itself; slowed[n] is copied. */
enum rc bench_open_slowed(const struct bench_ask *ask, const struct plat_degraded *slowed, size_t n, struct bench *b,
                          struct err *e);
void bench_close(struct bench *b);

/* Replaces the call's bytes: one exchange of all ranks, total_bytes in every send buffer, own part included. */
void bench_all_to_all(struct bench *b, double total_bytes);

#endif
