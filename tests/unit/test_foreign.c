/* SPDX-License-Identifier: BSD-3-Clause */
/* Records as other programs write them. */
#include "platforms/base/foreign.h"
#include "tests/support/program.h"
#include "tests/support/records.h"
#include "workloads/placement/placement_file.h"

static enum rc parse(const char *text, struct record **r, struct err *e) {
    const struct record_ask ask = {.as = RECORD_AS_AUTO};
    *r = NULL;
    return record_parse(text, strlen(text), "t", &ask, r, e);
}

static void tables_of_counts_in_text_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t second_layer; /* its number; -1: there is one layer */
    } cases[] = {
        {"layer_id;expert_id;count\n0;0;10\n0;1;20\n0;2;5\n0;3;7\n4;0;8\n4;1;8\n4;2;9\n4;3;30\n", 4},
        {"layer_id\texpert_id\tcount\n0\t0\t10\n0\t1\t20\n0\t2\t5\n0\t3\t7\n", -1},
        {",layer_id,expert_id,count\n0,0,0,10\n1,0,1,20\n2,0,2,5\n3,0,3,7\n", -1},
        {"layer,expert_0,expert_1,expert_2,expert_3\n0,10,20,5,7\n6,8,8,9,30\n", 6},
        {"# counts\n1.0e+01 2.0e+01 5.0e+00 7.0e+00\n8 8 9 30\n", 1},
        {"10,20,5,7\n8,8,9,30\n", 1},
        {"10\n20\n5\n7\n", -1},
        {"tensor([10., 20.,\n  5.,  7.], device='cuda:0')\n", -1},
        {"tensor([[10, 20, 5, 7], [8, 8, 9, 30]], dtype=torch.int32)\n", 1},
    };
    static const double counts[] = {10, 20, 5, 7, 8, 8, 9, 30};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *r;
        struct err e;
        assert_ok(parse(cases[i].text, &r, &e), &e);
        int layers = cases[i].second_layer < 0 ? 1 : 2;
        assert_int_equal(r->kind, RECORD_COUNTS);
        assert_int_equal(record_layers(r), layers);
        for (int c = 0; c < layers * 4; c++)
            assert_near(r->counts->counts[c], counts[c], 0);
        if (layers == 2)
            assert_int_equal(record_layer(r, 1), cases[i].second_layer);
        record_free(r);
    }
}

static void tables_of_bytes_with_units_are_matrices(void **state) {
    (void)state;
    struct record *r;
    struct err e;
    assert_ok(parse("0 1K 2M\n1G 0 7\n5 6 0\n", &r, &e), &e);
    assert_int_equal(r->kind, RECORD_MATRIX);
    static const double bytes[] = {1024, 2097152, 1073741824, 7, 5, 6};
    for (size_t i = 0; i < 6; i++)
        assert_near(r->bytes.value[i], bytes[i], 0);
    record_free(r);
}

/* An all-to-all has one count a rank, for all it sends to. */
static void one_count_a_rank_is_sent_to_all(void **state) {
    (void)state;
    struct record *r;
    struct err e;
    assert_ok(parse("Number of ranks: 3\nDatatype size: 4\nBEGINNING DATA\nRank(s) 0-1: 5\nRank(s) 2: 7\nEND DATA\n",
                    &r, &e), &e);
    static const double bytes[] = {20, 20, 20, 20, 20, 20, 28, 28, 28};
    assert_int_equal(r->bytes.start[3], 9);
    for (size_t i = 0; i < 9; i++)
        assert_near(r->bytes.value[i], bytes[i], 0);
    record_free(r);
    assert_fails(parse("Number of ranks: 3\nDatatype size: 4\nBEGINNING DATA\nRank(s) 0-2: 5 6\nEND DATA\n", &r, &e),
                 RC_SHAPE, &e, "2 counts, expected one for each of 3 ranks");
}

static void what_is_not_a_table_is_said(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
        enum rc rc;
    } cases[] = {
        {"10 20 5\n8 9\n", "t:2: 2 numbers, but 3 in the lines above", RC_SHAPE},
        {"10 20 5\n8 nine 3\n", "t:2: 'nine', expected a number", RC_SYNTAX},
        {"0,1,9000\n0,2,1000\n1,0,7\n1,2,8\n", "three columns without a header", RC_SCHEMA},
        {"layer,expert_0,expert_1\n0,10,x\n", "t:2:6: 'x' is not a number", RC_SCHEMA},
        {"layer,expert_0,expert_1\n1,10,9\n1,3,4\n", "layer 1 after layer 1", RC_SCHEMA},
        {"tensor([10, 20, ..., 7])", "cut with '...'", RC_SYNTAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *r;
        struct err e;
        assert_fails(parse(cases[i].text, &r, &e), cases[i].rc, &e, cases[i].message);
    }
}

static struct placement *place(const char *text, size_t n, int64_t layer) {
    const struct placement_ask ask = {.kind = PLACEMENT_FILE, .ranks = 2, .experts = 4, .path = "p", .layer = layer};
    struct placement *p = NULL;
    struct err e;
    assert_ok(placement_file_parse(text, n, &ask, &p, &e), &e);
    return p;
}

/* Layer 4 of each: rank 0 holds experts 2 and 3, rank 1 holds 0 and 1. */
static void placements_of_other_programs_are_read(void **state) {
    (void)state;
    static const char *const maps[] = {
        "{\"3\":[0,1,2,3],\"4\":[2,3,0,1]}",
        "{\"layer_3\":[0,1,2,3],\"layer_4\":[2,3,0,1]}",
        "{\"physical_to_logical_map\":{\"3\":[0,1,2,3],\"4\":[2,3,0,1]}}",
        "num_slots: 4\ninitial_global_assignments:\n  3: [0, 1, 2, 3]\n  4: [2, 3, 0, 1]\n",
    };
    static const int first[] = {0, 1, 2, 3}, second[] = {2, 3, 0, 1};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        for (int64_t layer = -1; layer <= 4; layer += layer < 0 ? 4 : 1) {
            struct placement *p = place(maps[i], strlen(maps[i]), layer);
            assert_memory_equal(p->slot_expert, layer == 4 ? second : first, sizeof first);
            placement_free(p);
        }
    const struct placement_ask ask = {.ranks = 2, .experts = 4, .path = "p", .layer = 5};
    struct placement *p;
    struct err e;
    assert_fails(placement_file_parse(maps[0], strlen(maps[0]), &ask, &p, &e), RC_SCHEMA, &e,
                 "no placement of layer 5");
}

static void presence_of_experts_on_ranks_is_a_placement(void **state) {
    (void)state;
    const char *text = "2 2 4\n1 1 0 0\n0 0 1 1\n0 0 1 1\n1 1 1 0\n";
    static const int want[] = {2, 3, 0, 1, 2};
    struct placement *p = place(text, strlen(text), 1);
    assert_memory_equal(p->slot_expert, want, sizeof want);
    assert_int_equal(p->slot_start[1], 2);
    placement_free(p);
    struct err e;
    const struct placement_ask ask = {.ranks = 2, .experts = 4, .path = "p"};
    text = "2 1 4\n1 1 0 0\n0 0 1 2\n";
    assert_fails(placement_file_parse(text, strlen(text), &ask, &p, &e), RC_RANGE, &e, "2, expected 0 or 1");
    text = "2 1 4\n1 1 0 0\n0 0 1\n";
    assert_fails(placement_file_parse(text, strlen(text), &ask, &p, &e), RC_SHAPE, &e, "ranks, layers and experts");
    // the same as an array
    char npy[512];
    int head = snprintf(npy, sizeof npy, "%c%s%c%c%c%c%-117s\n", 0x93, "NUMPY", 1, 0, 118, 0,
                        "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2, 4), }");
    assert_int_equal(head, 128);
    static const char body[16] = {1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 0};
    memcpy(npy + 128, body, sizeof body);
    p = place(npy, 128 + sizeof body, 1);
    assert_memory_equal(p->slot_expert, want, sizeof want);
    placement_free(p);
}

/* Every option that takes a file answers what it is, with what follows from it. */
static void files_of_other_programs_are_answered(void **state) {
    (void)state;
    static const struct {
        const char *text, *what, *answer;
        bool yaml_too;
    } cases[] = {
        {"12 4 2 2 12 H100\n8 9 10 11\n0 8 2880Gbps 0.000025ms 0\n", "a SimAI topology", "ranks_per_group", true},
        {"topology: [ Ring ]\nnpus_count: [ 8 ]\nbandwidth: [ 50.0 ]\n", "an ASTRA-sim network", "npus_count [a, b]",
         true},
        {"<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n",
         "a SimGrid platform in XML", "groups", true},
        {"\tGPU0\tGPU1\tNIC0\tCPU Affinity\nGPU0\t X \tNV12\tPIX\t0-1\n", "nvidia-smi topo -m", "NV12", true},
        {"\x80\x04\x95", "a Python pickle", "pickle.load(open('t', 'rb'))", true},
        {"schema: moesim/platform/1\nname: x\n", "a description of moesim", "--platform takes", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *r;
        struct err e;
        assert_fails(parse(cases[i].text, &r, &e), RC_UNSUPPORTED, &e, cases[i].what);
        assert_non_null(strstr(e.text, cases[i].answer));
        size_t n = strlen(cases[i].text);
        assert_int_equal(foreign_refuse(cases[i].text, n, "t", FOREIGN_PLACEMENT, &e), RC_UNSUPPORTED);
        enum rc yaml = foreign_refuse(cases[i].text, n, "t", FOREIGN_YAML, &e);
        assert_int_equal(yaml, cases[i].yaml_too ? RC_UNSUPPORTED : RC_OK);
    }
}

/* A file in the current folder is one however it ends; its content says what it is. */
static void a_file_in_the_current_folder_is_a_file(void **state) {
    (void)state;
    struct buf out = {0};
    char *command = mem_printf("d=$(mktemp -d) && cd $d && printf '12 4 2 2 12 H100\\n' >x.topo && "
                               "cp %s/placement/two_by_two.yaml my.yml && %s platform check my.yml; "
                               "%s platform check x.topo 2>&1; rm -r $d", TEST_DATA_DIR, MOESIM_BINARY, MOESIM_BINARY);
    program_shell(command, &out);
    assert_non_null(strstr(out.text, "my.yml: ok, 2 groups x 2 ranks"));
    assert_non_null(strstr(out.text, "x.topo: a SimAI topology, expected YAML"));
    free(command);
    buf_clear(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_counts_in_text_are_read),
        cmocka_unit_test(tables_of_bytes_with_units_are_matrices),
        cmocka_unit_test(one_count_a_rank_is_sent_to_all),
        cmocka_unit_test(what_is_not_a_table_is_said),
        cmocka_unit_test(placements_of_other_programs_are_read),
        cmocka_unit_test(presence_of_experts_on_ranks_is_a_placement),
        cmocka_unit_test(files_of_other_programs_are_answered),
        cmocka_unit_test(a_file_in_the_current_folder_is_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
