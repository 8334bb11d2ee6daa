/* SPDX-License-Identifier: BSD-3-Clause */
/* What holds for any simulation, tried on random platforms, matrices, windows, orders and fixed
 * costs. */
#include "tests/support/bed.h"

#include "platforms/base/rng.h"

enum { STAGES = 3 };

#define EXACT 1e-9

static double random_time_s(struct rng *r) {
    return rng_below(r, 3) == 0 ? 0 : rng_unit(r) * 20e-6;
}

/* A stage of random messages. */
static void random_stage(struct rng *r, struct bed *b, const char *name, bool local_work) {
    int ranks = b->topology->ranks;
    double *bytes = calloc((size_t)(ranks * ranks), sizeof *bytes), sparse = rng_unit(r);
    for (int i = 0; i < ranks * ranks; i++)
        bytes[i] = rng_unit(r) < sparse ? 0 : 1e5 * exp(1.5 * rng_normal(r));
    struct stage *stage = bed_stage(b, name, bytes);
    free(bytes);
    stage->unit_bytes = rng_below(r, 3) == 0 ? 5e4 : 0;
    if (!local_work)
        return;
    stage->splits = true;
    stage->pairs = calloc((size_t)ranks, sizeof *stage->pairs);
    for (int i = 0; i < ranks; i++)
        stage->pairs[i] = (double)rng_below(r, 1000);
}

static void random_bed(struct rng *r, struct bed *b, double enter_s[static 16]) {
    static const char *const names[] = {"first", "second", "third"};
    char text[400], port[60] = "";
    int groups = 1 + (int)rng_below(r, 4), local = 1 + (int)rng_below(r, 4);
    local += groups * local < 2; // one rank alone is no platform
    if (rng_below(r, 3) == 0)
        snprintf(port, sizeof port, "port_bandwidth: %.3fGBps\n", 60 + 400 * rng_unit(r));
    snprintf(text, sizeof text,
             "groups: %d\nranks_per_group: %d\n%s"
             "fast: {bandwidth: 450GBps, x_half: %dKiB}\n"
             "slow: {bandwidth: 50GBps, x_half: %dKiB, oversubscription: %.3f}\n",
             groups, local, port, (int)rng_below(r, 3) * 20, (int)rng_below(r, 3) * 20,
             1 + rng_unit(r) * (double)rng_below(r, 3));
    bed_open(b, text, (int)rng_below(r, ORDER_RANDOM + 1), (int64_t)rng_below(r, 5),
             (int)rng_below(r, 2));
    // without a second group there is no slow tier to send over
    b->how.intra_group_path =
        groups > 1 ? (int)rng_below(r, TOPO_PATH_RAIL + 1) : (int)TOPO_PATH_FAST;
    b->how.receive_window = (int64_t)rng_below(r, 4);
    b->call.order_seed = rng_u64(r);
    b->call.chunks = rng_below(r, 2) ? 1 : 1 + (int)rng_below(r, 5);
    int stages = 1 + (int)rng_below(r, STAGES);
    for (int s = 0; s < stages; s++)
        random_stage(r, b, names[s], s > 0 && rng_below(r, 2));
    for (int rank = 0; rank < b->topology->ranks; rank++)
        enter_s[rank] = random_time_s(r);
    if (rng_below(r, 2))
        b->call.enter_s = enter_s;
}

static struct costs random_costs(struct rng *r) {
    return (struct costs){.alpha_s = {random_time_s(r), random_time_s(r), random_time_s(r)},
                          .latency_s = {random_time_s(r), random_time_s(r)},
                          .splits_s = random_time_s(r),
                          .chain_s_per_pair = 1e-9 * rng_unit(r),
                          .chain_floor_s = rng_below(r, 2) ? 1e-6 : 0};
}

/* A rank ends no sooner than it enters; what it is sent arrives. */
static void check_ranks(const struct bed *b, const struct costs *costs, const struct outcome *o) {
    for (int rank = 0; rank < b->topology->ranks; rank++) {
        double first_s = costs->alpha_s[0] + (b->call.enter_s ? b->call.enter_s[rank] : 0);
        bool sends = false, receives = false;
        for (int s = 0; s < b->call.n_stages; s++) {
            const struct matrix *m = &b->call.stages[s].bytes;
            for (int other = 0; other < m->ranks; other++) {
                sends = sends || (other != rank && m->value[rank * m->ranks + other] > 0);
                receives = receives || (other != rank && m->value[other * m->ranks + rank] > 0);
            }
        }
        assert_true(o->recv_end_s[rank] <= o->time_s);
        assert_true(o->send_end_s[rank] <= o->time_s);
        assert_true(o->time_s >= first_s * (1 - EXACT));
        assert_true(sends ? o->send_end_s[rank] > first_s * (1 - EXACT) : o->send_end_s[rank] == 0);
        assert_int_equal(receives, o->recv_end_s[rank] > 0);
    }
}

static void check_bins(const struct outcome *o, int n_links) {
    for (int l = 0; l < n_links && o->link_bins > 0; l++) {
        double sum = 0;
        for (int i = 0; i < o->link_bins; i++) {
            assert_true(o->link_bin_bytes[l * o->link_bins + i] >= -EXACT * 1e5);
            sum += o->link_bin_bytes[l * o->link_bins + i];
        }
        assert_near(sum, o->link_bytes[l], EXACT * fmax(o->link_bytes[l], 1e5));
    }
}

static void check_outcome(const struct bed *b, const struct costs *costs, const struct outcome *o) {
    int n_links = b->topology->n_links, chunks = b->call.chunks;
    assert_true(o->time_s >= (costs->alpha_s[0] + bed_bound_s(b)) * (1 - EXACT));
    double *bytes = calloc((size_t)n_links, sizeof *bytes), last_s = 0, pairs = 0;
    for (int s = 0; s < b->call.n_stages; s++) {
        const struct matrix *m = &b->call.stages[s].bytes;
        call_link_load(&b->call, s, bytes, NULL);
        for (int i = 0; i < m->ranks * m->ranks; i++)
            pairs += i / m->ranks != i % m->ranks && m->value[i] > 0;
    }
    for (int l = 0; l < n_links; l++)
        assert_near(o->link_bytes[l], bytes[l], EXACT * fmax(bytes[l], 1e5));
    for (int s = 0; s < o->n_stages; s++) {
        assert_true(o->stages[s].start_s <= o->stages[s].end_s && o->stages[s].end_s <= o->time_s);
        last_s = fmax(last_s, o->stages[s].end_s);
    }
    assert_rel(last_s, o->time_s, 0);
    // each piece is one flow, or two with a cost
    assert_true((double)o->flows >= pairs * chunks && (double)o->flows <= 2 * pairs * chunks);
    assert_true(o->fairness > 0 && o->fairness <= 1 + EXACT);
    assert_true(strncmp(o->critical_path, "rank ", 5) == 0);
    check_ranks(b, costs, o);
    check_bins(o, n_links);
    free(bytes);
}

static void time_is_above_the_bound_and_bytes_are_conserved(void **state) {
    (void)state;
    struct rng r;
    rng_init(&r, check_seed("engine"), "engine", 0);
    for (int i = 0; i < 250; i++) {
        struct bed b;
        double enter_s[16];
        random_bed(&r, &b, enter_s);
        struct costs costs = random_costs(&r);
        struct outcome o;
        struct err e;
        const struct sim_options options = {.link_bins = i % 2 ? 7 : 0,
                                            .engine = i / 2 % 2 ? SIM_ENGINE_FLUID : SIM_ENGINE_SIMGRID,
                                            .checked = true};
        assert_ok(sim_run(&b.call, &costs, 1, &options, &o, &e), &e);
        check_outcome(&b, &costs, &o);
        outcome_clear(&o);
        bed_close(&b);
    }
}

/* alpha of the first stage shifts all, exactly. */
static void time_rises_with_the_first_alpha(void **state) {
    (void)state;
    struct rng r;
    rng_init(&r, check_seed("engine-alpha"), "engine-alpha", 0);
    for (int i = 0; i < 40; i++) {
        struct bed b;
        double enter_s[16];
        random_bed(&r, &b, enter_s);
        struct costs costs = random_costs(&r);
        struct outcome before = bed_run(&b, &costs);
        costs.alpha_s[0] += 5e-6;
        struct outcome after = bed_run(&b, &costs);
        assert_rel(after.time_s, before.time_s + 5e-6, EXACT);
        outcome_clear(&before);
        outcome_clear(&after);
        bed_close(&b);
    }
}

/* A later alpha delays the entries into its stage. Where links are shared that may by chance untangle
 * others; so each port here carries one message: 0 -> 1 and 3 -> 4, then 1 -> 2 and 4 -> 0, then
 * 2 -> 3. */
static void without_sharing_time_rises_with_every_alpha(void **state) {
    (void)state;
    static const int to[STAGES][5] = {
        {1, -1, -1, 4, -1}, {-1, 2, -1, -1, 0}, {-1, -1, 3, -1, -1}};
    struct rng r;
    rng_init(&r, check_seed("engine-alphas"), "engine-alphas", 0);
    for (int i = 0; i < 40; i++) {
        struct bed b;
        bed_open(&b,
                 "groups: 1\nranks_per_group: 5\nfast: {bandwidth: 450GBps}\n"
                 "slow: {bandwidth: 50GBps}\n",
                 ORDER_SHIFT, (int)rng_below(&r, 3), (int)rng_below(&r, 2));
        b.call.chunks = 1 + (int)rng_below(&r, 3);
        for (int s = 0; s < STAGES; s++) {
            double bytes[25] = {0};
            for (int rank = 0; rank < 5; rank++)
                if (to[s][rank] >= 0)
                    bytes[rank * 5 + to[s][rank]] = 1e6 * rng_unit(&r);
            bed_stage(&b, "relay", bytes);
        }
        struct costs costs = random_costs(&r);
        double last_s = 0;
        for (int k = 0; k < 4; k++) {
            struct outcome o = bed_run(&b, &costs);
            assert_true(o.time_s >= last_s * (1 - EXACT));
            last_s = o.time_s;
            outcome_clear(&o);
            costs.alpha_s[k % STAGES] += 2e-6 * rng_unit(&r);
        }
        bed_close(&b);
    }
}

/* One piece per message is the serial call, bit by bit, whether the call says 1 or nothing. */
static void one_piece_is_serial(void **state) {
    (void)state;
    struct rng r;
    rng_init(&r, check_seed("engine-serial"), "engine-serial", 0);
    for (int i = 0; i < 40; i++) {
        struct bed b;
        double enter_s[16];
        random_bed(&r, &b, enter_s);
        struct costs costs = random_costs(&r);
        struct outcome o[2];
        for (int chunks = 0; chunks < 2; chunks++) {
            b.call.chunks = chunks;
            o[chunks] = bed_run(&b, &costs);
        }
        assert_memory_equal(&o[0].time_s, &o[1].time_s, sizeof o[0].time_s);
        assert_memory_equal(o[0].recv_end_s, o[1].recv_end_s,
                            (size_t)b.topology->ranks * sizeof(double));
        for (int chunks = 0; chunks < 2; chunks++)
            outcome_clear(&o[chunks]);
        bed_close(&b);
    }
}

/* With xor no two senders aim at one receiver in a turn when ranks are a power of two. */
static void uniform_xor_meets_the_bound(void **state) {
    (void)state;
    const int64_t windows[] = {1, 3, 0};
    for (int i = 0; i < 3; i++) {
        struct bed b;
        bed_open(&b,
                 "groups: 1\nranks_per_group: 8\nfast: {bandwidth: 50GBps, x_half: 54KiB}\n"
                 "slow: {bandwidth: 50GBps}\n",
                 ORDER_XOR, windows[i], START_RENDEZVOUS);
        bed_uniform(&b, "one_hop", 1e6);
        struct outcome o = bed_run(&b, &(struct costs){0});
        assert_rel(o.time_s, bed_bound_s(&b), EXACT);
        outcome_clear(&o);
        bed_close(&b);
    }
}

/* Bytes, x_half and bandwidths scaled together change nothing: absolute tolerances of an engine must
 * not show. */
static void scaling_changes_nothing(void **state) {
    (void)state;
    const double scales[] = {1e-6, 1, 1e5};
    double time_s[3];
    for (int i = 0; i < 3; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "groups: 2\nranks_per_group: 3\nfast: {bandwidth: %.17gBps, x_half: %.17gB}\n"
                 "slow: {bandwidth: %.17gBps, x_half: %.17gB, oversubscription: 1.5}\n",
                 450e9 * scales[i], 50e3 * scales[i], 50e9 * scales[i], 50e3 * scales[i]);
        struct bed b;
        bed_open(&b, text, ORDER_GROUP_SHIFT, 4, START_RENDEZVOUS);
        double bytes[36];
        for (int k = 0; k < 36; k++)
            bytes[k] = (1e5 + 1e4 * ((k * 31) % 17)) * scales[i];
        bed_stage(&b, "one_hop", bytes);
        struct outcome o = bed_run(&b, &(struct costs){0});
        time_s[i] = o.time_s;
        outcome_clear(&o);
        bed_close(&b);
    }
    assert_rel(time_s[0], time_s[1], EXACT);
    assert_rel(time_s[2], time_s[1], EXACT);
}

/* The same, in time: messages of a few bytes and of gigabytes are simulated equally well. */
static void sizes_scale_time(void **state) {
    (void)state;
    const double scales[] = {1e-5, 1, 1e6};
    double time_s[3];
    for (int i = 0; i < 3; i++) {
        struct bed b;
        bed_open(&b,
                 "groups: 2\nranks_per_group: 3\nfast: {bandwidth: 450GBps}\nslow: {bandwidth: "
                 "50GBps}\n",
                 ORDER_GROUP_SHIFT, 2, START_RENDEZVOUS);
        double bytes[36];
        for (int k = 0; k < 36; k++)
            bytes[k] = (1e5 + 1e4 * ((k * 31) % 17)) * scales[i];
        bed_stage(&b, "one_hop", bytes);
        struct outcome o = bed_run(&b, &(struct costs){0});
        time_s[i] = o.time_s / scales[i];
        outcome_clear(&o);
        bed_close(&b);
    }
    assert_rel(time_s[0], time_s[1], EXACT);
    assert_rel(time_s[2], time_s[1], EXACT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_is_above_the_bound_and_bytes_are_conserved),
        cmocka_unit_test(time_rises_with_the_first_alpha),
        cmocka_unit_test(without_sharing_time_rises_with_every_alpha),
        cmocka_unit_test(one_piece_is_serial),
        cmocka_unit_test(uniform_xor_meets_the_bound),
        cmocka_unit_test(scaling_changes_nothing),
        cmocka_unit_test(sizes_scale_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
