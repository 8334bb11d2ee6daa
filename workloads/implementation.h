/* SPDX-License-Identifier: BSD-3-Clause */
/* implementation.h - how a library runs a call: what belongs to the software, not to the machine.
 *
 * Units: SI. Errors: RC_IO, RC_SYNTAX, RC_SCHEMA, RC_UNIT, RC_RANGE.
 * Ownership: implementation_load() returns what implementation_free() releases. */
#ifndef WORKLOADS_IMPLEMENTATION_H
#define WORKLOADS_IMPLEMENTATION_H

#include "platforms/platform.h"

#define IMPLEMENTATION_SCHEMA "moesim/implementation/1"

enum order { ORDER_GROUP_SHIFT, ORDER_SHIFT };
enum start { START_RENDEZVOUS, START_ONE_SIDED };
enum chain_preset { CHAIN_NONE, CHAIN_V1, CHAIN_MEASURED, CHAIN_FUSED, CHAIN_PRESETS };

struct chain_keys {
    int preset;              /* enum chain_preset */
    struct quantity floor_s; /* smallest time of one chain; not given: none */
};

struct implementation {
    const char *schema;
    const char *name;
    const char *description;
    int order;               /* enum order */
    int64_t window;          /* messages in flight per sender; 0 = all */
    int start;               /* enum start */
    struct chain_keys chain;

    char sha256[HASH_TEXT];
    struct yaml_doc *doc;
};

extern const struct key implementation_keys[];

enum rc implementation_load(const char *name_or_path, const struct setting *settings, size_t n_settings,
                            struct implementation **implementation, struct err *e);
void implementation_free(struct implementation *m); /* NULL is allowed */

const char *order_name(int order);
/* Finds an order by name, or -1. */
int order_find(const char *name);
const char *start_name(int start);

/* A chain preset: seconds per (row, slot) pair at the forwarder. FORMULAS.md [F6] */
struct chain_constant {
    const char *name;
    double s_per_pair;
    enum status status;
    const char *source;
};
const struct chain_constant *chain_constant(enum chain_preset preset);

#endif
