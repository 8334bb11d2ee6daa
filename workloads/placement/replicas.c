/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/placement/replicas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/rng.h"
#include "workloads/placement/balance.h"

struct replicas {
    struct replicas_ask ask;
    int source;
    double *share; /* [slots], of the source */
    double *levelled; /* [slots]: weighted; NULL otherwise */
    double *taken; /* [slots], rows of the source */
    int most; /* replicas of one expert */
    struct rng rng;
};

static int first_home(const struct replicas *r, int expert) {
    return r->ask.placement->home_start[expert];
}

/* Returns how far a rank is from the source: 0 the same rank, 1 in its group, 2 in its domain of the next tier, .. */
static int distance(const struct replicas *r, int rank) {
    const struct platform *p = r->ask.platform;
    int cut = 0;
    if (rank == r->source)
        return 0;
    while (cut < p->n_tiers - 1 && p->domains[cut].of_rank[rank] != p->domains[cut].of_rank[r->source])
        cut++;
    return 1 + cut;
}

/* Adds the rows of an expert to the loads of its homes so that the sum of squares is smallest: levelled over its ranks.
 * Returns the largest change of a share. load[ranks] is without the expert before and with it after. */
static double level_expert(struct replicas *r, int expert, double rows, double *load) {
    const struct placement *p = r->ask.placement;
    int from = first_home(r, expert), n = placement_replicas(p, expert), places = 0;
    double *base = mem_alloc((size_t)n, sizeof *base), *part = mem_alloc((size_t)n, sizeof *part), moved = 0;
    for (int i = 0; i < n; i++)
        if (i == 0 || p->home[from + i] != p->home[from + i - 1])
            base[places++] = load[p->home[from + i]];
    balance_level(base, places, rows, part);
    places = 0;
    for (int i = 0; i < n; i++) {
        bool own = i == 0 || p->home[from + i] != p->home[from + i - 1];
        double rows_here = own ? part[places++] : 0, share = rows_here / rows;
        moved = fmax(moved, fabs(share - r->levelled[from + i]));
        r->levelled[from + i] = share;
        load[p->home[from + i]] += rows_here;
    }
    free(base);
    free(part);
    return moved;
}

/* Levels one expert after the other until nothing moves: each move lowers a convex sum over a product of simplices. */
static void level_all(struct replicas *r) {
    enum { ROUNDS = 1000 };
    const struct placement *p = r->ask.placement;
    double *load = mem_alloc((size_t)p->ranks, sizeof *load), moved = 1;
    r->levelled = mem_alloc((size_t)p->slots, sizeof *r->levelled);
    for (int i = 0; i < p->experts; i++)
        for (int h = first_home(r, i); h < first_home(r, i + 1); h++) {
            r->levelled[h] = 1.0 / placement_replicas(p, i);
            load[p->home[h]] += r->ask.load[i] * r->levelled[h];
        }
    for (int round = 0; round < ROUNDS && moved > 1e-12; round++) {
        moved = 0;
        for (int i = 0; i < p->experts; i++) {
            double rows = r->ask.load[i];
            if (placement_replicas(p, i) == 1 || !(rows > 0))
                continue;
            for (int h = first_home(r, i); h < first_home(r, i + 1); h++)
                load[p->home[h]] -= rows * r->levelled[h];
            moved = fmax(moved, level_expert(r, i, rows, load));
        }
    }
    free(load);
}

struct replicas *replicas_build(const struct replicas_ask *ask) {
    struct replicas *r = mem_alloc(1, sizeof *r);
    size_t slots = (size_t)ask->placement->slots;
    *r = (struct replicas){
        .ask = *ask, .share = mem_alloc(slots, sizeof *r->share), .taken = mem_alloc(slots, sizeof *r->taken)};
    for (int i = 0; i < ask->placement->experts; i++)
        if (placement_replicas(ask->placement, i) > r->most)
            r->most = placement_replicas(ask->placement, i);
    if (ask->choice == REPLICA_WEIGHTED)
        level_all(r);
    replicas_source(r, 0);
    return r;
}

void replicas_free(struct replicas *r) {
    if (!r)
        return;
    free(r->share);
    free(r->levelled);
    free(r->taken);
    free(r);
}

void replicas_note(const struct replicas *r, struct buf *notes) {
    static const char *const says[] = {
        "every source sends its rows of an expert to the replicas in turn",
        "every source sends its rows of an expert to the nearest replica: its own rank's, its group's in equal "
        "shares, "
        "otherwise all of them",
        "every source sends its rows of an expert to one replica, number source mod replicas",
        "every row goes to a replica drawn at random",
        "replicas share the rows of an expert so that the ranks level out"};
    if (r->most < 2)
        return;
    buf_printf(notes, "replicas: %s", says[r->ask.choice]);
    if (r->ask.cap > 0)
        buf_printf(notes, "; none takes more than %g of a source's rows", r->ask.cap);
    buf_text(notes, "\n");
}

bool replicas_same(const struct replicas *r) {
    bool by_source = r->ask.choice == REPLICA_NEAREST || r->ask.choice == REPLICA_BY_SOURCE_RANK;
    return r->most < 2 || (!by_source && (r->ask.choice != REPLICA_WEIGHTED || !(r->ask.cap > 0)));
}

/* Gives `rest` to the homes at distance `at` that are below the cap, in equal parts as far as they have room. Returns
 * what is left over. */
static double spread(const struct replicas *r, int from, int n, int at, double cap, double rest) {
    for (int open = 1; open > 0 && rest > 0;) {
        double room = 0;
        open = 0;
        for (int i = from; i < from + n; i++)
            if (distance(r, r->ask.placement->home[i]) == at && r->share[i] < cap) {
                room = open++ ? fmin(room, cap - r->share[i]) : cap - r->share[i];
            }
        double each = open && rest / open < room ? rest / open : room;
        for (int i = from; i < from + n && open; i++)
            if (distance(r, r->ask.placement->home[i]) == at && r->share[i] < cap) {
                r->share[i] = each < cap - r->share[i] ? r->share[i] + each : cap;
                rest -= each;
            }
        if (open && rest < 1e-12) // rounding
            rest = 0;
    }
    return rest;
}

/* Cuts each share at the cap and gives the rest to the nearest replicas that have room. */
static void hold_cap(struct replicas *r, int from, int n) {
    double cap = fmax(r->ask.cap, 1.0 / n), rest = 0;
    for (int i = from; i < from + n; i++) {
        rest += fmax(r->share[i] - cap, 0);
        r->share[i] = fmin(r->share[i], cap);
    }
    for (int at = 0; at <= r->ask.platform->n_tiers; at++)
        rest = spread(r, from, n, at, cap, rest);
}

static void share_nearest(struct replicas *r, int from, int n) {
    const int *home = r->ask.placement->home;
    int nearest = distance(r, home[from]), count = 0;
    for (int i = from; i < from + n; i++)
        nearest = distance(r, home[i]) < nearest ? distance(r, home[i]) : nearest;
    for (int i = from; i < from + n; i++)
        count += distance(r, home[i]) == nearest;
    for (int i = from; i < from + n; i++)
        r->share[i] = distance(r, home[i]) == nearest ? 1.0 / count : 0;
}

void replicas_source(struct replicas *r, int source) {
    const struct placement *p = r->ask.placement;
    r->source = source;
    memset(r->taken, 0, (size_t)p->slots * sizeof *r->taken);
    rng_init(&r->rng, r->ask.seed, "replica", (uint64_t)source);
    for (int e = 0; e < p->experts; e++) {
        int from = first_home(r, e), n = placement_replicas(p, e);
        for (int i = 0; i < n; i++)
            r->share[from + i] = r->ask.choice == REPLICA_BY_SOURCE_RANK ? i == source % n
                                 : r->levelled                           ? r->levelled[from + i]
                                                                         : 1.0 / n;
        if (n > 1 && r->ask.choice == REPLICA_NEAREST)
            share_nearest(r, from, n);
        if (n > 1 && r->ask.cap > 0)
            hold_cap(r, from, n);
    }
}

const double *replicas_shares(const struct replicas *r) {
    return r->share;
}

/* Returns the home that has got the least of its share so far; among equals the first one, counted from the source's
 * number on. */
static int most_behind(const struct replicas *r, int from, int n, int64_t row) {
    int best = -1;
    double most = -INFINITY;
    for (int i = 0; i < n; i++) {
        int h = from + (i + r->source) % n;
        double behind = r->share[h] * (double)(row + 1) - r->taken[h];
        if (r->share[h] > 0 && behind > most + 1e-9) {
            most = behind;
            best = h;
        }
    }
    return best;
}

int replicas_take(struct replicas *r, int expert, int64_t row) {
    const int *home = r->ask.placement->home;
    int from = first_home(r, expert), n = placement_replicas(r->ask.placement, expert);
    if (n == 1)
        return home[from];
    if (r->ask.choice == REPLICA_IN_TURN)
        return home[from + (row + r->source) % n];
    if (r->ask.choice == REPLICA_RANDOM)
        return home[from + (int)rng_below(&r->rng, (uint64_t)n)];
    int h = most_behind(r, from, n, row);
    r->taken[h]++;
    return home[h];
}

void replicas_load(const struct replicas *r, const double *expert_load, double *into) {
    const struct placement *p = r->ask.placement;
    memset(into, 0, (size_t)p->ranks * sizeof *into);
    for (int i = 0; i < p->experts; i++)
        for (int h = first_home(r, i); h < first_home(r, i + 1); h++)
            into[p->home[h]] += expert_load[i] * r->share[h];
}
