/* SPDX-License-Identifier: BSD-3-Clause */
/* The cases of test_buglog.c that are about files, units and bandwidths: B11 to B17. */
#include "tests/support/records.h"

#include "platforms/base/unit.h"
#include "workloads/placement/placement_build.h"
#include "workloads/placement/placement_file.h"
#include "workloads/strategy.h"

/* --- placements -------------------------------------------------------------------------------------- */

static void b11_replicas_on_one_rank_are_named(void **state) {
    (void)state;
    // 9 slots of one rank of the report: expert 236 twice; the other rank holds all experts
    static const int bad[] = {200, 226, 236, 236, 12, 204, 156, 229, 184};
    int slots[265], start[] = {0, 256, 265};
    for (int i = 0; i < 256; i++)
        slots[i] = i;
    memcpy(slots + 256, bad, sizeof bad);
    struct placement_ask ask = {.ranks = 2, .groups = 1, .experts = 256};
    struct placement *p = NULL;
    struct err e;
    assert_ok(placement_of_slots(&ask, start, slots, "t", &p, &e), &e);
    assert_non_null(strstr(p->notes.text,
                           "1 replicas share a rank with another of the same expert: expert "
                           "236 on rank 1"));
    assert_non_null(strstr(p->notes.text, "9 replicas beyond one of each expert"));
    assert_int_equal(placement_replicas(p, 236), 3);
    placement_free(p);
    char path[RECORDS_PATH];
    ask = (struct placement_ask){
        .kind = PLACEMENT_FILE, .ranks = 2, .groups = 1, .experts = 8, .layer = -1};
    ask.path = sample("vllm_ascend_expert_map.json", path);
    assert_ok(placement_build(&ask, &p, &e), &e);
    assert_int_equal(p->slots, 10);
    assert_int_equal(placement_replicas(p, 7), 2);
    assert_int_equal(placement_replicas(p, 2), 2);
    assert_int_equal(p->slot_expert[0], 7);
    placement_free(p);
    ask.experts = 7;
    assert_fails(placement_build(&ask, &p, &e), RC_RANGE, &e,
                 "slot 0 holds expert 7, but there are 7 experts");
}

static void b12_rho_is_per_layer_over_ranks(void **state) {
    (void)state;
    struct record *r = parse_text("[[2, 0], [0, 2]]", 2, 1);
    double both[2] = {0};
    for (int l = 0; l < 2; l++) {
        assert_rel(skew_rho(r->counts->counts + 2 * l, 2, 2), 2, 0);
        for (int i = 0; i < 2; i++)
            both[i] += r->counts->counts[l * 2 + i];
    }
    assert_rel(skew_rho(both, 2, 2), 1, 0);
    record_free(r);
}

static void b13_one_matrix_whatever_the_layout(void **state) {
    (void)state;
    static const char *const names[] = {"npy_i8_c_v1.npy",    "npy_i8_c_v2.npy",
                                        "npy_i8_c_v3.npy",    "npy_i8_fortran_v1.npy",
                                        "npy_be_i4_c_v1.npy", "npz_stored_counts.npz"};
    struct record *first = load_sample(names[0], 64, 8);
    for (size_t i = 1; i < sizeof names / sizeof *names; i++) {
        struct record *r = load_sample(names[i], 64, 8);
        for (int x = 0; x < 3 * 64; x++)
            assert_rel(r->counts->counts[x], first->counts->counts[x], 0);
        record_free(r);
    }
    record_free(first);
    char path[RECORDS_PATH];
    struct record_ask ask = asking(64, 8);
    struct record *r = NULL;
    struct err e;
    assert_fails(record_load(sample("npy_u1_overflow_trap_v1.npy", path), &ask, &r, &e), RC_RANGE,
                 &e, "probably overflowed");
    ask.counts.experts = 32;
    assert_fails(record_load(sample("npy_i8_c_v1.npy", path), &ask, &r, &e), RC_SHAPE, &e,
                 "holds 64 experts, but there are 32");
}

/* --- units and bandwidths ----------------------------------------------------------------------------- */

static void b14_bits_are_not_bytes(void **state) {
    (void)state;
    double bits, bytes;
    struct err e;
    assert_ok(unit_parse("400Gbps", UNIT_RATE, &bits, &e), &e);
    assert_ok(unit_parse("50GBps", UNIT_RATE, &bytes, &e), &e);
    assert_rel(bits, bytes, 0);
    assert_fails(unit_parse("400", UNIT_RATE, &bits, &e), RC_UNIT, &e, "400");
}

/* Uniform traffic of 2 nodes x 8 and of 4 x 8, expected values. */
static void b15_b16_bandwidths_name_their_numerator(void **state) {
    (void)state;
    const struct setting set[] = {{"routing.draw", "expected"}, {"hidden", "1024"}, {NULL, NULL}};
    struct asked a = get_traffic("2", "8", set);
    struct topology *topology = topo_build(a.p);
    struct implementation *how;
    struct call call;
    struct err e;
    double bytes[TIER_MAX], messages[TIER_MAX];
    assert_ok(implementation_load("collective-eager", NULL, 0, &how, &e), &e);
    call_build(topology, a.w, how, a.t, STRATEGY_ONE_HOP, PHASE_DISPATCH, &call);
    call_tier_traffic(&call, 0, bytes, messages);
    double size = matrix_total(&call.stages[0].bytes, true) / 16, nic_Bps = 50e9;
    double time_s = bytes[TIER_SLOW] / 16 / nic_Bps; // the NIC exactly full
    assert_rel(size * 15 / 16 / time_s, 93.75e9, 1e-12);
    call_clear(&call);
    implementation_free(how);
    topo_free(topology);
    done(&a);
    a = get_traffic("4", "8", set);
    double wire = matrix_total(&a.t->hop_a[TIER_FAST], false) / matrix_total(&a.t->hop_a[TIER_FAST], true);
    assert_rel(58 * wire, 43.5, 1e-12);
    done(&a);
}

static void b17_skew_exists_per_direction(void **state) {
    (void)state;
    const struct setting set[] = {{"tokens_list", "1024x8, 256x24"}, {NULL, NULL}};
    struct asked a = get_traffic("4", "8", set);
    struct traffic_rho rho;
    traffic_rho(a.t, &rho);
    assert_rel(rho.one_hop_out, 16.0 / 7, 0.02);
    assert_true(rho.one_hop_in < 1.1);
    assert_rel(rho.hop_a_out, 16.0 / 7, 0.03);
    done(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b11_replicas_on_one_rank_are_named),
        cmocka_unit_test(b12_rho_is_per_layer_over_ranks),
        cmocka_unit_test(b13_one_matrix_whatever_the_layout),
        cmocka_unit_test(b14_bits_are_not_bytes),
        cmocka_unit_test(b15_b16_bandwidths_name_their_numerator),
        cmocka_unit_test(b17_skew_exists_per_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
