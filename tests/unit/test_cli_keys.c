/* SPDX-License-Identifier: BSD-3-Clause */
/* What the keys of simulate's JSON mean, held against files, other keys and other commands. */
#include "tests/support/folder.h"
#include "tests/support/program.h"

static void inputs_are_hashed(void **state) {
    (void)state;
    static const char *const roles[] = {"platform", "workload", "implementation", "trace", "borrowed platform"};
    struct yaml_doc *d;
    assert_int_equal(program_run("simulate --strategy one-hop --seed 5 --format json", &d), 0);
    assert_rel(program_number(d, "provenance.seed"), 5, 0);
    const struct yaml_node *inputs = program_at(d, "provenance.inputs");
    assert_int_equal(inputs->n, sizeof roles / sizeof *roles);
    for (size_t i = 0; i < inputs->n; i++) {
        char *text, found[HASH_TEXT];
        size_t n;
        struct err e;
        assert_ok(file_read(yaml_get(inputs->items[i], "file")->text, 1 << 26, &text, &n, &e), &e);
        hash_bytes(text, n, found);
        assert_string_equal(yaml_get(inputs->items[i], "role")->text, roles[i]);
        assert_string_equal(yaml_get(inputs->items[i], "sha256")->text, found);
        free(text);
    }
    yaml_doc_free(d);
}

static void the_evidence_stands_beside_the_result(void **state) {
    (void)state;
    struct yaml_doc *d, *g;
    assert_int_equal(program_run("simulate --strategy one-hop --format json", &d), 0);
    assert_int_equal(program_run("gates --analytic-only --format json", &g), 0);
    const struct yaml_node *gates = program_at(d, "gates"), *listed = program_at(g, "gates");
    assert_int_equal(strlen(program_at(d, "gates.0.hash")->text), 64);
    assert_int_equal(gates->n, listed->n);
    for (size_t i = 0; i < gates->n; i++)
        assert_string_equal(yaml_get(gates->items[i], "hash")->text, yaml_get(listed->items[i], "hash")->text);
    const struct yaml_node *capabilities = program_at(d, "capabilities");
    size_t open = 0;
    for (size_t i = 0; i < capabilities->n; i++) {
        const struct yaml_node *c = capabilities->items[i];
        bool is_open = strcmp(yaml_get(c, "state")->text, "open") == 0;
        assert_string_equal(yaml_get(c, "open")->text, is_open ? "true" : "false");
        open += is_open;
    }
    assert_true(open > 0 && open < capabilities->n);
    // no alpha for 64 ranks: what would give a time
    assert_non_null(strstr(program_at(d, "calls.0.reopen.time_s")->text, " world 64,"));
    yaml_doc_free(d);
    yaml_doc_free(g);
}

/* A dragonfly's routing and a rail's way round are choices of the file: every result names them. */
/* Lines that go on after a label of 16 columns become one again. */
static void unbreak(char *text) {
    static const char gap[] = "\n                ";
    for (char *at = strstr(text, gap); at; at = strstr(at, gap)) {
        *at = ' ';
        memmove(at + 1, at + sizeof gap - 1, strlen(at + sizeof gap - 1) + 1);
    }
}

static void choices_of_routes_are_named(void **state) {
    (void)state;
#define SMALL " --strategy one-hop --workload terrace-reference --set platform.groups=4 --set workload.experts=32 "
    static const char frontier[] = SMALL "--platform frontier --set platform.slow.routers=2 --set "
                                         "platform.slow.router_groups=1 --set platform.slow.routing=spread ";
    struct yaml_doc *d;
    char line[400];
    snprintf(line, sizeof line, "simulate %s --format json", frontier);
    assert_int_equal(program_run(line, &d), 0);
    assert_string_equal(program_at(d, "platform.tiers.0.kind")->text, "graph");
    assert_string_equal(program_at(d, "platform.tiers.1.kind")->text, "dragonfly");
    assert_string_equal(program_at(d, "platform.tiers.1.routing")->text, "spread");
    yaml_doc_free(d);
    assert_int_equal(program_run("simulate " SMALL "--platform hgx-h200 --format json", &d), 0);
    assert_string_equal(program_at(d, "platform.tiers.0.kind")->text, "switch");
    assert_string_equal(program_at(d, "platform.tiers.1.cross_rail")->text, "spine");
    yaml_doc_free(d);
    snprintf(line, sizeof line, "simulate %s", frontier);
    struct buf text = {0};
    static const char *const paths[][2] = {{"fast", "chain none\n"},
                                           {"slow", "chain none, inside groups over the slow fabric\n"},
                                           {"rail", "chain none, to other rails over the fast fabric first\n"}};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char call[400];
        snprintf(call, sizeof call, "simulate %s --platform hgx-h200 --set implementation.intra_group_path=%s", SMALL,
                 paths[i][0]);
        assert_int_equal(program_text(call, &text), 0);
        unbreak(text.text);
        assert_non_null(strstr(text.text, paths[i][1]));
        buf_clear(&text);
    }
    assert_int_equal(program_text(line, &text), 0);
    unbreak(text.text);
    assert_non_null(strstr(text.text, "slow 25 GB/s (nominal; dragonfly, routing spread)"));
    buf_clear(&text);
#undef SMALL
}

/* --links all: every link that carries anything, busiest first; their bytes are those of the tiers. */
static void all_links_may_be_listed(void **state) {
    (void)state;
    struct yaml_doc *d;
    assert_int_equal(program_run("simulate --strategy two-hop --links all --format json", &d), 0);
    const struct yaml_node *links = program_at(d, "calls.0.links");
    double bytes[2] = {0, 0}, before = INFINITY;
    assert_true(links->n > 200 && links->n <= 256);
    for (size_t i = 0; i < links->n; i++) {
        const char *name = yaml_get(links->items[i], "name")->text;
        double used = strtod(yaml_get(links->items[i], "utilisation")->text, NULL);
        assert_true(used > 0 && used <= before);
        before = used;
        for (int tier = 0; tier < 2; tier++)
            if (strncmp(name, tier ? "slow-out-" : "fast-out-", 9) == 0)
                bytes[tier] += strtod(yaml_get(links->items[i], "bytes")->text, NULL);
        const struct yaml_node *over_time = yaml_get(links->items[i], "utilisation_over_time");
        double sum = 0;
        for (size_t k = 0; k < over_time->n; k++)
            sum += strtod(over_time->items[k]->text, NULL);
        double bin_s = strtod(yaml_get(links->items[i], "bin_s")->text, NULL);
        assert_rel(sum * bin_s, used * program_number(d, "calls.0.wire_s"), 1e-6);
    }
    assert_rel(bytes[0], program_number(d, "calls.0.tiers.0.bytes"), 1e-9);
    assert_rel(bytes[1], program_number(d, "calls.0.tiers.1.bytes"), 1e-9);
    yaml_doc_free(d);
    assert_int_equal(program_run("simulate --strategy two-hop --links 2 --format json", &d), 0);
    assert_int_equal(program_at(d, "calls.0.links")->n, 2);
    yaml_doc_free(d);
    assert_int_equal(program_text("simulate --links 0", NULL), 2);
}

/* Counts, metadata and readback stand apart from the payload; where alpha is not known they are not either. */
static void the_fixed_cost_has_its_parts(void **state) {
    (void)state;
    struct yaml_doc *d;
    assert_int_equal(program_run("simulate --platform terrace-a --workload terrace-reference --strategy two-hop --set "
                                 "implementation.collectives.hop_a=4 --set implementation.collectives.hop_b=4 --phase "
                                 "both --format json",
                                 &d),
                     0);
    assert_rel(program_number(d, "calls.0.fixed_s.payload"), 0.268e-3, 1e-9);
    assert_rel(program_number(d, "calls.0.fixed_s.counts_and_metadata"), 3 * 0.268e-3, 1e-9);
    assert_rel(program_number(d, "calls.0.fixed_s.readback"), 0.044e-3, 1e-9);
    assert_rel(program_number(d, "calls.1.fixed_s.payload"), 0.268e-3, 1e-9);
    assert_rel(program_number(d, "calls.1.fixed_s.counts_and_metadata"), 0, 0);
    yaml_doc_free(d);
    assert_int_equal(program_run("simulate --strategy one-hop --format json", &d), 0);
    assert_string_equal(program_at(d, "calls.0.fixed_s.payload")->text, "null");
    yaml_doc_free(d);
}

/* Beside the ratio of the rates: what shared NICs and uplinks leave of the slow one when all ranks send outwards. */
static void shared_ways_out_are_counted(void **state) {
    (void)state;
    static const struct {
        const char *platform;
        double share_Bps;
    } all[] = {{"dgx-h100", 50e9},
               {"v100-edr", 12.5e9 / 8},
               {"frontier", 12.5e9},
               {"terrace-a-boundary", 189e9 / 16},
               {"terrace-a", 114.7372e9},
               {"dgx-h100 --set platform.slow.oversubscription=2", 25e9},
               {"tpu-v5p", 6.25e9}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char line[200];
        struct yaml_doc *d;
        struct buf text = {0};
        snprintf(line, sizeof line, "platform show %s --format json", all[i].platform);
        assert_int_equal(program_run(line, &d), 0);
        assert_rel(program_number(d, "slow_share_Bps"), all[i].share_Bps, 1e-9);
        yaml_doc_free(d);
        snprintf(line, sizeof line, "platform show %s", all[i].platform);
        assert_int_equal(program_text(line, &text), 0);
        bool shared = i == 1 || i == 2 || i == 3 || i == 5;
        assert_int_equal(strstr(text.text, "when all ranks send outwards") != NULL, shared);
        if (i == 1)
            assert_non_null(strstr(text.text, "leaves 1.562 GB/s to each (ratio 96)"));
        buf_clear(&text);
    }
}

/* No rank can end before its bound; the straggler is the rank and side with the latest. */
static void the_straggler_has_the_latest_bound(void **state) {
    (void)state;
    struct yaml_doc *d;
    assert_int_equal(program_run("simulate --seed 5 --format json", &d), 0);
    for (int i = 0; i < 2; i++) {
        char path[60];
        double latest_s[2] = {0, 0}, apart_s = 0;
        snprintf(path, sizeof path, "calls.%d.ranks", i);
        const struct yaml_node *ranks = program_at(d, path);
        assert_int_equal(ranks->n, 64);
        snprintf(path, sizeof path, "calls.%d.straggler.rank", i);
        size_t straggler = (size_t)program_number(d, path);
        snprintf(path, sizeof path, "calls.%d.straggler.side", i);
        int side = strcmp(program_at(d, path)->text, "receive") == 0;
        for (size_t r = 0; r < ranks->n; r++) {
            double sent_s = strtod(yaml_get(ranks->items[r], "send_bound_s")->text, NULL);
            double received_s = strtod(yaml_get(ranks->items[r], "recv_bound_s")->text, NULL);
            assert_true(sent_s > 0 && received_s > 0);
            assert_true(strtod(yaml_get(ranks->items[r], "send_end_s")->text, NULL) >= sent_s * (1 - 1e-9));
            assert_true(strtod(yaml_get(ranks->items[r], "recv_end_s")->text, NULL) >= received_s * (1 - 1e-9));
            latest_s[0] = fmax(latest_s[0], sent_s);
            latest_s[1] = fmax(latest_s[1], received_s);
            apart_s = fmax(apart_s, fabs(sent_s - received_s));
            if (r == straggler) {
                snprintf(path, sizeof path, "calls.%d.straggler.bound_s", i);
                assert_rel(side ? received_s : sent_s, program_number(d, path), 1e-12);
            }
        }
        assert_rel(fmax(latest_s[0], latest_s[1]), program_number(d, path), 1e-12);
        assert_true(latest_s[side] > latest_s[!side]);
        assert_true(apart_s > 0.1 * latest_s[side]); // two sides, not one twice
    }
    yaml_doc_free(d);
}

/* A token crosses to fan_out groups: rows of hop A over tokens. */
static void fan_out_is_that_of_the_matrix(void **state) {
    (void)state;
    char made[] = "/tmp/moesim-test-XXXXXX";
    assert_non_null(mkdtemp(made));
    char *arguments = mem_printf("matrix -o %s --seed 5 --format json", made);
    struct yaml_doc *d, *m;
    assert_int_equal(program_run(arguments, &m), 0);
    assert_int_equal(program_run("simulate --strategy one-hop --seed 5 --format json", &d), 0);
    assert_string_equal(program_at(m, "matrices.1.name")->text, "hop_a");
    double rows = program_number(m, "matrices.1.rows"), fan_out = program_number(d, "workload.fan_out");
    assert_rel(fan_out, rows / (64.0 * 4096), 1e-12);
    assert_true(fan_out > 1 && fan_out < 8);
    const struct yaml_node *matrices = program_at(m, "matrices");
    for (size_t i = 0; i < matrices->n; i++) {
        unlink(yaml_get(matrices->items[i], "npy")->text);
        unlink(yaml_get(matrices->items[i], "csv")->text);
    }
    assert_int_equal(rmdir(made), 0);
    free(arguments);
    yaml_doc_free(d);
    yaml_doc_free(m);
}

/* A matrix of bytes says nothing about tokens. */
/* Skew of each stage: what the workload says of the matrix, as long as the call moves just that. */
static void stages_have_the_skew_of_their_matrices(void **state) {
    (void)state;
    static const char *const pairs[][2] = {{"calls.0.stages.0.rho_max_in", "workload.rho_max.one_hop_in"},
                                           {"calls.0.stages.0.rho_max_out", "workload.rho_max.one_hop_out"},
                                           {"calls.1.stages.0.rho_max_in", "workload.rho_max.hop_a_in"},
                                           {"calls.1.stages.0.rho_max_out", "workload.rho_max.hop_a_out"},
                                           {"calls.1.stages.1.rho_max_in", "workload.rho_max.hop_b_in"},
                                           {"calls.1.stages.1.rho_max_out", "workload.rho_max.hop_b_out"}};
    struct yaml_doc *d;
    assert_int_equal(program_run("simulate --implementation nccl-p2p --seed 5 --format json", &d), 0);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_rel(program_number(d, pairs[i][0]), program_number(d, pairs[i][1]), 1e-12);
    yaml_doc_free(d);
}

static void without_tokens_there_is_no_fan_out(void **state) {
    (void)state;
#define MATRIX "--set platform.groups=2 --set platform.ranks_per_group=2 --trace " TEST_DATA_DIR \
               "/routing/synthetic_matrix.csv"
    static const char call[] = "simulate " MATRIX;
    char *json = mem_printf("%s --format json", call);
    struct yaml_doc *d;
    struct buf text = {0};
    assert_int_equal(program_run(json, &d), 0);
    program_is_null(d, "workload.fan_out");
    assert_int_equal(program_text(call, &text), 0);
    assert_null(strstr(text.text, "fan-out"));
    yaml_doc_free(d);
    char made[] = "/tmp/moesim-test-XXXXXX";
    assert_non_null(mkdtemp(made));
    char *matrix = mem_printf("matrix " MATRIX " -o %s --format json", made), *drop = mem_printf("rm -r %s", made);
    assert_int_equal(program_run(matrix, &d), 0);
    program_is_null(d, "fan_out");
    assert_int_equal(program_shell(drop, NULL), 0);
    free(matrix);
    free(drop);
#undef MATRIX
    free(json);
    buf_clear(&text);
    yaml_doc_free(d);
}

/* Calls back to back have a mean; nothing adds them up. */
static void a_sequence_has_no_total(void **state) {
    (void)state;
    static const char *const keys[] = {"host", "calls", "per_call_s", "per_call_wire_s"};
    struct yaml_doc *d;
    struct buf out = {0};
    const char *call = "simulate --platform terrace-a --set platform.groups=2 --calls 3 --format json";
    assert_int_equal(program_run(call, &d), 0);
    assert_int_equal(program_text(call, &out), 0);
    for (int i = 0; i < 2; i++) {
        char path[40];
        snprintf(path, sizeof path, "calls.%d.sequence", i);
        const struct yaml_node *sequence = program_at(d, path);
        assert_int_equal(sequence->n, sizeof keys / sizeof *keys);
        for (size_t k = 0; k < sequence->n; k++)
            assert_string_equal(sequence->keys[k], keys[k]);
        assert_string_equal(yaml_get(sequence, "calls")->text, "3");
    }
    assert_null(strstr(out.text, "total"));
    buf_clear(&out);
    yaml_doc_free(d);
}

/* Of tiers whose first domain has one end, too. */
static void sample_routes_are_of_their_tier(void **state) {
    (void)state;
    struct buf out = {0};
    assert_int_equal(program_text("platform show synthetic --set platform.groups=2 "
                                  "--set 'platform.group_sizes=1 8'", &out), 0);
    assert_non_null(strstr(out.text, "  rank 1 to rank 2 (fast): fast-out-1"));
    assert_non_null(strstr(out.text, "  rank 1 to rank 8 (fast): fast-out-1"));
    assert_non_null(strstr(out.text, "  rank 0 to rank 1 (slow): slow-out-0"));
    assert_null(strstr(out.text, "(fast): slow"));
    buf_clear(&out);
}

/* Where there is no closed form the result says why, whether the call time is known or not. */
static void no_closed_form_has_its_reason(void **state) {
    (void)state;
    static const struct {
        const char *call, *reason, *text;
    } cases[] = {{"compare --platform synthetic --set platform.groups=2 --set workload.tokens_per_rank=64 "
                  "--strategy gather-first",
                  "closed form: none of gather-first", "no closed form of gather-first"},
                 {"compare --platform synthetic-racks --set platform.groups=4 --set workload.tokens_per_rank=64 "
                  "--set 'platform.group_sizes=4 2 1 1' --strategy two-hop",
                  "closed form: none of groups that differ in size", "no closed form of groups that differ in size"}};
    for (size_t i = 0; i < 2; i++) {
        struct yaml_doc *d;
        struct buf out = {0};
        char *json = mem_printf("%s --format json", cases[i].call);
        assert_int_equal(program_run(json, &d), 0);
        program_is_null(d, "calls.0.analytic_wire_s");
        assert_string_equal(program_at(d, "calls.0.withdrawn.analytic_wire_s")->text, cases[i].reason);
        assert_string_equal(program_at(d, "calls.0.withdrawn.analytic_s")->text, cases[i].reason);
        assert_int_equal(program_text(cases[i].call, &out), 0);
        assert_non_null(strstr(out.text, cases[i].text));
        buf_clear(&out);
        free(json);
        yaml_doc_free(d);
    }
}

/* What a key brings with it gives way to the same when it is set, in whatever order. */
static void what_a_key_implies_is_not_set_over_the_users(void **state) {
    (void)state;
    static const char *const orders[] = {"--set workload.routing.source=uniform --set workload.routing.rho_max=2",
                                         "--set workload.routing.rho_max=2 --set workload.routing.source=uniform"};
    for (int i = 0; i < 2; i++) {
        char *line = mem_printf("simulate %s", orders[i]);
        assert_int_equal(program_text(line, NULL), 1); // a target for uniform routing
        free(line);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_are_hashed),
        cmocka_unit_test(the_evidence_stands_beside_the_result),
        cmocka_unit_test(choices_of_routes_are_named),
        cmocka_unit_test(all_links_may_be_listed),
        cmocka_unit_test(the_fixed_cost_has_its_parts),
        cmocka_unit_test(shared_ways_out_are_counted),
        cmocka_unit_test(the_straggler_has_the_latest_bound),
        cmocka_unit_test(fan_out_is_that_of_the_matrix),
        cmocka_unit_test(stages_have_the_skew_of_their_matrices),
        cmocka_unit_test(without_tokens_there_is_no_fan_out),
        cmocka_unit_test(a_sequence_has_no_total),
        cmocka_unit_test(sample_routes_are_of_their_tier),
        cmocka_unit_test(no_closed_form_has_its_reason),
        cmocka_unit_test(what_a_key_implies_is_not_set_over_the_users),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
