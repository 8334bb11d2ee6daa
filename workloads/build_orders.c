/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders that belong to a call: turns made from its matrices, and rounds of a file with barriers between them. */
#include <stdlib.h>

#include "platforms/base/mem.h"
#include "workloads/build.h"
#include "workloads/rounds.h"

/* Returns the round of a message between two ranks of the machine; n_rounds where the file does not name them. */
static int round_of(const struct call *call, int src, int dst) {
    const struct turns *t = call->implementation->turns;
    const struct job *job = call->traffic->job;
    int from = job ? job->member[src] : src, to = job ? job->member[dst] : dst;
    for (size_t i = from < t->ranks ? t->start[from] : 0; from < t->ranks && i < t->start[from + 1]; i++)
        if (t->dst[i] == to)
            return t->round[i];
    return t->n_rounds;
}

/* A stage's entries, each with the round it belongs to. */
struct sorted {
    const struct matrix *whole;
    int *round;   /* [entries]; -1: local */
    size_t *n_in; /* [n_rounds + 1] */
};

static void sort_entries(const struct call *call, const struct matrix *whole, struct sorted *s) {
    *s = (struct sorted){whole, mem_alloc(whole->start[whole->ranks], sizeof(int)),
                         mem_alloc((size_t)call->implementation->turns->n_rounds + 1, sizeof(size_t))};
    for (int src = 0; src < whole->ranks; src++)
        for (size_t i = whole->start[src]; i < whole->start[src + 1]; i++) {
            bool local = whole->dst[i] == src;
            s->round[i] = local ? -1 : round_of(call, src, whole->dst[i]);
            if (!local)
                s->n_in[s->round[i]]++;
        }
}

/* Fills the matrix of a round; the first one also holds what stays. */
static void take_round(const struct sorted *s, int round, bool first, struct matrix *into) {
    const struct matrix *m = s->whole;
    size_t room = 0;
    matrix_init(into, m->ranks, 0, m->whole);
    for (int src = 0; src < m->ranks; src++) {
        into->start[src + 1] = into->start[src];
        for (size_t i = m->start[src]; i < m->start[src + 1]; i++)
            if (s->round[i] == round || (first && s->round[i] == -1))
                matrix_append(into, &room, src, m->dst[i], m->value[i]);
    }
}

/* Makes rounds of a call's one stage, with a barrier before each but the first; pairs that the file does not name are
 * the last one. */
static void split(struct call *call) {
    int n_rounds = call->implementation->turns->n_rounds;
    struct stage whole = call->stages[0];
    struct sorted s;
    sort_entries(call, &whole.bytes, &s);
    call->n_stages = 0;
    for (int round = 0; round <= n_rounds; round++) {
        if (s.n_in[round] == 0)
            continue;
        bool first = call->n_stages == 0;
        struct stage *stage = call_add_round(call, whole.name);
        *stage = whole;
        take_round(&s, round, first, &stage->bytes);
        if (!first) {
            stage->launch = -1;
            stage->collectives = 0;
            stage->splits = false;
            stage->pairs = NULL;
        }
        stage->barrier = !first;
        stage->permutation = round < n_rounds;
    }
    if (call->n_stages > 0)
        matrix_clear(&whole.bytes);
    else // nothing moves
        call->n_stages = 1;
    free(s.round);
    free(s.n_in);
}

void build_orders(struct call *call) {
    const struct implementation *how = call->implementation;
    if (how->order == ORDER_FILE && how->turns->barriers)
        split(call);
    for (int i = 0; i < call->n_stages && how->order == ORDER_ROUNDS; i++)
        call->stages[i].turns = rounds_build(call, i);
}
