/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds levelled: inside each group, what it sends to another group is spread evenly over its ranks, crosses between
 * ranks of equal index, and is scattered in the other group. [M15] */
#include "workloads/build.h"

#include <math.h>
#include <stdlib.h>

#include "platforms/base/mem.h"
#include "workloads/hops.h"

struct levelling {
    const struct platform *platform;
    const struct matrix *direct;
    int groups, each, ranks;
    double *bound_for; /* [groups] rows of the sender at hand for each group */
    double *held;      /* [each * ranks] rows that each index of the group at hand sends on, by receiver */
    double *moved;     /* [ranks * each] rows that a rank hands to each index of its group */
    double *crossing;  /* [ranks * groups] rows that a rank sends to its index in each group */
    double *scattered; /* [ranks * each] rows that a rank hands to each index of its group in the end */
};

static void open_levelling(const struct platform *p, const struct matrix *direct, struct levelling *l) {
    int ranks = direct->ranks, each = (int)p->ranks_per_group, groups = (int)p->groups;
    size_t n = (size_t)ranks;
    *l = (struct levelling){p, direct, groups, each, ranks,
                            mem_alloc(n, sizeof(double)),
                            mem_alloc(n * (size_t)each, sizeof(double)),
                            mem_alloc(n * (size_t)each, sizeof(double)),
                            mem_alloc(n * (size_t)groups, sizeof(double)),
                            mem_alloc(n * (size_t)each, sizeof(double))};
}

static void close_levelling(struct levelling *l) {
    free(l->bound_for);
    free(l->held);
    free(l->moved);
    free(l->crossing);
    free(l->scattered);
}

/* Fills held[] with what the ranks of a group send to other groups, and gives rows for the own group to the last
 * stage. */
static void take_rows(struct levelling *l, int group) {
    for (int i = 0; i < l->each; i++) {
        int src = group * l->each + i;
        double *held = &l->held[(size_t)i * (size_t)l->ranks];
        for (int dst = 0; dst < l->ranks; dst++)
            held[dst] = 0;
        for (size_t k = l->direct->start[src]; k < l->direct->start[src + 1]; k++) {
            int dst = l->direct->dst[k];
            if (dst / l->each == group)
                l->scattered[src * l->each + dst % l->each] += l->direct->value[k];
            else
                held[dst] += l->direct->value[k];
        }
    }
}

static double sum_for(const struct levelling *l, int index, int other) {
    const double *held = &l->held[(size_t)index * (size_t)l->ranks + (size_t)(other * l->each)];
    double sum = 0;
    for (int j = 0; j < l->each; j++)
        sum += held[j];
    return sum;
}

/* Moves a share of what the rank of index `from` holds for a group to the rank of index `to`, the same share of every
 * receiver's rows. */
static void hand_over(struct levelling *l, int from, int to, int other, double share) {
    double *source = &l->held[(size_t)from * (size_t)l->ranks + (size_t)(other * l->each)];
    double *sink = &l->held[(size_t)to * (size_t)l->ranks + (size_t)(other * l->each)];
    for (int j = 0; j < l->each; j++) {
        double rows = source[j] * share;
        source[j] -= rows;
        sink[j] += rows;
    }
}

/* Levels what a group sends to another one: ranks that hold more than the mean give to those that hold less, in order
 * of index. */
static void level(struct levelling *l, int group, int other) {
    double *has = l->bound_for, mean = 0;
    for (int i = 0; i < l->each; i++)
        mean += (has[i] = sum_for(l, i, other)) / l->each;
    const double least = mean * 1e-12; // of a difference of sums
    for (int from = 0, to = 0; from < l->each && to < l->each;) {
        double rows = fmin(has[from] - mean, mean - has[to]);
        if (has[from] - mean <= least) {
            from++;
        } else if (mean - has[to] <= least) {
            to++;
        } else {
            hand_over(l, from, to, other, rows / has[from]);
            l->moved[(group * l->each + from) * l->each + to] += rows;
            has[from] -= rows;
            has[to] += rows;
        }
    }
}

/* Adds what the levelled ranks of a group send across to another one, and what the ranks that receive it scatter
 * there. */
static void cross(struct levelling *l, int group, int other) {
    for (int i = 0; i < l->each; i++) {
        const double *held = &l->held[(size_t)i * (size_t)l->ranks + (size_t)(other * l->each)];
        int arrival = other * l->each + i;
        for (int j = 0; j < l->each; j++) {
            l->crossing[(group * l->each + i) * l->groups + other] += held[j];
            l->scattered[arrival * l->each + j] += held[j];
        }
    }
}

/* Makes the matrix of rows that ranks hand to each index of their own group. */
static void matrix_inside(const struct levelling *l, const double *rows, struct matrix *into) {
    size_t room = 0;
    matrix_init(into, l->ranks, 0, false);
    for (int rank = 0; rank < l->ranks; rank++) {
        into->start[rank + 1] = into->start[rank];
        for (int j = 0; j < l->each; j++)
            matrix_append(into, &room, rank, rank - rank % l->each + j, rows[rank * l->each + j]);
    }
}

/* Makes the matrix of rows that ranks send to the rank of their own index in each group. */
static void matrix_across(const struct levelling *l, const double *rows, struct matrix *into) {
    size_t room = 0;
    matrix_init(into, l->ranks, 0, false);
    for (int rank = 0; rank < l->ranks; rank++) {
        into->start[rank + 1] = into->start[rank];
        for (int g = 0; g < l->groups; g++)
            matrix_append(into, &room, rank, g * l->each + rank % l->each, rows[rank * l->groups + g]);
    }
}

void hops_levelled(const struct platform *p, const struct matrix *direct, struct matrix rows[static 3]) {
    struct levelling l;
    open_levelling(p, direct, &l);
    for (int group = 0; group < l.groups; group++) {
        take_rows(&l, group);
        for (int other = 0; other < l.groups; other++) {
            if (other == group)
                continue;
            level(&l, group, other);
            cross(&l, group, other);
        }
    }
    matrix_inside(&l, l.moved, &rows[0]);
    matrix_across(&l, l.crossing, &rows[1]);
    matrix_inside(&l, l.scattered, &rows[2]);
    close_levelling(&l);
}

void build_levelled(struct call *s) {
    static const char *const names[] = {"level", "across", "scatter"};
    const struct platform *p = s->platform;
    const struct implementation *m = s->implementation;
    enum dedup dedup = (enum dedup)m->dedup.one_hop;
    struct matrix rows[3], pairs;
    hops_levelled(p, hops_direct_of(s->traffic, build_dedup(s, dedup, dedup)), rows);
    matrix_scale(&rows[2], 1, &pairs);
    for (int i = 0; i < 3; i++) {
        int which = s->phase == PHASE_DISPATCH ? i : 2 - i;
        bool across = which == 1;
        struct stage *stage = build_stage(s, names[which], &rows[which]);
        build_collective(s, stage, across ? (int)p->groups : plat_span(p, TIER_FAST),
                         across ? plat_widest(p) : TIER_FAST,
                         across ? m->collectives.hop_a : m->collectives.hop_b);
        build_reach(stage, across ? plat_widest(p) : TIER_FAST, across ? TIER_FAST : -1);
        if (i == 2)
            build_chain(s, stage, &pairs);
    }
}
