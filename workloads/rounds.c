/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/rounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "platforms/base/rng.h"

/* Messages placed over all tries, about; and most tries. */
enum { PLACED = 1 << 18, TRIES = 2048 };
/* Rounds in a word of bits. */
enum { WORD = 64 };

struct packet {
    int src, dst;
    double alone_s; /* as the only one on its way */
    double room;    /* port time of all links together */
    uint64_t chance;
    int round;
};

struct rounds {
    const struct call *call;
    struct packet *packets; /* [n] */
    size_t n;
    int words;            /* of the rounds of a rank */
    uint64_t *busy;       /* [2 * ranks * words] rounds in which a rank sends, receives */
    bool *watched;        /* [links] used by more than one sender and more than one receiver */
    float **used;         /* [links][words * WORD] parts of it that are taken; NULL: none yet */
    double *round_s;      /* [words * WORD] */
};

/* --- messages --------------------------------------------------------------------------------------- */

static double alone_Bps(const struct call *call, const struct way *way) {
    double rate_Bps = INFINITY;
    for (int k = 0; k < way->n; k++)
        rate_Bps = fmin(rate_Bps, call->topology->links[way->links[k]].capacity_Bps / way->share);
    return rate_Bps;
}

static void list_packet(struct rounds *p, int stage, int src, int dst, double bytes) {
    struct route route;
    struct way way = call_way(p->call, src, dst, &route);
    const struct link *links = p->call->topology->links;
    struct packet *m = &p->packets[p->n++];
    *m = (struct packet){.src = src, .dst = dst};
    m->alone_s = bytes / alone_Bps(p->call, &way) +
                 call_message_units(p->call, stage, bytes) * call_message_cost_s(p->call, way.tier);
    for (int k = 0; k < way.n; k++)
        m->room += bytes * way.share / links[way.links[k]].capacity_Bps;
}

/* Marks the links that two senders and two receivers use: the ports of a rank watch over the others. */
static void watch_links(struct rounds *p) {
    enum { NOBODY = -1, MANY = -2 };
    size_t n_links = (size_t)p->call->topology->n_links;
    int *src = mem_alloc(n_links, sizeof *src), *dst = mem_alloc(n_links, sizeof *dst);
    struct route route;
    for (size_t l = 0; l < n_links; l++)
        src[l] = dst[l] = NOBODY;
    for (size_t i = 0; i < p->n; i++) {
        const struct packet *m = &p->packets[i];
        struct way way = call_way(p->call, m->src, m->dst, &route);
        for (int k = 0; k < way.n; k++) {
            int l = way.links[k];
            src[l] = src[l] == NOBODY || src[l] == m->src ? m->src : MANY;
            dst[l] = dst[l] == NOBODY || dst[l] == m->dst ? m->dst : MANY;
        }
    }
    for (size_t l = 0; l < n_links; l++)
        p->watched[l] = src[l] == MANY && dst[l] == MANY;
    free(src);
    free(dst);
}

static int most_at_one_end(const struct matrix *m) {
    int *in = mem_alloc((size_t)m->ranks, sizeof *in), most = 0;
    for (int src = 0; src < m->ranks; src++) {
        int out = (int)(m->start[src + 1] - m->start[src]);
        most = out > most ? out : most;
        for (size_t i = m->start[src]; i < m->start[src + 1]; i++)
            most = ++in[m->dst[i]] > most ? in[m->dst[i]] : most;
    }
    free(in);
    return most;
}

static void open_rounds(const struct call *call, int stage, struct rounds *p) {
    const struct matrix *m = &call->stages[stage].bytes;
    size_t n_links = (size_t)call->topology->n_links;
    *p = (struct rounds){.call = call,
                          .packets = mem_alloc(m->start[m->ranks], sizeof *p->packets),
                          .watched = mem_alloc(n_links, sizeof *p->watched),
                          .used = mem_alloc(n_links, sizeof(float *))};
    for (int src = 0; src < m->ranks; src++)
        for (size_t i = m->start[src]; i < m->start[src + 1]; i++)
            if (m->dst[i] != src && m->value[i] > 0)
                list_packet(p, stage, src, m->dst[i], m->value[i]);
    watch_links(p);
    p->words = 2 * most_at_one_end(m) / WORD + 1;
    p->busy = mem_alloc(2 * (size_t)m->ranks * (size_t)p->words, sizeof *p->busy);
    p->round_s = mem_alloc((size_t)p->words * WORD, sizeof *p->round_s);
}

static void close_rounds(struct rounds *p) {
    for (int l = 0; l < p->call->topology->n_links; l++)
        free(p->used[l]);
    free(p->packets);
    free(p->watched);
    free(p->used);
    free(p->busy);
    free(p->round_s);
}

/* --- one try ---------------------------------------------------------------------------------------- */

static int by_room(const void *a, const void *b) {
    const struct packet *x = a, *y = b;
    if (fabs(x->room - y->room) > 1e-9 * x->room)
        return x->room > y->room ? -1 : 1;
    if (x->chance != y->chance)
        return x->chance < y->chance ? -1 : 1;
    return x->src != y->src ? x->src - y->src : x->dst - y->dst;
}

/* Doubles the number of rounds that there is room for. */
static void more_rounds(struct rounds *p) {
    size_t rows = 2 * (size_t)p->call->topology->ranks, old = (size_t)p->words, now = 2 * old;
    uint64_t *busy = mem_alloc(rows * now, sizeof *busy);
    for (size_t row = 0; row < rows; row++)
        memcpy(busy + row * now, p->busy + row * old, old * sizeof *busy);
    free(p->busy);
    p->busy = busy;
    p->words = (int)now;
    p->round_s = mem_resize(p->round_s, now * WORD, sizeof *p->round_s);
    memset(p->round_s + old * WORD, 0, (now - old) * WORD * sizeof *p->round_s);
    for (int l = 0; l < p->call->topology->n_links; l++)
        if (p->used[l]) {
            p->used[l] = mem_resize(p->used[l], now * WORD, sizeof *p->used[l]);
            memset(p->used[l] + old * WORD, 0, (now - old) * WORD * sizeof *p->used[l]);
        }
}

/* The part of a link that an entry of a way takes at the rate that the message has alone. */
static float part_of(const struct rounds *p, const struct way *way, double rate_Bps, int k) {
    return (float)(way->share * rate_Bps / p->call->topology->links[way->links[k]].capacity_Bps);
}

static bool has_room(const struct rounds *p, const struct way *way, double rate_Bps, int round) {
    const float full = 1 + 1e-4F; // sums of parts
    for (int k = 0; k < way->n; k++) {
        const float *used = p->watched[way->links[k]] ? p->used[way->links[k]] : NULL;
        if (used && used[round] + part_of(p, way, rate_Bps, k) > full)
            return false;
    }
    return true;
}

/* Returns the first round from `from` on in which neither end is busy. */
static int free_round(const struct rounds *p, const struct packet *m, int from) {
    const uint64_t *out = p->busy + 2 * (size_t)m->src * (size_t)p->words;
    const uint64_t *in = p->busy + (2 * (size_t)m->dst + 1) * (size_t)p->words;
    int round = from;
    while (round < p->words * WORD && (out[round / WORD] | in[round / WORD]) >> (round % WORD) & 1)
        round = ~(out[round / WORD] | in[round / WORD]) ? round + 1 : (round / WORD + 1) * WORD;
    return round;
}

static void take_room(struct rounds *p, const struct packet *m, const struct way *way, double rate_Bps) {
    size_t word = (size_t)m->round / WORD, words = (size_t)p->words;
    p->busy[2 * (size_t)m->src * words + word] |= (uint64_t)1 << m->round % WORD;
    p->busy[(2 * (size_t)m->dst + 1) * words + word] |= (uint64_t)1 << m->round % WORD;
    p->round_s[m->round] = fmax(p->round_s[m->round], m->alone_s);
    for (int k = 0; k < way->n; k++) {
        int l = way->links[k];
        if (!p->watched[l])
            continue;
        if (!p->used[l])
            p->used[l] = mem_alloc(words * WORD, sizeof *p->used[l]);
        p->used[l][m->round] += part_of(p, way, rate_Bps, k);
    }
}

static void place(struct rounds *p, struct packet *m) {
    struct route route;
    struct way way = call_way(p->call, m->src, m->dst, &route);
    double rate_Bps = alone_Bps(p->call, &way);
    m->round = -1;
    do {
        m->round = free_round(p, m, m->round + 1);
        while (m->round >= p->words * WORD)
            more_rounds(p);
    } while (!has_room(p, &way, rate_Bps, m->round));
    take_room(p, m, &way, rate_Bps);
}

/* Places all messages, equal ones by chance, and returns how long the rounds are together. */
static double pack(struct rounds *p, uint64_t number) {
    struct rng r;
    rng_init(&r, number, "rounds", 0);
    int ranks = p->call->topology->ranks;
    memset(p->busy, 0, 2 * (size_t)ranks * (size_t)p->words * sizeof *p->busy);
    memset(p->round_s, 0, (size_t)p->words * WORD * sizeof *p->round_s);
    for (int l = 0; l < p->call->topology->n_links; l++)
        if (p->used[l])
            memset(p->used[l], 0, (size_t)p->words * WORD * sizeof *p->used[l]);
    for (size_t i = 0; i < p->n; i++) {
        struct packet *m = &p->packets[i];
        // first the turns of a shift, of which each is a permutation
        m->chance = number ? rng_u64(&r) : (uint64_t)((m->dst - m->src + ranks) % ranks);
    }
    qsort(p->packets, p->n, sizeof *p->packets, by_room);
    double time_s = 0;
    for (size_t i = 0; i < p->n; i++)
        place(p, &p->packets[i]);
    for (int round = 0; round < p->words * WORD; round++)
        time_s += p->round_s[round];
    return time_s;
}

/* --- turns ------------------------------------------------------------------------------------------ */

static struct turns *take_turns(struct rounds *p) {
    struct turn *all = mem_alloc(p->n, sizeof *all);
    for (size_t i = 0; i < p->n; i++)
        all[i] = (struct turn){p->packets[i].src, p->packets[i].dst, p->packets[i].round, 0};
    struct turns *t = turns_make(all, p->n, p->call->topology->ranks);
    free(all);
    return t;
}

struct turns *rounds_build(const struct call *call, int stage) {
    struct rounds p;
    open_rounds(call, stage, &p);
    size_t tries = p.n ? PLACED / p.n + 1 : 1, best = 0;
    double least_s = INFINITY;
    for (size_t i = 0; i < tries && i < TRIES; i++) {
        double time_s = pack(&p, i);
        if (time_s < least_s * (1 - 1e-9)) {
            least_s = time_s;
            best = i;
        }
    }
    pack(&p, best);
    struct turns *t = take_turns(&p);
    close_rounds(&p);
    return t;
}
