/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/mpi/sampling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "platforms/base/rng.h"
#include "platforms/base/stat.h"

struct taken {
    double *time_s;
    int n, room;
    bool open, tight;
};

static const char *const regimes[] = {"observed", "ahead"};

/* --- one sample ------------------------------------------------------------------------------ */

static double longest(const struct bed *b, double own_s) {
    double all_s;
    MPI_Allreduce(&own_s, &all_s, 1, MPI_DOUBLE, MPI_MAX, b->all);
    return all_s;
}

static double time_once(const struct bed *b, const struct point *p) {
    double part_s = 0;
    struct point copy = *p;
    copy.time_s = &part_s;
    MPI_Barrier(b->all);
    double begin_s = MPI_Wtime();
    if (p->member)
        p->run(&copy);
    double own_s = MPI_Wtime() - begin_s;
    return longest(b, !p->member ? 0 : p->own_time ? part_s : own_s);
}

static void write_sample(struct bed *b, const struct point *p, int repeat, double time_s) {
    int turn = b->turn++;
    if (b->samples)
        fprintf(b->samples, "%s,%s,%s,%s,%d,%d,%d,%.17g,%.17g,%d,%d,%d,%.9g\n", p->quantity, p->part,
                regimes[p->regime], p->slow ? "slow" : "fast", p->world, p->senders, p->peers, p->message_bytes,
                p->send_bytes, p->calls, repeat, turn, time_s);
}

static void take(struct bed *b, const struct point *p, struct taken *t) {
    for (int i = 0; i < b->set->warm_up && !t->n; i++)
        time_once(b, p);
    double time_s = time_once(b, p);
    write_sample(b, p, t->n, time_s);
    MEM_GROW(t->time_s, t->n, t->room);
    t->time_s[t->n++] = time_s;
}

/* --- stopping -------------------------------------------------------------------------------- */

/* Finds the median and its interval from order statistics, at least 95 % by the normal rule n / 2 -+ 0.98 sqrt(n). */
static void interval_of(const struct taken *t, double *median, double *low, double *high) {
    double *sorted = mem_alloc((size_t)t->n, sizeof *sorted), reach = 0.98 * sqrt(t->n);
    memcpy(sorted, t->time_s, (size_t)t->n * sizeof *sorted);
    stat_sort(sorted, (size_t)t->n);
    int first = (int)floor(t->n / 2.0 - reach), last = (int)ceil(t->n / 2.0 + reach);
    *median = (sorted[t->n / 2] + sorted[(t->n - 1) / 2]) / 2;
    *low = sorted[first > 0 ? first : 0];
    *high = sorted[last < t->n ? last : t->n - 1];
    free(sorted);
}

/* Returns half the interval of the median, or one step of the clock where that is more. */
static double resolution_of(const struct bed *b, const struct taken *t, double *median) {
    double low, high;
    interval_of(t, median, &low, &high);
    return fmax((high - low) / 2, b->clock_s);
}

static void judge(const struct bed *b, struct taken *t) {
    double median, resolution_s = resolution_of(b, t, &median);
    t->tight = resolution_s <= b->set->precision * median;
    t->open = t->n < b->set->least || (!t->tight && t->n < b->set->most);
}

/* Lets rank 0 decide for all ranks which points are done; returns whether one is still open. */
static bool decide(struct bed *b, struct taken *taken, int n, double begin_s) {
    bool any = false;
    for (int i = 0; i < n; i++)
        judge(b, &taken[i]);
    int spent = MPI_Wtime() - begin_s > b->set->budget_s;
    MPI_Bcast(&spent, 1, MPI_INT, 0, b->all);
    for (int i = 0; i < n; i++) {
        taken[i].open = taken[i].open && !(spent && taken[i].n);
        any |= taken[i].open;
    }
    return any;
}

static void shuffle(int *order, int n, struct rng *r) {
    for (int i = 0; i < n; i++) {
        int k = (int)rng_below(r, (uint64_t)i + 1);
        order[i] = order[k];
        order[k] = i;
    }
}

/* --- what is said in the end ------------------------------------------------------------------- */

/* Returns the point before i that differs from it in size or number of calls only, or -1. */
static int before_in_series(const struct point *p, int i) {
    const struct point *a = &p[i];
    for (int k = i - 1; k >= 0; k--)
        if (!strcmp(a->quantity, p[k].quantity) && !strcmp(a->part, p[k].part) && a->regime == p[k].regime &&
            a->slow == p[k].slow && a->world == p[k].world && a->senders == p[k].senders)
            return k;
    return -1;
}

/* Says whether a point may be called different from the one before it in its series: beyond what both resolve. */
static const char *is_distinct(const struct bed *b, const struct point *p, const struct taken *t, int i) {
    double median[2];
    int k = before_in_series(p, i);
    if (k < 0)
        return "first";
    double resolution_s = resolution_of(b, &t[i], &median[0]) + resolution_of(b, &t[k], &median[1]);
    return fabs(median[0] - median[1]) > resolution_s ? "yes" : "no";
}

static void write_median(const struct bed *b, const struct point *p, const struct taken *t, const char *distinct) {
    double median, low, high;
    interval_of(t, &median, &low, &high);
    fprintf(b->medians, "%s,%s,%s,%s,%d,%d,%d,%.17g,%.17g,%d,%d,%.9g,%.9g,%.9g,%.9g,%s,%s\n", p->quantity, p->part,
            regimes[p->regime], p->slow ? "slow" : "fast", p->world, p->senders, p->peers, p->message_bytes,
            p->send_bytes, p->calls, t->n, median, low, high, fmax((high - low) / 2, b->clock_s),
            t->tight ? "tight" : t->n >= b->set->most ? "repeats" : "budget", distinct);
}

static void report(const struct bed *b, const struct point *p, const struct taken *t, int n) {
    int tight = 0, same = 0;
    for (int i = 0; i < n; i++) {
        const char *distinct = is_distinct(b, p, t, i);
        write_median(b, &p[i], &t[i], distinct);
        tight += t[i].tight;
        same += !strcmp(distinct, "no");
    }
    printf("%-10s %4d points: median tight in %d, not told from the one before in %d\n", p->quantity, n, tight, same);
    fflush(stdout);
}

void sample_points(struct bed *b, struct point *points, int n) {
    if (!n)
        return;
    struct taken *taken = mem_alloc((size_t)n, sizeof *taken);
    int *order = mem_alloc((size_t)n, sizeof *order);
    double begin_s = MPI_Wtime();
    struct rng r;
    rng_init(&r, b->set->seed, points->quantity, 0);
    for (int i = 0; i < n; i++)
        taken[i].open = true;
    do {
        shuffle(order, n, &r);
        for (int i = 0; i < n; i++)
            if (taken[order[i]].open)
                take(b, &points[order[i]], &taken[order[i]]);
    } while (decide(b, taken, n, begin_s));
    if (!b->rank)
        report(b, points, taken, n);
    for (int i = 0; i < n; i++)
        free(taken[i].time_s);
    free(taken);
    free(order);
}

/* --- sizes and worlds ------------------------------------------------------------------------- */

int message_sizes(const struct settings *set, int peers, double sizes[SIZES]) {
    int n = 0;
    for (double size = set->row_bytes; size <= set->most_bytes / (peers > 1 ? peers : 1) && n < SIZES; size *= 2)
        sizes[n++] = size;
    return n;
}

int worlds_up_to(int limit, int worlds[SIZES]) {
    int n = 0;
    for (int power = 2; power < limit && n < SIZES - 3; power *= 2) {
        worlds[n++] = power;
        if (power * 3 / 2 < limit)
            worlds[n++] = power * 3 / 2;
    }
    if (limit > 1)
        worlds[n++] = limit;
    return n;
}

MPI_Comm world_of(const struct bed *b, int world, bool slow) {
    int group = b->rank / b->ranks_per_group, local = b->rank % b->ranks_per_group;
    bool member = slow ? local < world / b->groups : !group && local < world;
    MPI_Comm comm;
    MPI_Comm_split(b->all, member ? 0 : MPI_UNDEFINED, b->rank, &comm);
    return comm;
}

struct point *points_add(struct points *list, const struct point *p) {
    MEM_GROW(list->items, list->n, list->room);
    list->items[list->n] = *p;
    return &list->items[list->n++];
}
