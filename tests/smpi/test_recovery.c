/* SPDX-License-Identifier: BSD-3-Clause */
/* The proof without a cluster: the program that measures machines, unmodified, on simulated machines; calibrate finds
 * their constants within 2 %. */
#include "tests/support/bed.h"
#include "tests/support/smpi.h"

#include "validation/calibrate_files.h"

static const char quick[] = "--warm-up 1 --least 3 --most 3 --most-calls 64 --max-bytes 2097152 --machine bed "
                            "--quantities call-scan,sweep,ping-pong,pairs,messages,replay";
static const double within = 0.02;

struct measured {
    struct platform *truth;
    struct samples *samples;
    struct calibration c;
};

static void measure(const struct smpi_run *run, struct measured *m) {
    struct err e;
    m->truth = bed_platform(run->platform);
    smpi_measure(run, m->truth);
    assert_ok(samples_load("samples.csv", NULL, &m->samples, &e), &e);
    assert_ok(calibrate(m->samples, &m->c, &e), &e);
}

static void measured_free(struct measured *m) {
    calibration_clear(&m->c);
    samples_free(m->samples);
    plat_free(m->truth);
    smpi_clean();
}

static void near(const struct fitted *k, double truth, const char *what) {
    if (!k->known)
        fail_msg("%s was not found", what);
    print_message("%s: %.6g, truth %.6g (%+.3f %%)\n", what, k->value, truth, 100 * (k->value / truth - 1));
    assert_rel(k->value, truth, within);
}

/* alpha of calls that are observed is a latency: all messages of a call leave at once. */
static void check_alphas(const struct measured *m, size_t least) {
    size_t seen = 0;
    for (size_t i = 0; i < m->c.n_alpha; i++) {
        const struct calibrated_alpha *a = &m->c.alpha[i];
        if (a->regime != REGIME_OBSERVED)
            continue;
        near(&a->time_s, m->truth->tier[a->span].latency_s.value, a->span ? "alpha across" : "alpha inside");
        seen++;
    }
    assert_true(seen >= least);
}

static void check_tiers(const struct measured *m, double cost_s) {
    for (int span = 0; span < 2; span++) {
        const struct calibrated_tier *t = &m->c.tier[span];
        double header_s = smpi_header_bytes / m->truth->tier[span].bandwidth_Bps.value;
        near(&t->bandwidth_Bps, m->truth->tier[span].bandwidth_Bps.value, span ? "slow rate" : "fast rate");
        near(&t->latency_s, m->truth->tier[span].latency_s.value, span ? "slow latency" : "fast latency");
        near(&t->message_cost_s, cost_s > 0 ? cost_s : header_s, "cost of a message");
    }
}

static void a_switch_and_slow_ports(void **state) {
    (void)state;
    const struct smpi_run run = {.platform = "groups: 2\nranks_per_group: 4\nfast: {bandwidth: 10GBps, latency: 1us}\n"
                                             "slow: {bandwidth: 1GBps, latency: 5us}\n",
                                 .network = smpi_pinned, .measure = quick};
    struct measured m;
    measure(&run, &m);
    check_tiers(&m, 0);
    check_alphas(&m, 6);
    near(&m.c.oversubscription, 1, "oversubscription");
    measured_free(&m);
}

static void a_shared_uplink(void **state) {
    (void)state;
    const struct smpi_run run = {.platform = "groups: 2\nranks_per_group: 6\n"
                                             "fast: {bandwidth: 40GBps, latency: 0.5us}\n"
                                             "slow: {bandwidth: 5GBps, latency: 3us, oversubscription: 3}\n",
                                 .network = smpi_pinned, .measure = quick};
    struct measured m;
    measure(&run, &m);
    check_tiers(&m, 0);
    near(&m.c.oversubscription, 3, "oversubscription");
    near(&m.c.uplink_Bps, 10e9, "uplink");
    measured_free(&m);
}

static void a_cost_per_message(void **state) {
    (void)state;
    const double cost_s = 2e-6;
    const struct smpi_run run = {.platform = "groups: 3\nranks_per_group: 3\nfast: {bandwidth: 8GBps, latency: 1us}\n"
                                             "slow: {bandwidth: 2GBps, latency: 4us}\n",
                                 .message_cost_s = cost_s, .network = smpi_pinned, .measure = quick};
    struct measured m;
    measure(&run, &m);
    check_tiers(&m, cost_s);
    check_alphas(&m, 4);
    for (int span = 0; span < 2; span++) { // x_half of the platform: what the cost is worth in bytes
        const struct calibrated_tier *t = &m.c.tier[span];
        assert_rel(t->message_cost_s.value * t->bandwidth_Bps.value,
                   cost_s * m.truth->tier[span].bandwidth_Bps.value, within);
    }
    measured_free(&m);
}

/* SMPI as it comes: what its documentation calls smpi/bw-factor from 65472 bytes on and smpi/lat-factor below 257 is
 * the machine that a program sees, and so the truth. */
static void the_factors_of_smpi_are_part_of_the_machine(void **state) {
    (void)state;
    static const double rate_factor = 0.940694, latency_factor = 2.01467;
    const struct smpi_run run = {.platform = "groups: 2\nranks_per_group: 4\nfast: {bandwidth: 10GBps, latency: 1us}\n"
                                             "slow: {bandwidth: 1GBps, latency: 5us, oversubscription: 2}\n",
                                 .network = "",
                                 .measure = "--warm-up 1 --least 3 --most 3 --max-bytes 8388608 "
                                            "--quantities pairs,ping-pong,messages"};
    struct measured m;
    measure(&run, &m);
    for (int span = 0; span < 2; span++) {
        const struct plat_tier *truth = &m.truth->tier[span];
        near(&m.c.tier[span].bandwidth_Bps, rate_factor * truth->bandwidth_Bps.value, "effective rate");
        near(&m.c.tier[span].latency_s, latency_factor * truth->latency_s.value, "effective latency");
    }
    near(&m.c.oversubscription, 2, "oversubscription");
    measured_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_switch_and_slow_ports),
        cmocka_unit_test(a_shared_uplink),
        cmocka_unit_test(a_cost_per_message),
        cmocka_unit_test(the_factors_of_smpi_are_part_of_the_machine),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
