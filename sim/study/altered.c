/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/study/altered.h"

#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "workloads/build.h"

struct replaced {
    size_t at, seen;
    double value;
};

static void replace_at(const struct constant *c, void *context) {
    struct replaced *r = context;
    if (r->seen++ == r->at)
        c->q->value = r->value;
}

static bool is_same_link(const struct link *a, const struct link *b) {
    return strcmp(a->name, b->name) == 0 && a->failed == b->failed;
}

/* Returns whether two topologies have the same links in the same order. Links that cannot bind are left out of one, so
 * that another rate may add or take away some. */
static bool has_same_links(const struct topology *a, const struct topology *b) {
    for (int l = 0; a->n_links == b->n_links && l < a->n_links; l++)
        if (!is_same_link(&a->links[l], &b->links[l]))
            return false;
    return a->n_links == b->n_links;
}

static bool has_same_rates(const struct topology *a, const struct topology *b) {
    for (int l = 0; l < a->n_links; l++)
        if (a->links[l].capacity_Bps != b->links[l].capacity_Bps || a->links[l].latency_s != b->links[l].latency_s)
            return false;
    return true;
}

/* Builds the links of what was altered; none where they are those of the call. */
static enum rc build_links(const struct call *call, struct altered *a) {
    a->topology = topo_build(a->platform ? a->platform : call->platform);
    enum rc rc = implementation_apply(&a->how, a->topology, NULL);
    a->same_links = !rc && has_same_links(a->topology, call->topology);
    if (a->same_links && has_same_rates(a->topology, call->topology)) {
        topo_free(a->topology);
        a->topology = NULL;
    }
    return rc;
}

struct altered *altered_make(const struct call *call, const struct constant_place *place, double value) {
    struct altered *a = mem_alloc(1, sizeof *a);
    struct replaced r = {.at = place->at, .value = value};
    *a = (struct altered){.how = *call->implementation, .chain_factor = 1, .same_links = true};
    if (place->of == OF_PLATFORM) {
        a->platform = constants_copy(call->platform);
        constants_visit_used(a->platform, place->asks, place->n_asks, replace_at, &r);
        plat_settle(a->platform);
    } else if (place->of == OF_LIBRARY) {
        constants_visit_keys(implementation_keys, &a->how, replace_at, &r);
    } else {
        a->chain_factor = value / chain_constant((enum chain_preset)a->how.chain.preset)->s_per_pair;
    }
    if (!place->links || build_links(call, a) == RC_OK)
        return a;
    altered_free(a);
    return NULL;
}

void altered_free(struct altered *a) {
    if (!a)
        return;
    topo_free(a->topology);
    constants_copy_free(a->platform);
    free(a);
}

void altered_call(const struct altered *a, const struct call *call, struct stage *stages, struct call *other) {
    *other = *call;
    other->platform = a->platform ? a->platform : call->platform;
    other->implementation = &a->how;
    other->topology = a->topology ? a->topology : call->topology;
    other->stages = stages;
    memcpy(stages, call->stages, (size_t)call->n_stages * sizeof *stages);
    for (int i = 0; i < call->n_stages && a->how.message == UNIT_CHUNK; i++)
        stages[i].unit_bytes = a->how.chunk_bytes.value;
    other->chunks = build_chunks(other);
}
