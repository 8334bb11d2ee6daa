/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/placement/placement_build.h"

#include <stdlib.h>

#include "workloads/placement/balance.h"
#include "workloads/placement/placement_file.h"

/* Fills in the number of experts on every rank, by the policy for the remainder. */
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
