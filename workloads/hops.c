/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/hops.h"

#include <stdlib.h>

#include "platforms/base/mem.h"

/* Builds a matrix row by row from dense sums. */
struct builder {
    struct matrix m;
    size_t room;
    double *sums; /* of the row under way */
};

static void builder_init(struct builder *b, int ranks, bool whole) {
    *b = (struct builder){.sums = mem_alloc((size_t)ranks, sizeof *b->sums)};
    matrix_init(&b->m, ranks, 0, whole);
}

/* Appends the sums as row src and empties them. */
static void builder_row(struct builder *b, int src) {
    size_t n = b->m.start[src];
    for (int dst = 0; dst < b->m.ranks; dst++) {
        if (b->sums[dst] == 0)
            continue;
        if (n == b->room) {
            b->room = b->room ? 2 * b->room : 1024;
            b->m.dst = mem_resize(b->m.dst, b->room, sizeof *b->m.dst);
            b->m.value = mem_resize(b->m.value, b->room, sizeof *b->m.value);
        }
        b->m.dst[n] = dst;
        b->m.value[n++] = b->sums[dst];
        b->sums[dst] = 0;
    }
    b->m.start[src + 1] = n;
}

static void builder_finish(struct builder *b, struct matrix *into) {
    free(b->sums);
    *into = b->m;
}

static const struct matrix *direct(const struct traffic *t, enum dedup dedup) {
    return dedup == DEDUP_NONE ? &t->one_hop : &t->one_hop_rank;
}

void hops_direct(const struct traffic *t, enum dedup dedup, struct matrix *rows) {
    matrix_scale(direct(t, dedup), 1, rows);
}

void hops_forward(const struct traffic *t, enum dedup dedup, struct matrix *rows) {
    matrix_scale(dedup == DEDUP_NONE ? &t->hop_b : &t->hop_b_rank, 1, rows);
}

void hops_fold(const struct platform *p, const struct traffic *t, enum dedup dedup,
               struct matrix *rows) {
    if (dedup == DEDUP_GROUP) {
        matrix_scale(&t->hop_a, 1, rows);
        return;
    }
    const struct matrix *m = direct(t, dedup);
    struct builder b;
    builder_init(&b, m->ranks, m->whole);
    for (int src = 0; src < m->ranks; src++) {
        for (size_t i = m->start[src]; i < m->start[src + 1]; i++) {
            int first = m->dst[i] - plat_local_of(p, m->dst[i]);
            b.sums[first + plat_local_of(p, src)] += m->value[i];
        }
        builder_row(&b, src);
    }
    builder_finish(&b, rows);
}

/* The rank of group `in` that handles group `of`. */
static int handler(const struct platform *p, int in, int of) {
    return in * (int)p->ranks_per_group + of % (int)p->ranks_per_group;
}

/* Rows from each member of each group are added up at their handler: sums over members of m[(g, x)][..]. */
void hops_scatter(const struct platform *p, const struct traffic *t, enum dedup inside,
                  struct matrix *rows) {
    const struct matrix *m = direct(t, inside);
    struct builder b;
    builder_init(&b, m->ranks, m->whole);
    int local = (int)p->ranks_per_group, groups = (int)p->groups;
    for (int rank = 0; rank < m->ranks; rank++) {
        int own = plat_group_of(p, rank);
        for (int g = 0; g < groups; g++) {
            // rows for the own group come from the rank itself, those of others from all of their members
            if (g != own && handler(p, own, g) != rank)
                continue;
            int first = g == own ? rank : g * local, last = g == own ? rank : first + local - 1;
            for (int src = first; src <= last; src++)
                for (size_t i = m->start[src]; i < m->start[src + 1]; i++)
                    if (plat_group_of(p, m->dst[i]) == own)
                        b.sums[m->dst[i]] += m->value[i];
        }
        builder_row(&b, rank);
    }
    builder_finish(&b, rows);
}

void hops_gather(const struct platform *p, const struct traffic *t, enum dedup between,
                 enum dedup inside, struct matrix rows[static 3]) {
    struct matrix folded;
    hops_fold(p, t, between, &folded);
    int ranks = folded.ranks, groups = (int)p->groups;
    double *to_group = mem_alloc((size_t)groups * (size_t)groups, sizeof *to_group);
    struct builder gather, exchange;
    builder_init(&gather, ranks, folded.whole);
    builder_init(&exchange, ranks, folded.whole);
    for (int src = 0; src < ranks; src++) {
        int own = plat_group_of(p, src);
        for (size_t i = folded.start[src]; i < folded.start[src + 1]; i++) {
            int group = plat_group_of(p, folded.dst[i]);
            if (group == own)
                continue;
            gather.sums[handler(p, own, group)] += folded.value[i];
            to_group[own * groups + group] += folded.value[i];
        }
        builder_row(&gather, src);
    }
    for (int src = 0; src < ranks; src++) {
        int own = plat_group_of(p, src);
        for (int group = 0; group < groups; group++)
            if (group != own && handler(p, own, group) == src)
                exchange.sums[handler(p, group, own)] += to_group[own * groups + group];
        builder_row(&exchange, src);
    }
    builder_finish(&gather, &rows[0]);
    builder_finish(&exchange, &rows[1]);
    hops_scatter(p, t, inside, &rows[2]);
    matrix_clear(&folded);
    free(to_group);
}
