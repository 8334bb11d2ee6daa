/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/job_traffic.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/stat.h"

/* Which member of which EP group a rank is; -1: none. */
struct seat {
    int group, member;
};

static struct seat *list_seats(const struct job *j, bool machine, int ranks) {
    struct seat *seats = mem_alloc((size_t)ranks, sizeof *seats);
    for (int i = 0; i < ranks; i++)
        seats[i] = (struct seat){-1, -1};
    for (int g = 0; g < j->n_groups; g++)
        for (int k = 0; k < j->ep; k++)
            seats[machine ? j->groups[g].machine_rank[k] : j->groups[g].job_rank[k]] = (struct seat){g, k};
    return seats;
}

void job_embed(const struct job *j, const struct matrix *const *parts, bool machine, struct matrix *into) {
    int ranks = machine ? j->machine_ranks : j->ranks;
    struct seat *seats = list_seats(j, machine, ranks);
    size_t entries = 0, n = 0;
    bool whole = true;
    for (int g = 0; g < j->n_groups; g++)
        if (parts[g]) {
            entries += parts[g]->start[parts[g]->ranks];
            whole = whole && parts[g]->whole;
        }
    matrix_init(into, ranks, entries, whole);
    for (int src = 0; src < ranks; src++) {
        const struct seat *seat = &seats[src];
        const struct matrix *m = seat->group >= 0 ? parts[seat->group] : NULL;
        for (size_t i = m ? m->start[seat->member] : 0; m && i < m->start[seat->member + 1]; i++) {
            const struct ep_group *g = &j->groups[seat->group];
            into->dst[n] = machine ? g->machine_rank[m->dst[i]] : g->job_rank[m->dst[i]];
            into->value[n++] = m->value[i];
        }
        into->start[src + 1] = n;
    }
    free(seats);
}

/* Unites one matrix of all parts, which stands at this offset in a traffic. */
static void unite_matrix(struct traffic *all, size_t offset) {
    const struct matrix **parts = mem_alloc((size_t)all->job->n_groups, sizeof(const struct matrix *));
    for (int g = 0; g < all->job->n_groups; g++)
        parts[g] = (const struct matrix *)(const void *)((const char *)all->parts[g] + offset);
    job_embed(all->job, parts, false, (struct matrix *)(void *)((char *)all + offset));
    free(parts);
}

/* Adds what the traffic of an EP group says of single ranks and experts to the union. */
static void unite_loads(struct traffic *all, int group) {
    const struct traffic *part = all->parts[group];
    const struct ep_group *g = &all->job->groups[group];
    for (int i = 0; i < all->experts; i++)
        all->expert_load[i] += part->expert_load[i];
    for (int k = 0; k < all->job->ep; k++) {
        all->rank_load[g->job_rank[k]] = part->rank_load[k];
        if (part->tokens)
            all->tokens[g->job_rank[k]] = part->tokens[k];
    }
    all->tokens_total += part->tokens_total;
    all->fan_out += part->fan_out * (double)part->tokens_total;
    all->over_capacity += part->over_capacity;
}

/* Copies what is the same for all EP groups from the first one. */
static void take_common(struct traffic *all) {
    const struct traffic *first = all->parts[0];
    all->ranks = all->job->ranks;
    all->experts = first->experts;
    all->unit = first->unit;
    all->layer = first->layer;
    all->batch = first->batch;
    all->max_over_mean = first->max_over_mean;
    all->dropped_rows = first->dropped_rows;
    all->suspected_rows = first->suspected_rows;
    all->rho_kept = first->rho_kept;
    memcpy(all->trace_sha256, first->trace_sha256, sizeof all->trace_sha256);
    job_note(all->job, &all->notes);
    if (all->job->n_groups > 1 && *first->trace_sha256)
        buf_text(&all->notes, "every EP group takes the record's layer and batch\n");
    if (first->notes.n)
        buf_add(&all->notes, first->notes.text, first->notes.n);
}

struct traffic *job_unite(struct traffic *all) {
    static const size_t offsets[] = {offsetof(struct traffic, one_hop), offsetof(struct traffic, one_hop_rank),
                                     offsetof(struct traffic, hop_b), offsetof(struct traffic, hop_b_rank)};
    take_common(all);
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
        unite_matrix(all, offsets[i]);
    for (size_t cut = 0; cut < TIER_MAX && all->parts[0]->hop_a[cut].start; cut++)
        unite_matrix(all, offsetof(struct traffic, hop_a) + cut * sizeof(struct matrix));
    all->expert_load = mem_alloc((size_t)all->experts, sizeof *all->expert_load);
    all->rank_load = mem_alloc((size_t)all->ranks, sizeof *all->rank_load);
    free(all->tokens); // the parts have theirs without those of ranks that do not send
    all->tokens = all->parts[0]->tokens ? mem_alloc((size_t)all->ranks, sizeof *all->tokens) : NULL;
    for (int g = 0; g < all->job->n_groups; g++)
        unite_loads(all, g);
    all->fan_out = all->tokens_total ? all->fan_out / (double)all->tokens_total : 0;
    return all;
}

enum rc job_check_record(const struct job *job, const struct workload *w, const struct record *record,
                         struct err *e) {
    if (!job || !record || record->kind == RECORD_COUNTS)
        return RC_OK;
    const char *what = record->kind == RECORD_ROUTES ? "a token-level record" : "a matrix";
    if (job->sends)
        return err_set(e, RC_SCHEMA, "%s: %s says what each rank sends, workload.senders does not go with it",
                       w->trace_path, what);
    if (job->expert_rank && record->kind == RECORD_MATRIX)
        return err_set(e, RC_SCHEMA, "%s: %s says where experts are, workload.expert_ranks does not go with it",
                       w->trace_path, what);
    return RC_OK;
}
