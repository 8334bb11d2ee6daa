/* SPDX-License-Identifier: BSD-3-Clause */
/* constants.h - every constant that the numbers of a platform rest on, visited in one order by one walk.
 *
 * The walk follows the key tables, so that a new key is visited without a line here. Constants that the file does not
 * state (defaults) are left out, and so is `ratio_probed`, which no number rests on.
 * Units: SI, as `kind` says.
 * Order: tiers from the inside, keys in the order of their table, then those at the top of the file, then alpha.
 * Errors: none.
 * Ownership: names live during the visit; constants belong to the platform. constants_copy() returns what
 * constants_copy_free() releases.
 * Edges: a platform without alpha has no constants of alpha; questions about a world below 2 use none. */
#ifndef PLATFORMS_CONSTANTS_H
#define PLATFORMS_CONSTANTS_H

#include "platforms/alpha.h"

struct constant {
    const char *name;   /* "slow.bandwidth", "rack.nic_bandwidth", "slow.shared.node.bandwidth",
                         * "slow.links.0-1.latency", "degraded.nic-out-3.factor", "alpha.LIBRARY.128" */
    enum key_kind kind; /* KEY_NUMBER, KEY_RATE, KEY_SIZE or KEY_TIME */
    struct quantity *q; /* may be changed in a copy, with plat_settle() afterwards */
    bool derived;       /* follows from other constants: slow.bandwidth where the file has `ratio` */
};

typedef void (*constants_f)(const struct constant *c, void *context);

/* Visits every constant of a platform: also every entry of every alpha table, "alpha.LIBRARY[.observed][.PHASE][.SPAN]
 * .WORLD", and of every treatment, "alpha_treatments.NAME[.SPAN].WORLD". */
void constants_visit(struct platform *p, constants_f f, void *context);

/* Visits every constant, but of alpha only the entries that answer one of n questions, each once. */
void constants_visit_used(struct platform *p, const struct alpha_ask *asks, size_t n, constants_f f, void *context);

/* Visits every constant of another struct that a key table describes, by its path, "efficiency.slow". */
void constants_visit_keys(const struct key *table, void *of, constants_f f, void *context);

/* Returns a platform whose constants may be changed without a change of the original, which has to outlive it. */
struct platform *constants_copy(const struct platform *p);
void constants_copy_free(struct platform *copy); /* NULL is allowed */

#endif
