/* SPDX-License-Identifier: BSD-3-Clause */
/* What holds for any simulation, tried on random platforms, matrices, windows, orders and fixed
 * costs. */
#include "tests/support/bed.h"

#include "platforms/base/rng.h"

#define EXACT 1e-9

static double random_time_s(struct rng *r) {
    return rng_below(r, 3) == 0 ? 0 : rng_unit(r) * 20e-6;
}

static void random_bed(struct rng *r, struct bed *b) {
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
    bed_open(b, text, (int)rng_below(r, 2), (int64_t)rng_below(r, 5), (int)rng_below(r, 2));
    int ranks = b->topology->ranks, stages = 1 + (int)rng_below(r, 2);
    double *bytes = calloc((size_t)(ranks * ranks), sizeof *bytes);
    for (int s = 0; s < stages; s++) {
        double sparse = rng_unit(r);
        for (int i = 0; i < ranks * ranks; i++)
            bytes[i] = rng_unit(r) < sparse ? 0 : 1e5 * exp(1.5 * rng_normal(r));
        struct stage *stage = bed_stage(b, s ? "second" : "first", bytes);
        if (s == 0 || rng_below(r, 2))
            continue;
        stage->splits = true;
        stage->pairs = calloc((size_t)ranks, sizeof *stage->pairs);
        for (int i = 0; i < ranks; i++)
            stage->pairs[i] = (double)rng_below(r, 1000);
    }
    free(bytes);
}

static void check_outcome(const struct bed *b, const struct costs *costs, const struct outcome *o) {
    int n_links = b->topology->n_links, ranks = b->topology->ranks;
    assert_true(o->time_s >= (costs->alpha_s[0] + bed_bound_s(b)) * (1 - EXACT));
    double *bytes = calloc((size_t)n_links, sizeof *bytes), messages = 0, last_s = 0;
    for (int s = 0; s < b->step.n_stages; s++)
        step_link_load(&b->step, s, bytes, NULL);
    for (int l = 0; l < n_links; l++)
        assert_near(o->link_bytes[l], bytes[l], EXACT * fmax(bytes[l], 1e5));
    for (int s = 0; s < o->n_stages; s++) {
        assert_true(o->stages[s].start_s <= o->stages[s].end_s && o->stages[s].end_s <= o->time_s);
        messages += o->stages[s].messages;
        last_s = fmax(last_s, o->stages[s].end_s);
    }
    assert_rel(last_s, o->time_s, 0);
    assert_true((double)o->flows >= messages && (double)o->flows <= 2 * messages);
    for (int rank = 0; rank < ranks; rank++) {
        assert_true(o->recv_end_s[rank] <= o->time_s);
        assert_true(o->send_end_s[rank] <= o->time_s);
    }
    free(bytes);
}

static void time_is_above_the_bound_and_bytes_are_conserved(void **state) {
    (void)state;
    struct rng r;
    rng_init(&r, check_seed("engine"), "engine", 0);
    for (int i = 0; i < 150; i++) {
        struct bed b;
        random_bed(&r, &b);
        struct costs costs = {.alpha_s = {random_time_s(&r), random_time_s(&r)},
                              .latency_s = {random_time_s(&r), random_time_s(&r)},
                              .splits_s = random_time_s(&r),
                              .chain_s_per_pair = 1e-9 * rng_unit(&r)};
        struct outcome o = bed_run(&b, &costs);
        check_outcome(&b, &costs, &o);
        outcome_clear(&o);
        bed_close(&b);
    }
}

/* Bytes, x_half and bandwidths scaled together change nothing: SimGrid's absolute tolerances must
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
        cmocka_unit_test(scaling_changes_nothing),
        cmocka_unit_test(sizes_scale_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
