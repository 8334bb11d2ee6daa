/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/rows.h"

#include <stdlib.h>
#include <string.h>

void rows_init(struct rows *r, const struct platform *p, const struct placement *placement,
               struct traffic *t) {
    size_t ranks = (size_t)placement->ranks, groups = (size_t)p->groups;
    *r = (struct rows){
        .placement = placement,
        .traffic = t,
        .ranks = placement->ranks,
        .groups = (int)p->groups,
        .local = (int)p->ranks_per_group,
        .group_of = mem_alloc(ranks, sizeof *r->group_of),
        .chosen = mem_alloc((size_t)placement->experts, sizeof *r->chosen),
        .rank_rows = mem_alloc(ranks, sizeof *r->rank_rows),
        .rank_tokens = mem_alloc(ranks, sizeof *r->rank_tokens),
        .group_tokens = mem_alloc(groups, sizeof *r->group_tokens),
        .rank_seen = mem_alloc(ranks, sizeof *r->rank_seen),
        .group_seen = mem_alloc(groups, sizeof *r->group_seen),
        .sent = {mem_alloc(ranks, sizeof(double)), mem_alloc(ranks, sizeof(double)),
                 mem_alloc(groups, sizeof(double))},
    };
    for (int i = 0; i < r->ranks; i++)
        r->group_of[i] = plat_group_of(p, i);
}

void rows_clear(struct rows *r) {
    free(r->group_of);
    free(r->chosen);
    free(r->rank_rows);
    free(r->rank_tokens);
    free(r->group_tokens);
    free(r->rank_seen);
    free(r->group_seen);
    free(r->sent.rank_rows);
    free(r->sent.rank_tokens);
    free(r->sent.group_tokens);
}

void rows_source(struct rows *r, int source) {
    r->source = source;
    memset(r->chosen, 0, (size_t)r->placement->experts * sizeof *r->chosen);
    memset(r->rank_rows, 0, (size_t)r->ranks * sizeof *r->rank_rows);
    memset(r->rank_tokens, 0, (size_t)r->ranks * sizeof *r->rank_tokens);
    memset(r->group_tokens, 0, (size_t)r->groups * sizeof *r->group_tokens);
}

static void add_row(struct rows *r, int expert) {
    const struct placement *p = r->placement;
    int first = p->home_start[expert], replicas = p->home_start[expert + 1] - first;
    int64_t turn = replicas == 1 ? 0 : (r->chosen[expert] + r->source) % replicas;
    int rank = p->home[first + turn], group = r->group_of[rank];
    r->chosen[expert]++;
    r->rank_rows[rank]++;
    if (r->rank_seen[rank] != r->token) {
        r->rank_seen[rank] = r->token;
        r->rank_tokens[rank]++;
    }
    if (r->group_seen[group] != r->token) {
        r->group_seen[group] = r->token;
        r->group_tokens[group]++;
    }
}

void rows_token(struct rows *r, const int *experts, int n) {
    r->token++;
    for (int i = 0; i < n; i++)
        if (r->capacity && r->chosen[experts[i]] >= r->capacity)
            r->over_capacity++;
        else
            add_row(r, experts[i]);
}

static void fill_up(struct rows *r) {
    for (int i = 0; i < r->placement->experts; i++)
        while (r->chosen[i] < r->capacity) {
            r->token++;
            r->padding++;
            add_row(r, i);
        }
}

void rows_source_end(struct rows *r) {
    if (r->capacity && r->pad)
        fill_up(r);
    for (int i = 0; i < r->placement->experts; i++)
        r->traffic->expert_load[i] += (double)r->chosen[i];
    for (int dst = 0; dst < r->ranks; dst++) {
        r->sent.rank_rows[dst] = (double)r->rank_rows[dst];
        r->sent.rank_tokens[dst] = (double)r->rank_tokens[dst];
    }
    for (int g = 0; g < r->groups; g++)
        r->sent.group_tokens[g] = (double)r->group_tokens[g];
    rows_append(r, r->source);
}

static void add_entry(struct matrix *m, size_t *room, int src, int dst, double value) {
    size_t n = m->start[src + 1];
    if (value == 0)
        return;
    if (n == *room) {
        *room = *room ? 2 * *room : 1024;
        m->dst = mem_resize(m->dst, *room, sizeof *m->dst);
        m->value = mem_resize(m->value, *room, sizeof *m->value);
    }
    m->dst[n] = dst;
    m->value[n] = value;
    m->start[src + 1] = n + 1;
}

/* One row of one_hop [M1], one_hop_rank [M5] and hop_a [M2]. */
void rows_append(struct rows *r, int src) {
    struct traffic *t = r->traffic;
    int index = src % r->local;
    t->one_hop.start[src + 1] = t->one_hop.start[src];
    t->one_hop_rank.start[src + 1] = t->one_hop_rank.start[src];
    t->hop_a.start[src + 1] = t->hop_a.start[src];
    for (int dst = 0; dst < r->ranks; dst++) {
        add_entry(&t->one_hop, &r->room_one_hop, src, dst, r->sent.rank_rows[dst]);
        add_entry(&t->one_hop_rank, &r->room_per_rank, src, dst, r->sent.rank_tokens[dst]);
    }
    for (int g = 0; g < r->groups; g++)
        add_entry(&t->hop_a, &r->room_hop_a, src, g * r->local + index, r->sent.group_tokens[g]);
}

/* First entry of a row whose receiver is not below dst. */
static size_t lower_bound(const struct matrix *m, int src, int dst) {
    size_t low = m->start[src], high = m->start[src + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->dst[middle] < dst)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void rows_hop_b(const struct platform *p, const struct matrix *direct, struct matrix *hop_b) {
    int local = (int)p->ranks_per_group;
    double *rows = mem_alloc((size_t)local, sizeof *rows);
    size_t room = 0;
    matrix_init(hop_b, direct->ranks, 0, direct->whole);
    for (int src = 0; src < direct->ranks; src++) {
        int first = src - plat_local_of(p, src);
        memset(rows, 0, (size_t)local * sizeof *rows);
        for (int from = src - first; from < direct->ranks; from += local) {
            size_t end = direct->start[from + 1];
            for (size_t i = lower_bound(direct, from, first);
                 i < end && direct->dst[i] < first + local; i++)
                rows[direct->dst[i] - first] += direct->value[i];
        }
        hop_b->start[src + 1] = hop_b->start[src];
        for (int x = 0; x < local; x++)
            add_entry(hop_b, &room, src, first + x, rows[x]);
    }
    free(rows);
}
