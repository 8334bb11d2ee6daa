/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/hops.h"

#include <stdlib.h>

#include "platforms/base/mem.h"
#include "workloads/rows.h"

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
    b->m.start[src + 1] = b->m.start[src];
    for (int dst = 0; dst < b->m.ranks; dst++) {
        matrix_append(&b->m, &b->room, src, dst, b->sums[dst]);
        b->sums[dst] = 0;
    }
}

static void builder_finish(struct builder *b, struct matrix *into) {
    free(b->sums);
    *into = b->m;
}

const struct matrix *hops_direct_of(const struct traffic *t, enum dedup dedup) {
    return dedup == DEDUP_NONE ? &t->one_hop : &t->one_hop_rank;
}

void hops_direct(const struct traffic *t, enum dedup dedup, struct matrix *rows) {
    matrix_scale(hops_direct_of(t, dedup), 1, rows);
}

void hops_forward(const struct traffic *t, enum dedup dedup, struct matrix *rows) {
    matrix_scale(dedup == DEDUP_NONE ? &t->hop_b : &t->hop_b_rank, 1, rows);
}

void hops_fold(const struct platform *p, enum tier cut, const struct traffic *t, enum dedup dedup,
               struct matrix *rows) {
    if (dedup == DEDUP_GROUP) {
        matrix_scale(&t->hop_a[cut], 1, rows);
        return;
    }
    const struct matrix *m = hops_direct_of(t, dedup);
    struct builder b;
    builder_init(&b, m->ranks, m->whole);
    for (int src = 0; src < m->ranks; src++) {
        for (size_t i = m->start[src]; i < m->start[src + 1]; i++)
            b.sums[plat_peer(p, cut, p->domains[cut].of_rank[m->dst[i]], src)] += m->value[i];
        builder_row(&b, src);
    }
    builder_finish(&b, rows);
}

/* Returns the rank of domain `in` that handles what goes to and comes from domain `of`. */
static int handler(const struct plat_domains *d, int in, int of) {
    return d->first[in] + of % (d->first[in + 1] - d->first[in]);
}

/* Adds up the rows from each member of each domain at the rank that handles that domain, the sum over members of m[(g,
 * x)][..]. */
void hops_scatter(const struct platform *p, enum tier cut, const struct traffic *t, enum dedup inside,
                  struct matrix *rows) {
    const struct plat_domains *d = &p->domains[cut];
    const struct matrix *m = hops_direct_of(t, inside);
    struct builder b;
    builder_init(&b, m->ranks, m->whole);
    for (int rank = 0; rank < m->ranks; rank++) {
        int own = d->of_rank[rank];
        for (int g = 0; g < d->n; g++) {
            // rows for the own domain come from the rank itself, those of others from all of their members
            if (g != own && handler(d, own, g) != rank)
                continue;
            int first = g == own ? rank : d->first[g], end = g == own ? rank + 1 : d->first[g + 1];
            for (int src = first; src < end; src++)
                for (size_t i = matrix_find(m, src, d->first[own]);
                     i < m->start[src + 1] && m->dst[i] < d->first[own + 1]; i++)
                    b.sums[m->dst[i]] += m->value[i];
        }
        builder_row(&b, rank);
    }
    builder_finish(&b, rows);
}

void hops_gather(const struct platform *p, enum tier cut, const struct traffic *t, enum dedup between,
                 enum dedup inside, struct matrix rows[static 3]) {
    const struct plat_domains *d = &p->domains[cut];
    struct matrix folded;
    hops_fold(p, cut, t, between, &folded);
    int ranks = folded.ranks, n = d->n;
    double *to_domain = mem_alloc((size_t)n * (size_t)n, sizeof *to_domain);
    struct builder gather, exchange;
    builder_init(&gather, ranks, folded.whole);
    builder_init(&exchange, ranks, folded.whole);
    for (int src = 0; src < ranks; src++) {
        int own = d->of_rank[src];
        for (size_t i = folded.start[src]; i < folded.start[src + 1]; i++) {
            int other = d->of_rank[folded.dst[i]];
            if (other == own)
                continue;
            gather.sums[handler(d, own, other)] += folded.value[i];
            to_domain[own * n + other] += folded.value[i];
        }
        builder_row(&gather, src);
    }
    for (int src = 0; src < ranks; src++) {
        int own = d->of_rank[src];
        for (int other = 0; other < n; other++)
            if (other != own && handler(d, own, other) == src)
                exchange.sums[handler(d, other, own)] += to_domain[own * n + other];
        builder_row(&exchange, src);
    }
    builder_finish(&gather, &rows[0]);
    builder_finish(&exchange, &rows[1]);
    hops_scatter(p, cut, t, inside, &rows[2]);
    matrix_clear(&folded);
    free(to_domain);
}

void hops_inside_first(const struct platform *p, enum tier cut, const struct matrix *direct,
                       struct matrix rows[static 2]) {
    const struct plat_domains *d = &p->domains[cut];
    struct builder inside, across;
    builder_init(&inside, direct->ranks, direct->whole);
    builder_init(&across, direct->ranks, direct->whole);
    for (int rank = 0; rank < direct->ranks; rank++) {
        int own = d->of_rank[rank];
        for (size_t i = direct->start[rank]; i < direct->start[rank + 1]; i++)
            inside.sums[plat_peer(p, cut, own, direct->dst[i])] += direct->value[i];
        builder_row(&inside, rank);
        // what the members of the own domain have for the receivers that this rank stands for
        for (int src = d->first[own]; src < d->first[own + 1]; src++)
            for (size_t i = direct->start[src]; i < direct->start[src + 1]; i++)
                if (plat_peer(p, cut, own, direct->dst[i]) == rank)
                    across.sums[direct->dst[i]] += direct->value[i];
        builder_row(&across, rank);
    }
    builder_finish(&inside, &rows[0]);
    builder_finish(&across, &rows[1]);
}
