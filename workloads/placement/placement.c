/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/placement/placement.h"

#include <stdlib.h>
#include <string.h>

int placement_block(int experts, int ranks, int expert) {
    int each = experts / ranks, more = experts % ranks; // the first `more` ranks hold each + 1
    int boundary = more * (each + 1);
    return expert < boundary ? expert / (each + 1) : more + (expert - boundary) / each;
}

static void index_homes(struct placement *p) {
    p->home_start = mem_alloc((size_t)p->experts + 1, sizeof *p->home_start);
    p->home = mem_alloc((size_t)p->slots, sizeof *p->home);
    for (int s = 0; s < p->slots; s++)
        p->home_start[p->slot_expert[s] + 1]++;
    for (int i = 0; i < p->experts; i++)
        p->home_start[i + 1] += p->home_start[i];
    int *next = mem_alloc((size_t)p->experts, sizeof *next);
    for (int r = 0; r < p->ranks; r++)
        for (int s = p->slot_start[r]; s < p->slot_start[r + 1]; s++) {
            int i = p->slot_expert[s];
            p->home[p->home_start[i] + next[i]++] = r;
        }
    free(next);
}

/* Appends a note with the replicas of one expert that share a rank: they give no balance, but the placement is used. */
static void note_pairs(struct placement *p) {
    enum { NAMED = 4 };
    int pairs = 0;
    struct buf list = {0};
    for (int i = 0; i < p->experts; i++)
        for (int h = p->home_start[i] + 1; h < p->home_start[i + 1]; h++)
            if (p->home[h] == p->home[h - 1] && ++pairs <= NAMED)
                buf_printf(&list, "%sexpert %d on rank %d", pairs > 1 ? ", " : "", i, p->home[h]);
    if (pairs)
        buf_printf(&p->notes,
                   "placement: %d replicas share a rank with another of the same expert: %s%s\n",
                   pairs, list.text, pairs > NAMED ? ", .." : "");
    buf_clear(&list);
}

static enum rc check_slots(const struct placement_ask *ask, const int *slot_expert, int slots,
                           const char *name, struct err *e) {
    bool *has = mem_alloc((size_t)ask->experts, sizeof *has);
    enum rc rc = RC_OK;
    for (int s = 0; s < slots && !rc; s++)
        if (slot_expert[s] < 0 || slot_expert[s] >= ask->experts)
            rc = err_set(e, RC_RANGE, "%s: slot %d holds expert %d, but there are %d experts", name,
                         s, slot_expert[s], ask->experts);
        else
            has[slot_expert[s]] = true;
    for (int i = 0; i < ask->experts && !rc; i++)
        if (!has[i])
            rc = err_set(e, RC_SHAPE, "%s: expert %d of %d has no rank", name, i, ask->experts);
    free(has);
    return rc;
}

enum rc placement_of_slots(const struct placement_ask *ask, const int *slot_start,
                           const int *slot_expert, const char *name, struct placement **placement,
                           struct err *e) {
    int slots = slot_start[ask->ranks];
    enum rc rc = check_slots(ask, slot_expert, slots, name, e);
    if (rc)
        return rc;
    struct placement *p = mem_alloc(1, sizeof *p);
    *p = (struct placement){.ranks = ask->ranks, .experts = ask->experts, .slots = slots};
    p->slot_start = mem_alloc((size_t)ask->ranks + 1, sizeof *p->slot_start);
    p->slot_expert = mem_alloc((size_t)slots, sizeof *p->slot_expert);
    memcpy(p->slot_start, slot_start, ((size_t)ask->ranks + 1) * sizeof *slot_start);
    memcpy(p->slot_expert, slot_expert, (size_t)slots * sizeof *slot_expert);
    index_homes(p);
    p->blocks = slots == ask->experts;
    for (int s = 0; s < slots && p->blocks; s++)
        p->blocks = slot_expert[s] == s;
    note_pairs(p);
    if (slots > ask->experts)
        buf_printf(&p->notes, "placement: %d replicas beyond one of each expert\n", slots - ask->experts);
    *placement = p;
    return RC_OK;
}

void placement_free(struct placement *p) {
    if (!p)
        return;
    free(p->slot_start);
    free(p->slot_expert);
    free(p->home_start);
    free(p->home);
    buf_clear(&p->notes);
    free(p);
}

int placement_replicas(const struct placement *p, int expert) {
    return p->home_start[expert + 1] - p->home_start[expert];
}

void placement_load(const struct placement *p, const double *expert_load, double *into) {
    memset(into, 0, (size_t)p->ranks * sizeof *into);
    for (int i = 0; i < p->experts; i++)
        for (int h = p->home_start[i]; h < p->home_start[i + 1]; h++)
            into[p->home[h]] += expert_load[i] / placement_replicas(p, i);
}
