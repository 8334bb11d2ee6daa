/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/rows.h"

#include <stdlib.h>
#include <string.h>

void sent_init(struct sent *s, const struct platform *p) {
    size_t ranks = (size_t)plat_ranks(p);
    *s = (struct sent){.rank_rows = mem_alloc(ranks, sizeof(double)), .rank_tokens = mem_alloc(ranks, sizeof(double))};
    for (int cut = 0; cut < p->n_tiers - 1; cut++)
        s->group_tokens[cut] = mem_alloc((size_t)p->domains[cut].n, sizeof(double));
}

void sent_scale(const struct sent *from, const struct platform *p, double factor, struct sent *into) {
    for (int i = 0; i < plat_ranks(p); i++) {
        into->rank_rows[i] = from->rank_rows[i] * factor;
        into->rank_tokens[i] = from->rank_tokens[i] * factor;
    }
    for (int cut = 0; cut < p->n_tiers - 1; cut++)
        for (int g = 0; g < p->domains[cut].n; g++)
            into->group_tokens[cut][g] = from->group_tokens[cut][g] * factor;
}

void sent_clear(struct sent *s) {
    free(s->rank_rows);
    free(s->rank_tokens);
    for (int cut = 0; cut < TIER_MAX; cut++)
        free(s->group_tokens[cut]);
    *s = (struct sent){0};
}

void rows_init(struct rows *r, const struct platform *p, const struct placement *placement,
               struct traffic *t) {
    size_t ranks = (size_t)placement->ranks;
    *r = (struct rows){
        .platform = p,
        .placement = placement,
        .traffic = t,
        .ranks = placement->ranks,
        .chosen = mem_alloc((size_t)placement->experts, sizeof *r->chosen),
        .rank_rows = mem_alloc(ranks, sizeof *r->rank_rows),
        .rank_tokens = mem_alloc(ranks, sizeof *r->rank_tokens),
        .rank_seen = mem_alloc(ranks, sizeof *r->rank_seen),
    };
    for (int cut = 0; cut < p->n_tiers - 1; cut++) {
        r->group_tokens[cut] = mem_alloc((size_t)p->domains[cut].n, sizeof **r->group_tokens);
        r->group_seen[cut] = mem_alloc((size_t)p->domains[cut].n, sizeof **r->group_seen);
    }
    sent_init(&r->sent, p);
}

void rows_clear(struct rows *r) {
    free(r->chosen);
    free(r->rank_rows);
    free(r->rank_tokens);
    free(r->rank_seen);
    for (int cut = 0; cut < TIER_MAX; cut++) {
        free(r->group_tokens[cut]);
        free(r->group_seen[cut]);
    }
    sent_clear(&r->sent);
}

void rows_source(struct rows *r, int source) {
    r->source = source;
    replicas_source(r->replicas, source);
    memset(r->chosen, 0, (size_t)r->placement->experts * sizeof *r->chosen);
    memset(r->rank_rows, 0, (size_t)r->ranks * sizeof *r->rank_rows);
    memset(r->rank_tokens, 0, (size_t)r->ranks * sizeof *r->rank_tokens);
    for (int cut = 0; cut < r->platform->n_tiers - 1; cut++)
        memset(r->group_tokens[cut], 0, (size_t)r->platform->domains[cut].n * sizeof **r->group_tokens);
}

static void add_row_at(struct rows *r, int rank) {
    r->rank_rows[rank]++;
    if (r->rank_seen[rank] != r->token) {
        r->rank_seen[rank] = r->token;
        r->rank_tokens[rank]++;
    }
    for (int cut = 0; cut < r->platform->n_tiers - 1; cut++) {
        int group = r->platform->domains[cut].of_rank[rank];
        if (r->group_seen[cut][group] != r->token) {
            r->group_seen[cut][group] = r->token;
            r->group_tokens[cut][group]++;
        }
    }
}

static void add_row(struct rows *r, int expert) {
    add_row_at(r, replicas_take(r->replicas, expert, r->chosen[expert]));
    r->chosen[expert]++;
}

void rows_token(struct rows *r, const int *experts, int n) {
    r->token++;
    for (int i = 0; i < n; i++)
        if (r->capacity && r->chosen[experts[i]] >= r->capacity)
            r->over_capacity++;
        else
            add_row(r, experts[i]);
    if (r->shared->kind != SHARED_NOT_SENT)
        add_row_at(r, shared_take(r->shared, r->source));
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
    for (int cut = 0; cut < r->platform->n_tiers - 1; cut++)
        for (int g = 0; g < r->platform->domains[cut].n; g++)
            r->sent.group_tokens[cut][g] = (double)r->group_tokens[cut][g];
    rows_append(r, r->source);
}

/* Appends one row each of the matrices one_hop [M1], one_hop_rank [M5] and hop_a [M2]. */
void rows_append(struct rows *r, int src) {
    struct traffic *t = r->traffic;
    t->one_hop.start[src + 1] = t->one_hop.start[src];
    t->one_hop_rank.start[src + 1] = t->one_hop_rank.start[src];
    for (int dst = 0; dst < r->ranks; dst++) {
        matrix_append(&t->one_hop, &r->room_one_hop, src, dst, r->sent.rank_rows[dst]);
        matrix_append(&t->one_hop_rank, &r->room_per_rank, src, dst, r->sent.rank_tokens[dst]);
    }
    for (int cut = 0; cut < r->platform->n_tiers - 1; cut++) {
        t->hop_a[cut].start[src + 1] = t->hop_a[cut].start[src];
        for (int g = 0; g < r->platform->domains[cut].n; g++)
            matrix_append(&t->hop_a[cut], &r->room_hop_a[cut], src, plat_peer(r->platform, (enum tier)cut, g, src),
                      r->sent.group_tokens[cut][g]);
    }
}

/* Adds up, for each rank, what the ranks of all domains whose peer it is send into its domain. */
void rows_relay(const struct platform *p, enum tier cut, const struct matrix *direct, struct matrix *relayed) {
    const struct plat_domains *d = &p->domains[cut];
    double *rows = mem_alloc((size_t)plat_span(p, cut), sizeof *rows);
    size_t room = 0;
    matrix_init(relayed, direct->ranks, 0, direct->whole);
    for (int src = 0; src < direct->ranks; src++) {
        int own = d->of_rank[src], first = d->first[own], size = d->first[own + 1] - first;
        memset(rows, 0, (size_t)size * sizeof *rows);
        for (int g = 0; g < d->n; g++)
            for (int from = d->first[g] + src - first; from < d->first[g + 1]; from += size) {
                size_t end = direct->start[from + 1];
                for (size_t i = matrix_find(direct, from, first); i < end && direct->dst[i] < first + size; i++)
                    rows[direct->dst[i] - first] += direct->value[i];
            }
        relayed->start[src + 1] = relayed->start[src];
        for (int x = 0; x < size; x++)
            matrix_append(relayed, &room, src, first + x, rows[x]);
    }
    free(rows);
}
