/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds the call of a job: the calls of its EP groups, each built as if alone, put onto the machine's ranks. */
#include <stdlib.h>

#include "platforms/base/mem.h"
#include "workloads/build.h"
#include "workloads/job_traffic.h"

/* Puts the pairs of an EP group's stage onto the machine's ranks. */
static void add_pairs(const struct call *all, const struct ep_group *g, const double *pairs, struct stage *stage) {
    if (!pairs)
        return;
    if (!stage->pairs)
        stage->pairs = mem_alloc((size_t)all->topology->ranks, sizeof *stage->pairs);
    for (int k = 0; k < all->traffic->job->ep; k++)
        stage->pairs[g->machine_rank[k]] = pairs[k];
}

/* Widens a stage to what reaches furthest: EP groups that lie differently on the machine share one fixed cost, the
 * dearest. */
static void widen(struct stage *stage, const struct stage *other) {
    stage->world = other->world > stage->world ? other->world : stage->world;
    stage->peers = other->peers > stage->peers ? other->peers : stage->peers;
    stage->span = other->span > stage->span ? other->span : stage->span;
    stage->inside = other->inside > stage->inside ? other->inside : stage->inside;
    stage->splits = stage->splits || other->splits;
}

/* Fills stage `number` of the whole from those of the EP groups that have one. */
static void unite_stage(const struct call *parts, int number, struct call *all) {
    const struct job *job = all->traffic->job;
    const struct matrix **bytes = mem_alloc((size_t)job->n_groups, sizeof(const struct matrix *));
    struct stage *stage = &all->stages[number];
    for (int g = 0; g < job->n_groups; g++) {
        if (number >= parts[g].n_stages)
            continue;
        bytes[g] = &parts[g].stages[number].bytes;
        widen(stage, &parts[g].stages[number]);
        add_pairs(all, &job->groups[g], parts[g].stages[number].pairs, stage);
    }
    job_embed(job, bytes, true, &stage->bytes);
    free(bytes);
}

void build_united(const struct call *parts, struct call *all) {
    const struct job *job = all->traffic->job;
    const struct call *longest = &parts[0];
    for (int g = 1; g < job->n_groups; g++)
        longest = parts[g].n_stages > longest->n_stages ? &parts[g] : longest;
    all->n_stages = longest->n_stages;
    all->n_launches = longest->n_launches;
    all->stages = mem_alloc((size_t)all->n_stages + 1, sizeof *all->stages);
    all->pipelined = longest->pipelined;
    all->one_hop_dedup = longest->one_hop_dedup;
    for (int g = 0; g < job->n_groups; g++)
        all->chunks = parts[g].chunks > all->chunks ? parts[g].chunks : all->chunks;
    for (int i = 0; i < all->n_stages; i++) {
        all->stages[i] = longest->stages[i];
        all->stages[i].pairs = NULL;
        unite_stage(parts, i, all);
    }
}
