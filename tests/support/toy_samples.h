/* SPDX-License-Identifier: BSD-3-Clause */
/* toy_samples.h - samples of a made-up machine of 2 groups of 4 ranks, as the text of a file of samples.
 *
 * Units: SI. Errors: none. Ownership: the test clears maker.text.
 * Edges: without noise times are off by 0.2 % at most. */
#ifndef TESTS_SUPPORT_TOY_SAMPLES_H
#define TESTS_SUPPORT_TOY_SAMPLES_H

#include "platforms/base/rng.h"
#include "validation/samples.h"

static const char head[] = "# schema: moesim/samples/1\n# machine: toy\n# implementation: mpi-linear\n# groups: 2\n"
                           "# ranks_per_group: 4\n# clock: 1ns\n"
                           "quantity,part,regime,span,world,senders,peers,message_bytes,send_bytes,calls,repeat,turn,"
                           "time_s\n";

/* --- a made-up machine ---------------------------------------------------------------------------- */

static const double rate_Bps[] = {20e9, 4e9}, latency_s[] = {1e-6, 4e-6}, cost_s[] = {0.3e-6, 0.9e-6};
static const double uplink_Bps = 8e9, alpha_s[] = {3e-6, 9e-6};
enum { REPEATS = 8 };

struct maker {
    struct buf text;
    int turn;
    double held_factor; /* on all-to-alls: what no constant sees may be something else */
    struct rng *noise;  /* NULL, or times are off by up to e^-sigma .. e^sigma and more */
    double sigma;
};

static const char *const span_names[] = {"fast", "slow"};

/* Adds repeats with a noise of +-0.2 %; `late` multiplies the second half. */
static void put(struct maker *m, const struct sample *s, double time_s, double late) {
    static const double noise[REPEATS] = {1, 1.002, 0.998, 1.001, 0.999, 1.0015, 0.9985, 1};
    for (int i = 0; i < REPEATS; i++)
        buf_printf(&m->text, "%s,%s,%s,%s,%d,%d,%d,%.17g,%.17g,%d,%d,%d,%.9g\n", sampled_name(s->quantity),
                   s->part ? s->part : "", regime_name((enum regime)s->regime), span_names[s->span], (int)s->world,
                   (int)s->senders, (int)s->peers, s->message_bytes, s->send_bytes, (int)s->calls, i, m->turn++,
                   time_s * noise[i] * (i >= REPEATS / 2 ? late : 1) *
                       (m->noise ? exp(m->sigma * rng_normal(m->noise)) : 1));
}

static void put_pairs(struct maker *m, int span) {
    for (double bytes = 1e5; bytes < 1e7; bytes *= 2)
        for (int pairs = 1; pairs <= (span ? 4 : 2); pairs++) {
            double rate = span && pairs * rate_Bps[1] > uplink_Bps ? uplink_Bps / pairs : rate_Bps[span];
            put(m, &(struct sample){SAMPLED_PAIRS, NULL, REGIME_OBSERVED, span, 2 * pairs, pairs, 8, 1, 0, 0, bytes,
                                    8 * bytes, 0}, 2e-6 + latency_s[span] + 8 * bytes / rate, 1);
        }
}

static void put_short(struct maker *m, int span) {
    for (int n = 1; n <= 64; n *= 2)
        put(m, &(struct sample){SAMPLED_MESSAGES, NULL, REGIME_OBSERVED, span, 2, 1, n, 1, 0, 0, 8, 8 * n, 0},
            2e-6 + n * (cost_s[span] + 8 / rate_Bps[span]), 1);
    for (int trips = 8; trips <= 32; trips *= 2)
        put(m, &(struct sample){SAMPLED_PING_PONG, NULL, REGIME_OBSERVED, span, 2, 1, 1, trips, 0, 0, 8, 8, 0},
            1e-6 + 2 * trips * (latency_s[span] + cost_s[span] + 8 / rate_Bps[span]), 1);
}

/* Time of one even call over a world without its alpha: messages one after the other. */
static double messages_s(int span, int world, double bytes) {
    int local = span ? world / 2 : world;
    return (local - 1) * (cost_s[0] + bytes / rate_Bps[0]) + (world - local) * (cost_s[1] + bytes / rate_Bps[1]);
}

/* bump: on alpha of world 6 */
static void put_scans(struct maker *m, double bump) {
    static const int worlds[][4] = {{2, 3, 4, 0}, {2, 4, 6, 8}};
    for (int span = 0; span < 2; span++)
        for (int i = 0; i < 4 && worlds[span][i]; i++)
            for (int k = 0; k < 8; k++) {
                int w = worlds[span][i], calls = 1 << 2 * (k / 2);
                double alpha = alpha_s[span] * (w == 6 ? bump : 1);
                put(m, &(struct sample){SAMPLED_CALL_SCAN, NULL, k % 2, span, w, w, w - 1, calls, 0, 0, 8,
                                        8.0 * w, 0}, 1e-6 + calls * (alpha + messages_s(span, w, 8)), 1);
            }
}

/* The law of a whole call: alpha + messages at half the slow rate. ahead: factor on the other regime. */
static void put_sweep(struct maker *m, double ahead) {
    int size = 0;
    for (double bytes = 4096; bytes <= 4096 << 8; bytes *= 2, size++) {
        double costs_s = messages_s(1, 8, 0), time_s = alpha_s[1] + costs_s + 7 * bytes / 2e9;
        const double factor = size % 3 == 1 && m->held_factor > 0 ? m->held_factor : 1;
        struct sample s = {SAMPLED_ALLTOALL, NULL, REGIME_OBSERVED, 1, 8, 8, 7, 1, 0, 0, bytes, 8 * bytes, 0};
        put(m, &s, time_s * factor, 1);
        s.regime = REGIME_AHEAD;
        put(m, &s, time_s * factor * ahead, 1);
    }
}

static void put_machine(struct maker *m) {
    buf_text(&m->text, head);
    for (int span = 0; span < 2; span++) {
        put_pairs(m, span);
        put_short(m, span);
    }
    put_scans(m, 1);
    put_sweep(m, 1);
}

#endif
