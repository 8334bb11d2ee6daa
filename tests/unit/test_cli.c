/* SPDX-License-Identifier: BSD-3-Clause */
/* The program from outside: JSON keys of the contract, exit codes, locks. JSON is read by the YAML reader. */
#include "tests/support/program.h"

static void default_job_has_the_keys_of_the_contract(void **state) {
    (void)state;
    struct yaml_doc *d;
    assert_int_equal(program_run("simulate --format json", &d), 0);
    assert_string_equal(program_at(d, "schema")->text, "moesim/simulate/1");
    assert_string_equal(program_at(d, "platform.name")->text, "dgx-h100");
    assert_rel(program_number(d, "platform.ranks"), 64, 0);
    assert_rel(program_number(d, "platform.hierarchy_ratio"), 9, 1e-12);
    assert_rel(program_number(d, "workload.hidden"), 2048, 0);
    program_is_null(d, "workload.group_limit");
    static const char *const rho[] = {"rank",     "expert",    "one_hop_in", "one_hop_out",
                                      "hop_a_in", "hop_a_out", "hop_b_in",   "hop_b_out"};
    for (size_t i = 0; i < sizeof rho / sizeof *rho; i++) {
        char *path = mem_printf("workload.rho_max.%s", rho[i]);
        assert_true(program_number(d, path) >= 1);
        free(path);
    }
    assert_string_equal(program_at(d, "implementation.name")->text, "deepep-normal");
    assert_string_equal(program_at(d, "calls.0.strategy")->text, "one-hop");
    assert_string_equal(program_at(d, "calls.1.strategy")->text, "two-hop");
    assert_string_equal(program_at(d, "calls.1.stages.0.name")->text, "hop_a");
    assert_string_equal(program_at(d, "gain.against")->text, "one-hop");
    assert_true(program_number(d, "engine.flows") > 0);
    assert_true(program_number(d, "engine.wall_s") > 0);
    assert_string_equal(program_at(d, "weakest.status")->text, "assumed");
    assert_string_equal(program_at(d, "assumed.0")->text, program_at(d, "weakest.constant")->text);
    assert_string_equal(program_at(d, "assumed_choices.0")->text, "implementation.order");
    assert_string_equal(program_at(d, "assumed_choices.1")->text, "implementation.window");
    assert_string_equal(program_at(d, "provenance.inputs.3.role")->text, "trace");
    assert_int_equal(strlen(program_at(d, "provenance.inputs.3.sha256")->text), 64);
    yaml_doc_free(d);
}

static void no_alpha_means_no_call_time_but_a_band(void **state) {
    (void)state;
    struct yaml_doc *d;
    assert_int_equal(program_run("compare --format json", &d), 0);
    for (int i = 0; i < 2; i++) {
        char path[64];
        static const char *const null[] = {"time_s", "analytic_s", "simulated_s"};
        for (size_t k = 0; k < 3; k++) {
            snprintf(path, sizeof path, "calls.%d.%s", i, null[k]);
            program_is_null(d, path);
            snprintf(path, sizeof path, "calls.%d.withdrawn.%s", i, null[k]);
            assert_non_null(strstr(program_at(d, path)->text, "coverage: "));
        }
        snprintf(path, sizeof path, "calls.%d.time_band_s.0", i);
        double low = program_number(d, path);
        snprintf(path, sizeof path, "calls.%d.time_band_s.1", i);
        assert_true(program_number(d, path) > low);
        snprintf(path, sizeof path, "calls.%d.simulated_wire_s", i);
        double wire_s = program_number(d, path);
        assert_rel(low, wire_s, 1e-12); // treatment "none": no fixed cost at all
        snprintf(path, sizeof path, "calls.%d.analytic_wire_s", i);
        double analytic_s = program_number(d, path);
        snprintf(path, sizeof path, "calls.%d.relative_error", i);
        assert_near(program_number(d, path), (analytic_s - wire_s) / wire_s, 1e-12);
        snprintf(path, sizeof path, "calls.%d.basis", i);
        assert_string_equal(program_at(d, path)->text, "wire");
        snprintf(path, sizeof path, "calls.%d.conditional", i);
        assert_string_equal(program_at(d, path)->text, "true");
    }
    program_is_null(d, "gain.dispatch");
    assert_non_null(program_at(d, "gain.withdrawn.dispatch"));
    yaml_doc_free(d);
}

static void known_alpha_gives_a_time_above_its_bound(void **state) {
    (void)state;
    struct yaml_doc *d;
    assert_int_equal(
        program_run("compare --platform terrace-a --workload terrace-reference --format json", &d), 0);
    for (int i = 0; i < 2; i++) {
        char path[64];
        snprintf(path, sizeof path, "calls.%d.time_s", i);
        double time_s = program_number(d, path);
        snprintf(path, sizeof path, "calls.%d.bound_s", i);
        assert_true(time_s >= program_number(d, path) * (1 - 1e-9));
        snprintf(path, sizeof path, "calls.%d.basis", i);
        assert_string_equal(program_at(d, path)->text, "time");
    }
    // the paper's terms at its reference geometry on machine A, closed form of beta, measured chain
    assert_rel(program_number(d, "calls.0.analytic_s"), 1.28546567063e-3, 1e-9);
    assert_rel(program_number(d, "calls.1.analytic_s"),
               (0.438397140596 + 0.830610980392 + 1.042 + 0.044) * 1e-3, 1e-9);
    assert_rel(program_number(d, "gain.dispatch"),
               program_number(d, "calls.0.time_s") / program_number(d, "calls.1.time_s"), 1e-12);
    yaml_doc_free(d);
}

static void above_the_measured_worlds_the_time_is_withheld(void **state) {
    (void)state;
    struct yaml_doc *d;
    assert_int_equal(program_run("simulate --platform synthetic --workload terrace-reference "
                         "--set platform.groups=32 --set workload.experts=256 "
                         "--set workload.tokens_per_rank=64 --format json",
                         &d),
                     0);
    program_is_null(d, "calls.0.time_s");
    assert_non_null(strstr(program_at(d, "calls.0.withdrawn.time_s")->text, "largest entry is 128"));
    assert_true(program_number(d, "calls.1.time_s") > 0); // hop A has world 32, hop B world 8: both inside
    program_is_null(d, "gain.dispatch");
    yaml_doc_free(d);
}

static void same_seed_same_bytes(void **state) {
    (void)state;
    struct yaml_doc *a, *b, *c;
    const char *once = "simulate --set platform.groups=2 --seed 5 --format json";
    assert_int_equal(program_run(once, &a), 0);
    assert_int_equal(program_run(once, &b), 0);
    assert_int_equal(program_run("simulate --set platform.groups=2 --seed 6 --format json", &c), 0);
    assert_string_equal(program_at(a, "calls.0.wire_s")->text, program_at(b, "calls.0.wire_s")->text);
    assert_string_equal(program_at(a, "calls.1.ranks.7.recv_end_s")->text,
                        program_at(b, "calls.1.ranks.7.recv_end_s")->text);
    assert_string_not_equal(program_at(a, "calls.0.wire_s")->text, program_at(c, "calls.0.wire_s")->text);
    yaml_doc_free(a);
    yaml_doc_free(b);
    yaml_doc_free(c);
}

static void round_trip_sums_both_directions(void **state) {
    (void)state;
    struct yaml_doc *d;
    assert_int_equal(program_run("simulate --platform terrace-a --set platform.groups=2 --set workload.experts=64 "
                         "--phase round-trip --set implementation.dedup.one_hop=rank --format json",
                         &d),
                     0);
    static const char *const order[] = {"dispatch", "dispatch", "combine", "combine"};
    double time_s[4];
    for (int i = 0; i < 4; i++) {
        char path[40];
        snprintf(path, sizeof path, "calls.%d.phase", i);
        assert_string_equal(program_at(d, path)->text, order[i]);
        snprintf(path, sizeof path, "calls.%d.time_s", i);
        time_s[i] = program_number(d, path);
    }
    assert_string_equal(program_at(d, "calls.3.stages.0.name")->text, "hop_b"); // combine: fast hop first
    assert_string_equal(program_at(d, "gain.against")->text, "one-hop");
    assert_string_equal(program_at(d, "gain.against_dedup")->text, "rank");
    assert_rel(program_number(d, "gain.dispatch"), time_s[0] / time_s[1], 1e-12);
    assert_rel(program_number(d, "gain.combine"), time_s[2] / time_s[3], 1e-12);
    assert_rel(program_number(d, "gain.round_trip"), (time_s[0] + time_s[2]) / (time_s[1] + time_s[3]), 1e-12);
    yaml_doc_free(d);
}

/* Plain one hop is not the best one: the gain is against the one that sends a token once per rank. */
static void gain_is_against_the_best_one_hop(void **state) {
    (void)state;
    struct yaml_doc *d, *best;
    const char *common = "simulate --platform terrace-a --set platform.groups=2 --format json";
    char *deduplicated = mem_printf("%s --set implementation.dedup.one_hop=rank", common);
    assert_int_equal(program_run(common, &d), 0);
    assert_int_equal(program_run(deduplicated, &best), 0);
    free(deduplicated);
    assert_string_equal(program_at(d, "calls.0.dedup")->text, "none");
    assert_string_equal(program_at(d, "gain.against")->text, "one-hop");
    assert_string_equal(program_at(d, "gain.against_dedup")->text, "rank");
    assert_true(program_number(d, "calls.0.time_s") > program_number(best, "calls.0.time_s"));
    assert_rel(program_number(d, "gain.dispatch"),
               program_number(best, "calls.0.time_s") / program_number(d, "calls.1.time_s"), 1e-12);
    yaml_doc_free(d);
    yaml_doc_free(best);
}

/* Calls back to back: alpha adds where the host waits, and hides where it runs ahead of longer transfers. */
static void host_regimes_add_or_hide_alpha(void **state) {
    (void)state;
    struct yaml_doc *observed, *ahead;
    const char *common = "simulate --strategy one-hop --platform terrace-a --calls 20 --format json "
                         "--workload terrace-reference";
    char *arguments = mem_printf("%s --host ahead", common);
    assert_int_equal(program_run(arguments, &ahead), 0);
    free(arguments);
    assert_int_equal(program_run(common, &observed), 0);
    double alpha_s = 0.378e-3, wire_s = program_number(ahead, "calls.0.wire_s");
    assert_true(wire_s > alpha_s);
    assert_rel(program_number(observed, "calls.0.sequence.per_call_s"), alpha_s + wire_s, 1e-6);
    assert_rel(program_number(ahead, "calls.0.sequence.per_call_s"), wire_s + alpha_s / 20, 1e-6);
    yaml_doc_free(observed);
    yaml_doc_free(ahead);
    // a regime that the machine has no table for gives no time
    assert_int_equal(program_run("simulate --strategy one-hop --platform terrace-a --host observed --format json "
                         "--workload terrace-reference",
                         &observed),
                     0);
    program_is_null(observed, "calls.0.sequence.per_call_s");
    program_is_null(observed, "calls.0.time_s");
    yaml_doc_free(observed);
}

/* Quantiles over draws; tails of call times hang on a gate that nobody has passed. */
static void draws_give_quantiles(void **state) {
    (void)state;
    struct yaml_doc *d;
    assert_int_equal(program_run("simulate --strategy one-hop --platform terrace-a --set platform.groups=2 "
                         "--set workload.tokens_per_rank=64 --draws 9 --format json",
                         &d),
                     0);
    double p50 = program_number(d, "calls.0.wire_quantiles_s.p50");
    double p95 = program_number(d, "calls.0.wire_quantiles_s.p95");
    double p99 = program_number(d, "calls.0.wire_quantiles_s.p99");
    assert_true(p50 < p95 && p95 <= p99);
    assert_true(program_number(d, "calls.0.time_quantiles_s.p50") > p50);
    program_is_null(d, "calls.0.time_quantiles_s.p99");
    assert_non_null(strstr(program_at(d, "calls.0.time_quantiles_s.withdrawn.p99")->text, "skew_tail: "));
    yaml_doc_free(d);
}

/* The licence of a measured library is not that of a file that only has its name. */
static void a_changed_copy_has_no_licence(void **state) {
    (void)state;
    struct yaml_doc *d;
    char folder[] = "/tmp/moesim-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    const char *call = "simulate --platform terrace-a --set platform.groups=2 --workload terrace-reference "
                       "--strategy one-hop --format json";
    char *copy = mem_printf("%s/ce.yaml", folder), *with_copy = mem_printf("%s --implementation %s", call, copy);
    FILE *f = fopen(copy, "w");
    assert_non_null(f);
    fputs("schema: moesim/implementation/1\nname: collective-eager\norder: shift\nwindow: 1\n"
          "chain: {preset: measured}\n",
          f);
    fclose(f);
    assert_int_equal(program_run(call, &d), 0);
    assert_string_equal(program_at(d, "calls.0.conditional")->text, "false"); // in the scope of tier1b-c4
    yaml_doc_free(d);
    assert_int_equal(program_run(with_copy, &d), 0);
    assert_string_equal(program_at(d, "calls.0.conditional")->text, "true");
    yaml_doc_free(d);
    unlink(copy);
    rmdir(folder);
    free(copy);
    free(with_copy);
}

static void orders_are_seeded(void **state) {
    (void)state;
    struct yaml_doc *a, *b;
    const char *call = "simulate --platform terrace-a --workload terrace-reference --strategy one-hop "
                       "--schedule random --window 4 --format json --seed";
    char *one = mem_printf("%s 1", call), *two = mem_printf("%s 2", call);
    assert_int_equal(program_run(one, &a), 0);
    assert_int_equal(program_run(two, &b), 0);
    assert_string_not_equal(program_at(a, "calls.0.wire_s")->text, program_at(b, "calls.0.wire_s")->text);
    yaml_doc_free(a);
    yaml_doc_free(b);
    free(one);
    free(two);
}

/* Layers in sequence: what each adds is what they take together, and the worst adds most; on the wire where the
 * time is not known. */
static void layers_add_up(void **state) {
    (void)state;
    static const char *const platforms[] = {"terrace-a --set platform.groups=2", "dgx-h100"};
    static const char *const keys[][2] = {{"time_s", "per_call_s"}, {"wire_s", "per_call_wire_s"}};
    for (int wired = 0; wired < 2; wired++) {
        char *call = mem_printf("simulate --platform %s --strategy one-hop --layers all --format json",
                                platforms[wired]);
        char path[60];
        struct yaml_doc *d;
        assert_int_equal(program_run(call, &d), 0);
        double sum_s = 0, most_s = -1, worst = -1;
        for (int i = 0; i < 3; i++) {
            snprintf(path, sizeof path, "calls.0.sequence.layers.%d.%s", i, keys[!wired][0]);
            program_is_null(d, path);
            snprintf(path, sizeof path, "calls.0.sequence.layers.%d.%s", i, keys[wired][0]);
            double adds_s = program_number(d, path);
            sum_s += adds_s;
            if (adds_s > most_s) {
                most_s = adds_s;
                snprintf(path, sizeof path, "calls.0.sequence.layers.%d.layer", i);
                worst = program_number(d, path);
            }
        }
        snprintf(path, sizeof path, "calls.0.sequence.%s", keys[!wired][1]);
        program_is_null(d, path);
        snprintf(path, sizeof path, "calls.0.sequence.%s", keys[wired][1]);
        assert_rel(sum_s, 3 * program_number(d, path), 1e-9);
        assert_rel(program_number(d, "calls.0.sequence.worst_layer"), worst, 0);
        yaml_doc_free(d);
        free(call);
    }
}

/* Micro-batches in sequence: each draws its own tokens of one layer. */
static void batches_add_up(void **state) {
    (void)state;
    struct yaml_doc *d;
    assert_int_equal(program_run("simulate --strategy one-hop --batches 4 --format json", &d), 0);
    double sum_s = 0, first_s = program_number(d, "calls.0.sequence.batches.0.wire_s");
    int differ = 0;
    for (int i = 0; i < 4; i++) {
        char path[60];
        snprintf(path, sizeof path, "calls.0.sequence.batches.%d.wire_s", i);
        double adds_s = program_number(d, path);
        sum_s += adds_s;
        differ += adds_s != first_s;
        snprintf(path, sizeof path, "calls.0.sequence.batches.%d.batch", i);
        assert_rel(program_number(d, path), i, 0);
    }
    assert_int_equal(differ, 3);
    assert_rel(sum_s, 4 * program_number(d, "calls.0.sequence.per_call_wire_s"), 1e-9);
    program_at(d, "calls.0.sequence.worst_batch");
    yaml_doc_free(d);
    // with nothing that follows the first one is the call that is shown
    assert_int_equal(program_run("simulate --strategy one-hop --batches 1 --format json", &d), 0);
    assert_rel(program_number(d, "calls.0.sequence.batches.0.wire_s"), program_number(d, "calls.0.wire_s"), 1e-9);
    yaml_doc_free(d);
    assert_int_equal(program_text("simulate --batches 2 --layers all", NULL), 2);
    assert_int_equal(program_text("simulate --batches 2 --calls 2", NULL), 2);
    // a token-level record has no more batches than its rows give
    struct buf ids = {0};
    struct err e;
    char path[] = "/tmp/moesim-test-XXXXXX";
    assert_int_not_equal(close(mkstemp(path)), -1);
    for (int i = 0; i < 16; i++)
        buf_printf(&ids, "{\"topk_ids\": [%d, %d]}\n", i % 4, (i + 1) % 4);
    assert_ok(file_write(path, ids.text, ids.n, &e), &e);
    char *call = mem_printf("simulate --strategy one-hop --platform synthetic --set platform.groups=2 --set "
                            "platform.ranks_per_group=2 --set workload.experts=4 --set workload.top_k=2 --set "
                            "workload.tokens_per_rank=2 --trace %s --format json --batches",
                            path);
    for (int i = 2; i <= 3; i++) {
        char *line = mem_printf("%s %d", call, i);
        assert_int_equal(program_text(line, NULL), i == 2 ? 0 : 1);
        free(line);
    }
    unlink(path);
    free(call);
    buf_clear(&ids);
}

static void a_sequence_has_at_most_256_layers(void **state) {
    (void)state;
    struct buf counts = {0};
    struct err e;
    char path[] = "/tmp/moesim-test-XXXXXX";
    assert_int_not_equal(close(mkstemp(path)), -1);
    char *call = mem_printf("simulate --strategy one-hop --layers all --trace %s", path);
    buf_text(&counts, "layer,expert,count\n");
    for (int row = 0; row < 257 * 64; row++)
        buf_printf(&counts, "%d,%d,1\n", row / 64, row % 64);
    assert_ok(file_write(path, counts.text, counts.n, &e), &e);
    assert_int_equal(program_text(call, NULL), 1);
    unlink(path);
    buf_clear(&counts);
    free(call);
}

static void exit_codes(void **state) {
    (void)state;
    assert_int_equal(program_text("help", NULL), 0);
    assert_int_equal(program_text("simulate --platform nowhere", NULL), 1);
    assert_int_equal(program_text("nonsense", NULL), 2);
    assert_int_equal(program_text("simulate --level step", NULL), 3);
    assert_int_equal(program_text("help > /dev/full", NULL), 1); // a full disk on stdout
    setenv("MOESIM_ENGINE_CRASH", "abort", 1);
    assert_int_equal(program_text("simulate", NULL), 4);
    setenv("MOESIM_ENGINE_CRASH", "hang", 1);
    assert_int_equal(program_text("simulate --timeout 0.2", NULL), 4);
    unsetenv("MOESIM_ENGINE_CRASH");
}

static void matrix_writes_three_files_twice(void **state) {
    (void)state;
    char folder[] = "/tmp/moesim-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char *arguments = mem_printf("matrix -o %s --format json", folder);
    struct yaml_doc *d;
    assert_int_equal(program_run(arguments, &d), 0);
    free(arguments);
    assert_rel(program_number(d, "matrices.0.rows"), 64.0 * 4096 * 8, 0);
    assert_rel(program_number(d, "matrices.2.rows"), 64.0 * 4096 * 8, 0);
    for (int i = 0; i < 3; i++) {
        char path[32];
        static const char *const keys[] = {"npy", "csv"};
        for (int k = 0; k < 2; k++) {
            snprintf(path, sizeof path, "matrices.%d.%s", i, keys[k]);
            FILE *f = fopen(program_at(d, path)->text, "rb");
            assert_non_null(f);
            fseek(f, 0, SEEK_END);
            if (k == 0)
                assert_int_equal(ftell(f), 128 + 64 * 64 * 8);
            fclose(f);
            unlink(program_at(d, path)->text);
        }
    }
    assert_int_equal(rmdir(folder), 0); // nothing else was left behind
    yaml_doc_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_job_has_the_keys_of_the_contract),
        cmocka_unit_test(no_alpha_means_no_call_time_but_a_band),
        cmocka_unit_test(known_alpha_gives_a_time_above_its_bound),
        cmocka_unit_test(above_the_measured_worlds_the_time_is_withheld),
        cmocka_unit_test(same_seed_same_bytes),
        cmocka_unit_test(round_trip_sums_both_directions),
        cmocka_unit_test(gain_is_against_the_best_one_hop),
        cmocka_unit_test(host_regimes_add_or_hide_alpha),
        cmocka_unit_test(draws_give_quantiles),
        cmocka_unit_test(a_changed_copy_has_no_licence),
        cmocka_unit_test(orders_are_seeded),
        cmocka_unit_test(layers_add_up),
        cmocka_unit_test(batches_add_up),
        cmocka_unit_test(a_sequence_has_at_most_256_layers),
        cmocka_unit_test(exit_codes),
        cmocka_unit_test(matrix_writes_three_files_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
