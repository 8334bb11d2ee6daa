/* SPDX-License-Identifier: BSD-3-Clause */
/* A check of the engine that does not use it: a real MPI_Alltoallv under smpirun, linear and pairwise, against the
 * engine with the same schedule. Linear: all messages at once. Pairwise: round k is an exchange with rank xor k, and a
 * rank begins a round when both its send and its receive of the round before are over - a sequence of calls of one
 * message a rank. Both engines play the linear one. Latencies are 0: with others SimGrid's CM02 weighs flows by them,
 * which the engines do not. */
#include "tests/support/bed.h"
#include "tests/support/smpi.h"

#include "platforms/base/rng.h"
#include "validation/samples.h"

enum { MEAN_BYTES = 100000 };
static const double agreement = 0.01;

struct shape {
    const char *platform;
    int ranks;
};
static const struct shape shapes[] = {
    {"groups: 2\nranks_per_group: 4\nfast: {bandwidth: 20GBps}\nslow: {bandwidth: 5GBps}\n", 8},
    {"groups: 2\nranks_per_group: 8\nfast: {bandwidth: 50GBps}\nslow: {bandwidth: 5GBps, oversubscription: 2}\n", 16},
    {"groups: 4\nranks_per_group: 8\nfast: {bandwidth: 20GBps}\nslow: {bandwidth: 10GBps, oversubscription: 4}\n", 32},
    {"groups: 8\nranks_per_group: 8\nfast: {bandwidth: 40GBps}\nslow: {bandwidth: 5GBps, oversubscription: 2}\n", 64},
};

/* Whole bytes, diagonal 0; skewed: lognormal, sigma 1. */
static double *draw_bytes(int ranks, bool skewed) {
    size_t n = (size_t)ranks;
    double *bytes = calloc(n * n, sizeof *bytes);
    struct rng r;
    rng_init(&r, 7, "engine-against-mpi", n);
    for (size_t i = 0; i < n * n; i++)
        bytes[i] = i % (n + 1) == 0 ? 0 : floor(MEAN_BYTES * (skewed ? exp(rng_normal(&r) - 0.5) : 1));
    return bytes;
}

static void write_matrix(const double *bytes, int ranks) {
    struct matrix m;
    struct err e;
    matrix_from_dense(bytes, ranks, true, &m);
    assert_ok(matrix_write_csv(&m, "bytes", "m.csv", &e), &e);
    matrix_clear(&m);
}

/* Time of MPI_Alltoallv under SMPI with this algorithm. */
static double mpi_time_s(const struct shape *s, const char *network, const char *more) {
    struct platform *p = bed_platform(s->platform);
    struct samples *samples;
    struct err e;
    const struct smpi_run run = {.platform = s->platform, .network = network, .more = more,
                                 .measure = "--warm-up 0 --least 1 --most 1 --quantities replay --matrix m.csv"};
    smpi_measure(&run, p);
    assert_ok(samples_load("samples.csv", NULL, &samples, &e), &e);
    assert_int_equal(samples->items[0].quantity, SAMPLED_REPLAY);
    double time_s = -1;
    for (size_t i = 0; i < samples->n; i++)
        if (samples->items[i].regime == REGIME_OBSERVED)
            time_s = samples->items[i].time_s;
    assert_true(time_s > 0);
    samples_free(samples);
    plat_free(p);
    return time_s;
}

static double linear_s(const struct shape *s, const double *bytes, enum sim_engine engine) {
    struct bed b;
    bed_open(&b, s->platform, ORDER_SHIFT, 0, START_RENDEZVOUS);
    bed_stage(&b, "linear", bytes);
    struct outcome o = bed_run_with(&b, &(struct costs){0}, engine);
    double time_s = o.time_s;
    outcome_clear(&o);
    bed_close(&b);
    return time_s;
}

/* One round as a call: each rank's message to rank xor k. */
static void add_round(const struct bed *b, const double *bytes, int k, struct call *call) {
    int ranks = b->topology->ranks;
    size_t pairs = (size_t)ranks * (size_t)ranks;
    double *round = calloc(pairs, sizeof *round);
    for (int src = 0; src < ranks; src++)
        round[src * ranks + (src ^ k)] = bytes[src * ranks + (src ^ k)];
    *call = b->call;
    struct stage *stage = call_add_stage(call, "round");
    stage->world = ranks;
    stage->span = TIER_SLOW;
    matrix_from_dense(round, ranks, false, &stage->bytes);
    free(round);
}

static double pairwise_s(const struct shape *s, const double *bytes) {
    struct bed b;
    bed_open(&b, s->platform, ORDER_SHIFT, 0, START_RENDEZVOUS);
    size_t n = (size_t)s->ranks - 1;
    struct call *calls = calloc(n, sizeof *calls);
    struct costs *costs = calloc(n, sizeof *costs);
    struct outcome *outcomes = calloc(n, sizeof *outcomes);
    double total_s;
    struct err e;
    for (size_t i = 0; i < n; i++)
        add_round(&b, bytes, (int)i + 1, &calls[i]);
    const struct sim_sequence rounds = {calls, costs, n, REGIME_AHEAD};
    assert_ok(sim_run_sequence(&rounds, &(struct sim_options){0}, outcomes, &total_s, &e), &e);
    for (size_t i = 0; i < n; i++) {
        outcome_clear(&outcomes[i]);
        call_clear(&calls[i]);
    }
    free(calls);
    free(costs);
    free(outcomes);
    bed_close(&b);
    return total_s;
}

static void compare(const struct shape *s, bool skewed, bool pairwise) {
    double *bytes = draw_bytes(s->ranks, skewed);
    write_matrix(bytes, s->ranks);
    double mpi_s = mpi_time_s(s, smpi_pinned, pairwise ? "--cfg=smpi/alltoallv:pair" : NULL);
    double engine_s = pairwise ? pairwise_s(s, bytes) : linear_s(s, bytes, SIM_ENGINE_SIMGRID);
    print_message("%d ranks, %s, %s: MPI %.6g s, engine %.6g s (%+.4f %%)\n", s->ranks, skewed ? "skewed" : "uniform",
                  pairwise ? "pairwise" : "linear", mpi_s, engine_s, 100 * (engine_s / mpi_s - 1));
    assert_rel(engine_s, mpi_s, agreement);
    if (!pairwise)
        assert_rel(linear_s(s, bytes, SIM_ENGINE_FLUID), mpi_s, agreement);
    free(bytes);
    smpi_clean();
}

static void linear_and_pairwise(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int kind = 0; kind < 4; kind++)
            compare(&shapes[i], kind & 1, kind & 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_and_pairwise),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
