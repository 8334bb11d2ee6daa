/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/packet_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"

static void add_row(const struct packet_case *c, const struct packet_result *r, struct packet_row *row) {
    const bool leaves = c->topology == PACKET_LEAF_SPINE;
    *row = (struct packet_row){.of = c,
                               .transport = r->transport,
                               .class = r->class,
                               .topology = !leaves                         ? ALLOWANCE_SWITCH
                                           : c->oversubscription.value > 1 ? ALLOWANCE_OVERSUBSCRIBED
                                                                           : ALLOWANCE_FULL,
                               .wire_s = c->fluid_us.value * 1e-6 * r->slowed,
                               .bound_s = c->bound_us.value * 1e-6 * r->slowed,
                               .rtt_short_s = c->rtt_us.value * 1e-6,
                               .rtt_s = c->rtt_long_us.value * 1e-6,
                               .first_s = r->time_s[0],
                               .last_s = r->time_s[r->n_times - 1]};
    row->bdp = packet_message_bytes(c) / (packet_rate_Bps(c) * row->rtt_s);
}

struct packet_row *packet_rows(const struct packet_corpus *c, size_t *n) {
    const struct packet_case *cases = c->cases.items;
    size_t total = 0;
    for (size_t i = 0; i < c->cases.n; i++)
        total += cases[i].results.n;
    struct packet_row *rows = mem_alloc(total + 1, sizeof *rows);
    *n = 0;
    for (size_t i = 0; i < c->cases.n; i++) {
        const struct packet_result *results = cases[i].results.items;
        for (size_t k = 0; k < cases[i].results.n; k++)
            add_row(&cases[i], &results[k], &rows[(*n)++]);
    }
    return rows;
}

bool packet_is_fitted(const struct packet_row *row) {
    return row->of->window == 0 && row->class != PACKET_UNTUNED && row->class != TRANSPORT_IDEAL &&
           (row->class != TRANSPORT_DROPS || row->bdp >= ALLOWANCE_DROPS_BDP);
}

/* --- the fit ----------------------------------------------------------------------------------- */

/* A row that the fit must reach: e + k x >= y. */
struct wanted {
    double x, y;
};
struct best {
    double e, k, cost;
};

/* Keeps e and k as the best pair where they reach all rows at less cost than before. */
static void try_pair(const struct wanted *all, size_t n, double e, double k, struct best *best) {
    double cost = 0;
    if (!(e >= 0 && k >= 0))
        return;
    for (size_t i = 0; i < n; i++) {
        if (e + k * all[i].x < all[i].y - 1e-12)
            return;
        cost += e + k * all[i].x;
    }
    if (cost < best->cost)
        *best = (struct best){e, k, cost};
}

/* Returns the pair of smallest cost, which lies at a corner: where two of the lines cross, or one meets an axis. */
static struct best find_best(const struct wanted *all, size_t n) {
    struct best best = {0, 0, INFINITY};
    try_pair(all, n, 0, 0, &best);
    for (size_t i = 0; i < n; i++) {
        try_pair(all, n, all[i].y, 0, &best);
        try_pair(all, n, 0, all[i].y / all[i].x, &best);
        for (size_t j = 0; j < i; j++) {
            double k = (all[i].y - all[j].y) / (all[i].x - all[j].x);
            if (all[i].x != all[j].x)
                try_pair(all, n, all[i].y - k * all[i].x, k, &best);
        }
    }
    return best;
}

static bool is_seen(const struct packet_row *row, const struct packet_without *without) {
    return !without ||
           (row->of != without->of && (!without->transport || strcmp(row->transport, without->transport) != 0));
}

void packet_fit(const struct packet_row *rows, size_t n, int class, int topology, const struct packet_without *without,
                struct allowance_fit *fit) {
    struct wanted *all = mem_alloc(n + 1, sizeof *all);
    const struct packet_case *last = NULL; // rows of a case lie together
    struct allowance_fit f = {.least_bdp = INFINITY};
    for (size_t i = 0; i < n; i++) {
        const struct packet_row *r = &rows[i];
        if (r->class != class || r->topology != topology || !packet_is_fitted(r) || !is_seen(r, without))
            continue;
        f.cases += r->of != last;
        last = r->of;
        f.least_bdp = fmin(f.least_bdp, r->bdp);
        all[f.rows++] = (struct wanted){r->rtt_s / (r->wire_s + r->rtt_s), r->last_s / (r->wire_s + r->rtt_s) - 1};
    }
    if (f.rows) {
        struct best best = find_best(all, (size_t)f.rows);
        f.e = best.e;
        f.k = best.k;
    }
    free(all);
    *fit = f.rows ? f : (struct allowance_fit){0};
}

/* --- rows left out ----------------------------------------------------------------------------- */

static void score(const struct packet_row *row, const struct allowance_fit *fit, struct packet_score *s,
                  double *high_s) {
    double end_s = allowance_high_s(fit, row->wire_s, row->rtt_s);
    s->rows++;
    s->kept += row->last_s <= end_s;
    if (high_s)
        *high_s = end_s;
}

struct packet_score packet_leave_case(const struct packet_row *rows, size_t n, double *high_s) {
    struct packet_score s = {0};
    for (size_t i = 0; i < n; i++) {
        const struct packet_row *r = &rows[i];
        struct allowance_fit fit;
        if (!packet_is_fitted(r))
            continue;
        packet_fit(rows, n, r->class, r->topology, NULL, &fit);
        if (fit.cases < ALLOWANCE_LEAST_CASES) // no claim is made there
            continue;
        packet_fit(rows, n, r->class, r->topology, &(struct packet_without){.of = r->of}, &fit);
        score(r, &fit, &s, high_s ? &high_s[i] : NULL);
    }
    return s;
}

struct packet_score packet_leave_transport(const struct packet_row *rows, size_t n, int class) {
    struct packet_score s = {0};
    for (size_t i = 0; i < n; i++) {
        struct allowance_fit fit;
        if (rows[i].class != class || !packet_is_fitted(&rows[i]))
            continue;
        packet_fit(rows, n, class, rows[i].topology, &(struct packet_without){.transport = rows[i].transport}, &fit);
        if (fit.cases >= ALLOWANCE_LEAST_CASES)
            score(&rows[i], &fit, &s, NULL);
    }
    return s;
}

struct packet_score packet_committed(const struct packet_row *rows, size_t n, double *high_s) {
    struct packet_score s = {0};
    for (size_t i = 0; i < n; i++) {
        if (!packet_is_fitted(&rows[i]))
            continue;
        const struct allowance_fit *fit = &allowance_fits[rows[i].class][rows[i].topology];
        if (fit->cases >= ALLOWANCE_LEAST_CASES && rows[i].bdp >= fit->least_bdp * (1 - 1e-3))
            score(&rows[i], fit, &s, high_s ? &high_s[i] : NULL);
    }
    return s;
}

double packet_constants_off(const struct packet_row *rows, size_t n) {
    double worst = 0;
    for (int class = 0; class < TRANSPORT_COUNT; class ++)
        for (int topology = 0; topology < ALLOWANCE_CLASSES; topology++) {
            const struct allowance_fit *committed = &allowance_fits[class][topology];
            struct allowance_fit fit;
            packet_fit(rows, n, class, topology, NULL, &fit);
            double apart = fmax(fabs(fit.e - committed->e) / (1 + fit.e), fabs(fit.k - committed->k) / (1 + fit.k));
            worst = fmax(worst, apart);
            if (fit.cases != committed->cases || fit.rows != committed->rows ||
                fabs(fit.least_bdp - committed->least_bdp) > 0.005 * fit.least_bdp)
                worst = INFINITY;
        }
    return worst;
}
