/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/placement/placement.h"

#include <stdlib.h>
#include <string.h>

#include "workloads/placement/balance.h"
#include "workloads/placement/placement_file.h"

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

/* Two replicas on one rank give no balance: the placement is used, and the pair is named. */
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

/* Number of experts on every rank, by the policy. */
static enum rc sizes(const struct placement_ask *ask, int *size, struct err *e) {
    int each = ask->experts / ask->ranks, more = ask->experts % ask->ranks;
    int next = ask->experts + (more ? ask->ranks - more : 0);
    if (more && ask->remainder == REMAINDER_REFUSE)
        return err_set(e, RC_SHAPE,
                       "%d experts cannot be placed evenly on %d ranks; replicas fill them: --set "
                       "workload.placement=eplb --set workload.placement_slots=%d, or say where the rest goes: --set "
                       "workload.placement_remainder=first, last or pad",
                       ask->experts, ask->ranks, next);
    int left = ask->experts;
    for (int r = 0; r < ask->ranks; r++) {
        int want = ask->remainder == REMAINDER_PAD ? each + (more > 0) : each;
        if (ask->remainder == REMAINDER_FIRST && r < more)
            want++;
        if (ask->remainder == REMAINDER_LAST && r == ask->ranks - 1)
            want += more;
        size[r] = want < left ? want : left;
        left -= size[r];
    }
    return RC_OK;
}

static void deal_out(const struct placement_ask *ask, const int *start, int *slot) {
    int *next = mem_alloc((size_t)ask->ranks, sizeof *next);
    if (ask->kind == PLACEMENT_LPT) {
        int *bin = mem_alloc((size_t)ask->experts, sizeof *bin);
        int *place = mem_alloc((size_t)ask->experts, sizeof *place);
        balance_pack(ask->load, ask->experts, ask->ranks, bin, place);
        for (int i = 0; i < ask->experts; i++)
            slot[start[bin[i]] + place[i]] = i;
        free(bin);
        free(place);
    } else if (ask->kind == PLACEMENT_ROUND_ROBIN) {
        for (int i = 0, r = 0; i < ask->experts; r = (r + 1) % ask->ranks)
            if (next[r] < start[r + 1] - start[r])
                slot[start[r] + next[r]++] = i++;
    } else {
        for (int i = 0; i < ask->experts; i++)
            slot[i] = i;
    }
    free(next);
}

static enum rc build_plain(const struct placement_ask *ask, struct placement **p, struct err *e) {
    int *start = mem_alloc((size_t)ask->ranks + 1, sizeof *start);
    int *slot = mem_alloc((size_t)ask->experts, sizeof *slot);
    enum rc rc = sizes(ask, start + 1, e);
    for (int r = 0; r < ask->ranks && !rc; r++)
        start[r + 1] += start[r];
    if (!rc && ask->kind == PLACEMENT_LPT && ask->experts % ask->ranks != 0)
        rc = err_set(e, RC_SHAPE, "placement lpt: %d experts do not divide by %d ranks; use eplb",
                     ask->experts, ask->ranks);
    if (!rc) {
        deal_out(ask, start, slot);
        rc = placement_of_slots(ask, start, slot, "placement", p, e);
    }
    if (!rc && ask->experts % ask->ranks != 0)
        buf_printf(&(*p)->notes, "placement: %d experts on %d ranks, %s\n", ask->experts,
                   ask->ranks,
                   ask->remainder == REMAINDER_FIRST  ? "the first ones hold one more"
                   : ask->remainder == REMAINDER_LAST ? "the last one holds the rest too"
                                                      : "rounded up, the last ranks hold fewer");
    free(start);
    free(slot);
    return rc;
}

static enum rc build_eplb(const struct placement_ask *ask, struct placement **p, struct err *e) {
    int slots = ask->slots ? ask->slots : (ask->experts + ask->ranks - 1) / ask->ranks * ask->ranks;
    int groups = ask->routing_groups ? ask->routing_groups : ask->groups;
    bool fits = ask->groups > 0 && groups % ask->groups == 0 && ask->experts % groups == 0;
    if (slots < ask->experts || slots % ask->ranks != 0)
        return err_set(
            e, RC_SHAPE,
            "placement eplb: %d slots, expected a multiple of %d ranks that is at least %d "
            "(experts)",
            slots, ask->ranks, ask->experts);
    if (ask->packing == PACKING_HIERARCHICAL && ask->groups == 0)
        return err_set(e, RC_SHAPE,
                       "placement eplb, hierarchical: needs groups of ranks of one size; use --set "
                       "workload.placement_packing=global");
    if (ask->packing == PACKING_HIERARCHICAL && !fits)
        return err_set(
            e, RC_SHAPE,
            "placement eplb, hierarchical: %d experts in %d groups on %d groups of ranks do "
            "not divide; use --set workload.placement_packing=global",
            ask->experts, groups, ask->groups);
    bool global = ask->packing == PACKING_GLOBAL || !fits;
    struct balance_ask balance = {.load = ask->load,
                                  .experts = ask->experts,
                                  .slots = slots,
                                  .groups = global ? 1 : groups,
                                  .nodes = global ? 1 : ask->groups,
                                  .ranks = ask->ranks};
    int *start = mem_alloc((size_t)ask->ranks + 1, sizeof *start);
    int *slot = mem_alloc((size_t)slots, sizeof *slot);
    for (int r = 0; r <= ask->ranks; r++)
        start[r] = r * (slots / ask->ranks);
    balance_replicate(&balance, slot);
    enum rc rc = placement_of_slots(ask, start, slot, "placement eplb", p, e);
    if (!rc)
        buf_printf(&(*p)->notes, "placement: eplb, %s packing, %d slots\n",
                   global ? "global" : "hierarchical", slots);
    free(start);
    free(slot);
    return rc;
}

enum rc placement_build(const struct placement_ask *ask, struct placement **placement,
                        struct err *e) {
    if (ask->kind == PLACEMENT_FILE)
        return placement_file_load(ask, placement, e);
    struct placement_ask own = *ask;
    double *same = NULL;
    if (!ask->load) {
        same = mem_alloc((size_t)ask->experts, sizeof *same);
        for (int i = 0; i < ask->experts; i++)
            same[i] = 1;
        own.load = same;
    }
    enum rc rc = ask->kind == PLACEMENT_EPLB ? build_eplb(&own, placement, e)
                                             : build_plain(&own, placement, e);
    free(same);
    return rc;
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
