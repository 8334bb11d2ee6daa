/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/sample_set.h"

#include <stdlib.h>

#include "platforms/base/mem.h"

const char *const sampled_names[] = {"call-scan", "alltoall", "alltoallv", "ping-pong", "pairs",
                                     "messages",  "spread",   "incast",    "replay",    "two-hop",
                                     "splits",    "chain",    "dispatch",  "combine",   NULL};

const char *sampled_name(int quantity) {
    return sampled_names[quantity];
}

void samples_add(struct samples *s, const struct sample *row) {
    MEM_GROW(s->items, s->n, s->room);
    s->items[s->n++] = *row;
}

enum rc samples_check_shape(const struct samples *s, const char *name, struct err *e) {
    if (s->groups <= SAMPLES_RANKS && s->ranks_per_group <= SAMPLES_RANKS / s->groups)
        return RC_OK;
    return err_set(e, RC_RANGE, "%s: %lld groups of %lld ranks found, at most %d ranks in all", name,
                   (long long)s->groups, (long long)s->ranks_per_group, SAMPLES_RANKS);
}

void samples_free(struct samples *s) {
    if (!s)
        return;
    yaml_doc_free(s->doc);
    free(s->items);
    free(s);
}

enum rc samples_join(struct samples *s, struct samples *more, struct err *e) {
    if (s->groups != more->groups || s->ranks_per_group != more->ranks_per_group)
        return err_set(e, RC_SHAPE, "samples of %lld groups of %lld ranks and of %lld groups of %lld do not join",
                       (long long)s->groups, (long long)s->ranks_per_group, (long long)more->groups,
                       (long long)more->ranks_per_group);
    int64_t turn = s->n ? s->items[s->n - 1].turn + 1 : 0;
    for (size_t i = 0; i < more->n; i++) {
        struct sample row = more->items[i];
        row.part = arena_copy(&s->doc->arena, row.part);
        row.turn += turn;
        samples_add(s, &row);
    }
    samples_free(more);
    return RC_OK;
}
