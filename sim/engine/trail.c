/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/trail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "platforms/base/unit.h"

static size_t n_uses(const struct plan *p) {
    return (size_t)p->n * (size_t)p->topology->n_links;
}

static size_t use_at(const struct plan *p, int exchange, int link) {
    return (size_t)exchange * (size_t)p->topology->n_links + (size_t)link;
}

void trail_init(struct trail *t, const struct plan *plan, const struct messages *messages) {
    size_t pieces = messages->n * (size_t)plan->most_chunks;
    *t = (struct trail){.plan = plan,
                        .messages = messages,
                        .part_cause = mem_alloc(plan->n_parts, sizeof *t->part_cause),
                        .piece_cause = mem_alloc(pieces, sizeof *t->piece_cause),
                        .first_s = mem_alloc(n_uses(plan), sizeof *t->first_s),
                        .last_s = mem_alloc(n_uses(plan), sizeof *t->last_s),
                        .busy = mem_alloc(n_uses(plan), sizeof *t->busy)};
}

void trail_clear(struct trail *t) {
    free(t->part_cause);
    free(t->piece_cause);
    free(t->first_s);
    free(t->last_s);
    free(t->busy);
    *t = (struct trail){0};
}

void trail_reset(struct trail *t) {
    for (size_t i = 0; i < t->plan->n_parts; i++)
        t->part_cause[i] = CAUSE_OWN;
    for (size_t i = 0; i < n_uses(t->plan); i++)
        t->first_s[i] = INFINITY;
    memset(t->last_s, 0, n_uses(t->plan) * sizeof *t->last_s);
    memset(t->busy, 0, n_uses(t->plan) * sizeof *t->busy);
}

void trail_begin(struct trail *t, int exchange, const int *links, int n, int64_t payload,
                 double at_s) {
    double *first_s = t->first_s + use_at(t->plan, exchange, 0);
    double *busy = t->busy + use_at(t->plan, exchange, 0);
    for (int k = 0; k < n; k++) {
        if (at_s < first_s[links[k]])
            first_s[links[k]] = at_s;
        busy[links[k]] += (double)payload;
    }
}

void trail_end(struct trail *t, int exchange, const struct route *route, double at_s) {
    double *last_s = t->last_s + use_at(t->plan, exchange, 0);
    for (int k = 0; k < route->n; k++)
        last_s[route->links[k]] = at_s;
}

/* --- words ------------------------------------------------------------------------------------ */

static const char *name_of(const struct trail *t, int exchange) {
    const struct exchange *x = &t->plan->exchanges[exchange];
    return x->call->stages[x->stage].name;
}

/* Appends " (slow-in-9 busy 97 % of hop_a)": the link on the way of a piece that had the least time to spare. */
static void say_link(const struct trail *t, int64_t piece, struct buf *out) {
    const struct message *m = message_of(t->messages, t->plan, (size_t)piece);
    struct route route;
    messages_route(t->plan, m, &route);
    int busiest = route.links[0];
    double most = -1;
    for (int k = 0; k < route.n; k++) {
        size_t use = use_at(t->plan, m->exchange, route.links[k]);
        double busy_s = ldexp(t->busy[use], -t->messages->scale) /
                        t->plan->topology->links[route.links[k]].capacity_Bps;
        double share = busy_s / (t->last_s[use] - t->first_s[use]);
        if (share > most + 1e-9) { // equal shares differ by rounding: the first one on the way
            most = share;
            busiest = route.links[k];
        }
    }
    buf_printf(out, " (%s busy %.0f %% of %s)", t->plan->topology->links[busiest].name,
               100 * fmin(most, 1), name_of(t, m->exchange));
}

/* Returns the piece, back over window slots, that could start because a rank had entered. */
static int64_t first_in_row(const struct trail *t, int64_t piece) {
    while (t->piece_cause[piece] >= 0)
        piece = t->piece_cause[piece];
    return piece;
}

/* Appends what a rank had waited for before a part. Returns the piece that came last, or CAUSE_OWN where the trail
 * ends. */
static int64_t say_entry(const struct trail *t, int exchange, int chunk, int rank, struct buf *out) {
    int nth = t->plan->exchanges[exchange].nth;
    if (t->plan->exchanges[exchange].stage == 0) {
        const double *enter_s = t->plan->calls[nth].enter_s;
        double late_s = nth == 0 && enter_s ? enter_s[rank] - t->plan->first_entry_s : 0;
        char text[UNIT_TEXT];
        if (nth > 0)
            buf_printf(out, "; rank %d came from the call before", rank);
        else if (late_s > 0)
            buf_printf(out, "; rank %d entered the call %s after the first rank", rank,
                       unit_format(late_s, UNIT_TIME, text));
        return CAUSE_OWN;
    }
    int64_t cause = t->part_cause[plan_part(t->plan, exchange, chunk, rank)];
    if (cause < 0) {
        buf_printf(out, "; rank %d had waited for nobody before %s", rank, name_of(t, exchange));
        return CAUSE_OWN;
    }
    const struct message *m = message_of(t->messages, t->plan, (size_t)cause);
    if (m->src == rank)
        buf_printf(out, "; rank %d had still sent %s to rank %d", rank, name_of(t, m->exchange),
                   m->dst);
    else
        buf_printf(out, "; rank %d had waited for %s from rank %d", rank, name_of(t, m->exchange),
                   m->src);
    say_link(t, cause, out);
    return cause;
}

/* Appends clause after clause, from a piece back to the beginning of the call. */
static void say_trail(const struct trail *t, int64_t piece, struct buf *out) {
    while (piece >= 0) {
        int64_t first = first_in_row(t, piece);
        const struct message *m = message_of(t->messages, t->plan, (size_t)first);
        bool peer = t->piece_cause[first] == CAUSE_RECEIVER;
        // a peer that must have entered has released piece 0
        int chunk = peer ? 0 : (int)(first % t->plan->most_chunks);
        piece = say_entry(t, m->exchange, chunk, peer ? m->dst : m->src, out);
    }
}

/* Copies words as far as whole clauses fit. */
static void take_text(struct buf *words, char text[static OUTCOME_PATH]) {
    while (words->n >= OUTCOME_PATH) {
        char *clause = strrchr(words->text, ';');
        words->n = clause ? (size_t)(clause - words->text) : OUTCOME_PATH - 1;
        words->text[words->n] = '\0';
    }
    memcpy(text, words->text, words->n + 1);
    buf_clear(words);
}

void trail_from_piece(const struct trail *t, int64_t piece, char text[static OUTCOME_PATH]) {
    const struct message *m = message_of(t->messages, t->plan, (size_t)piece);
    struct buf words = {0};
    buf_printf(&words, "rank %d receives last in %s, from rank %d", m->dst, name_of(t, m->exchange),
               m->src);
    say_link(t, piece, &words);
    say_trail(t, piece, &words);
    take_text(&words, text);
}

void trail_from_entry(const struct trail *t, int exchange, int rank,
                      char text[static OUTCOME_PATH]) {
    struct buf words = {0};
    buf_printf(&words, "rank %d enters %s last", rank, name_of(t, exchange));
    say_trail(t, say_entry(t, exchange, 0, rank, &words), &words);
    take_text(&words, text);
}
