/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/hand.h"

#include "model/model.h"
#include "platforms/base/file.h"
#include "platforms/base/mem.h"
#include "platforms/base/rng.h"

/* --- the artifact's numbers, through the platform files -------------------------------------- */

struct fabric {
    const char *platform;
    char ratio[16]; /* empty: none */
    enum chain_preset chain;
    enum beta_kind kind; /* of the tiers that saturate */
};

static bool ends_in(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* "A_v1", "A_exact_beta_v1", "B", "syn3.2_corrected", "syn8_fused_exact" */
static struct fabric fabric_of(const char *name) {
    struct fabric f = {.chain = CHAIN_V1, .kind = BETA_TABLE};
    if (ends_in(name, "_corrected"))
        f.chain = CHAIN_MEASURED;
    if (ends_in(name, "_fused_exact"))
        f.chain = CHAIN_FUSED;
    if (strstr(name, "exact"))
        f.kind = BETA_CLOSED;
    f.platform = name[0] == 'A' ? "terrace-a" : name[0] == 'B' ? "terrace-b" : "synthetic";
    if (strncmp(name, "syn", 3) == 0)
        snprintf(f.ratio, sizeof f.ratio, "%.*s", (int)strcspn(name + 3, "_"), name + 3);
    return f;
}

enum { COLUMNS = 13 }; /* groups, R, k, M, H, T, then the seven terms in ms and the gain */

static struct platform *load_fabric(const struct fabric *f, const double *row) {
    char groups[16], ranks[16];
    snprintf(groups, sizeof groups, "%.0f", row[0]);
    snprintf(ranks, sizeof ranks, "%.0f", row[1]);
    const struct setting settings[] = {
        {"groups", groups}, {"ranks_per_group", ranks}, {"ratio", f->ratio}};
    struct platform *p;
    struct err e;
    assert_ok(plat_load(f->platform, settings, f->ratio[0] ? 3 : 2, &p, &e), &e);
    return p;
}

/* A stage that moves so many rows per token, all of them from rank 0 to itself: the model asks for the sum. */
static void moves(struct call *call, const char *name, int world, enum tier span, double rows_per_token) {
    struct stage *s = call_add_stage(call, name);
    int ranks = call->topology->ranks;
    s->world = world;
    s->span = span;
    matrix_init(&s->bytes, ranks, 1, false);
    for (int r = 1; r <= ranks; r++)
        s->bytes.start[r] = 1;
    s->bytes.value[0] = rows_per_token * call->row_bytes * (double)call->workload->tokens_per_rank * ranks;
}

/* The clamped rule of the artifact; coverage is no question here. */
static double clamped_alpha_s(const struct platform *p, int world, enum tier span) {
    const struct plat_alpha *table = p->alpha.items;
    assert_int_equal(p->alpha.n, 1);
    return plat_alpha_clamped_s(table->entries.items, table->entries.n, world, span);
}

static void one_row(const struct fabric *f, const double *row, struct model_terms *terms) {
    struct platform *p = load_fabric(f, row);
    struct workload w = {.top_k = (int64_t)row[2],
                         .group_limit = (int64_t)row[3],
                         .hidden = (int64_t)row[4],
                         .tokens_per_rank = (int64_t)row[5]};
    struct topology t = {.platform = p, .ranks = plat_ranks(p)};
    struct implementation how = {.efficiency = {{.value = 1}, {.value = 1}}};
    struct call one = {.platform = p,
                       .topology = &t,
                       .workload = &w,
                       .implementation = &how,
                       .row_bytes = 2 * row[4],
                       .chunks = 1};
    struct call two = one;
    two.strategy = STRATEGY_TWO_HOP;
    moves(&one, "one_hop", plat_ranks(p), TIER_SLOW, row[2]);
    moves(&two, "hop_a", (int)p->groups, TIER_SLOW, row[3]);
    moves(&two, "hop_b", (int)p->ranks_per_group, TIER_FAST, row[2]);
    struct costs c = {.splits_s = p->splits_sync_s.value,
                      .chain_s_per_pair = chain_constant(f->chain)->s_per_pair};
    struct model_machine m, m_one;
    struct model_geometry g;
    c.alpha_s[0] = clamped_alpha_s(p, one.stages[0].world, TIER_SLOW);
    model_from_call(&one, &c, &m_one, &g);
    c.alpha_s[0] = clamped_alpha_s(p, two.stages[0].world, TIER_SLOW);
    c.alpha_s[1] = clamped_alpha_s(p, two.stages[1].world, TIER_FAST);
    model_from_call(&two, &c, &m, &g);
    m.alpha_one_hop_s = m_one.alpha_one_hop_s;
    struct beta *const levels[] = {&m.flat, &m.slow, &m.fast};
    for (int i = 0; i < 3; i++)
        if (levels[i]->kind == BETA_CLOSED)
            levels[i]->kind = f->kind;
    model_predict(&m, &g, terms);
    call_clear(&one);
    call_clear(&two);
    plat_free(p);
}

static void check_row(const char *name, const double *row) {
    static const char *const terms_named[] = {"one_hop", "hop_a",   "hop_b", "chain",
                                              "splits",  "two_hop", "gain"};
    struct fabric f = fabric_of(name);
    struct model_terms t;
    one_row(&f, row, &t);
    const double got[] = {t.one_hop_s * 1e3, t.hop_a_s * 1e3,   t.hop_b_s * 1e3, t.chain_s * 1e3,
                          t.splits_s * 1e3,  t.two_hop_s * 1e3, t.gain};
    for (int i = 0; i < 7; i++)
        if (!(fabs(got[i] - row[6 + i]) <= 1e-9 * row[6 + i]))
            fail_msg("%s, %g x %g, k %g, M %g, H %g, T %g: %s is %.12g, expected %.12g", name,
                     row[0], row[1], row[2], row[3], row[4], row[5], terms_named[i], got[i],
                     row[6 + i]);
}

static void all_rows_of_the_artifact(void **state) {
    (void)state;
    char *text;
    size_t n;
    struct err e;
    assert_ok(file_read(TEST_DATA_DIR "/terrace/test_vectors.csv", 1 << 20, &text, &n, &e), &e);
    int rows = 0;
    char *line = strchr(text, '\n');
    while (line && line[1]) {
        line++;
        char name[40];
        double row[COLUMNS];
        size_t length = strcspn(line, ",");
        assert_true(length < sizeof name);
        snprintf(name, sizeof name, "%.*s", (int)length, line);
        char *next = line + length;
        for (int i = 0; i < COLUMNS; i++) {
            assert_int_equal(*next, ',');
            row[i] = strtod(next + 1, &next);
        }
        check_row(name, row);
        rows++;
        line = strchr(next, '\n');
    }
    assert_int_equal(rows, 242);
    free(text);
}

/* --- parts, by hand ------------------------------------------------------------------------- */

static void beta_kinds(void **state) {
    (void)state;
    const struct beta flat = {BETA_FLAT, 100e9, 55296};
    const struct beta closed = {BETA_CLOSED, 100e9, 55296};
    const struct beta table = {BETA_TABLE, 100e9, 55296};
    assert_rel(model_beta_Bps(&flat, 1), 100e9, 0);
    assert_rel(model_beta_Bps(&closed, 55296), 50e9, 1e-15);
    assert_rel(model_beta_Bps(&closed, 3 * 55296.0), 75e9, 1e-15);
    // on the points the table is the closed form: point 0, 47, and 8 = 1e3 * (1e6)^(8/47)
    assert_rel(model_beta_Bps(&table, 1e3), model_beta_Bps(&closed, 1e3), 1e-12);
    assert_rel(model_beta_Bps(&table, 1e9), model_beta_Bps(&closed, 1e9), 1e-12);
    double x = 1e3 * pow(1e6, 8 / 47.0), y = 1e3 * pow(1e6, 9 / 47.0);
    assert_rel(model_beta_Bps(&table, x), model_beta_Bps(&closed, x), 1e-12);
    // half way between two points in log x, the mean of the two
    assert_rel(model_beta_Bps(&table, sqrt(x * y)),
               (model_beta_Bps(&closed, x) + model_beta_Bps(&closed, y)) / 2, 1e-12);
    // clamped outside
    assert_rel(model_beta_Bps(&table, 246), model_beta_Bps(&closed, 1e3), 1e-12);
    assert_rel(model_beta_Bps(&table, 5e10), model_beta_Bps(&closed, 1e9), 1e-12);
}

/* wire / beta(x) = wire / beta + (w - 1) o */
static void saturation_is_a_cost_per_message(void **state) {
    (void)state;
    struct rng r;
    rng_init(&r, check_seed("saturation_is_a_cost_per_message"), "model", 0);
    for (int i = 0; i < 1000; i++) {
        struct beta b = {BETA_CLOSED, 1e9 * (1 + 400 * rng_unit(&r)), 1 + 1e5 * rng_unit(&r)};
        int world = 2 + (int)rng_below(&r, 511);
        double rows = 1 + 1e5 * rng_unit(&r), alpha_s = 1e-3 * rng_unit(&r), local = 1.0 / world;
        double wire = rows * (1 - local) * 4096, o = b.x_half_bytes / b.beta_Bps;
        assert_rel(model_all_to_all_s(&b, alpha_s, world, rows, local, 4096),
                   alpha_s + wire / b.beta_Bps + (world - 1) * o, 1e-12);
    }
}

static void exchanges_of_nobody_and_nothing(void **state) {
    (void)state;
    const struct beta b = {BETA_CLOSED, 100e9, 55296};
    assert_rel(model_all_to_all_s(&b, 1e-3, 1, 1000, 0, 4096), 0, 0);
    assert_rel(model_all_to_all_s(&b, 1e-3, 8, 1000, 1, 4096), 1e-3, 0);
    assert_rel(model_all_to_all_s(&b, 1e-3, 8, 0, 0.125, 4096), 1e-3, 0);
}

static const struct model_machine round_machine = {.flat = {BETA_FLAT, 10e9, 0},
                                                   .slow = {BETA_FLAT, 10e9, 0},
                                                   .fast = {BETA_FLAT, 100e9, 0},
                                                   .alpha_one_hop_s = 1e-3,
                                                   .alpha_hop_a_s = 2e-3,
                                                   .alpha_hop_b_s = 4e-3,
                                                   .splits_s = 8e-3,
                                                   .chain_s_per_pair = 1e-6,
                                                   .chain_floor_s = 0};

static void terms_by_hand(void **state) {
    (void)state;
    // 4 groups x 2 ranks, T 1000, k 4, M 2, rows of 10 kB: one hop 40 MB x 7/8 = 35 MB at 10 GB/s,
    // hop A 20 MB x 3/4 = 15 MB at 10 GB/s, hop B 40 MB x 1/2 = 20 MB at 100 GB/s, 4000 pairs
    const struct model_geometry g = {4, 2, 1000, 4, 2, 1e4, 0, {0, 0, 0}};
    struct model_machine m = round_machine;
    struct model_terms t;
    model_predict(&m, &g, &t);
    assert_rel(t.one_hop_s, 1e-3 + 3.5e-3, 1e-12);
    assert_rel(t.hop_a_s, 2e-3 + 1.5e-3, 1e-12);
    assert_rel(t.hop_b_s, 4e-3 + 0.2e-3, 1e-12);
    assert_rel(t.chain_s, 4e-3, 1e-12);
    assert_rel(t.splits_s, 8e-3, 1e-12);
    assert_rel(t.two_hop_s, 19.7e-3, 1e-12);
    assert_rel(t.gain, 4.5 / 19.7, 1e-12);
    m.chain_floor_s = 5e-3;
    model_predict(&m, &g, &t);
    assert_rel(t.chain_s, 5e-3, 1e-12);
    m.chain_s_per_pair = 0; // no chain, no floor either
    model_predict(&m, &g, &t);
    assert_rel(t.chain_s, 0, 0);
}

static void degenerate_machines(void **state) {
    (void)state;
    struct model_terms t;
    // one group: hop A has nobody to reach
    const struct model_geometry one_group = {1, 8, 1000, 4, 1, 1e4, 0, {0, 0, 0}};
    model_predict(&round_machine, &one_group, &t);
    assert_rel(t.hop_a_s, 0, 0);
    assert_rel(t.hop_b_s, 4e-3 + 40e6 * 7 / 8 / 100e9, 1e-12);
    // one rank a group: hop B has nobody to reach, and hop A with M = k is the one hop
    const struct model_geometry one_rank = {8, 1, 1000, 4, 4, 1e4, 0, {0, 0, 0}};
    model_predict(&round_machine, &one_rank, &t);
    assert_rel(t.hop_b_s, 0, 0);
    assert_rel(t.hop_a_s - 2e-3, t.one_hop_s - 1e-3, 1e-12);
    // one rank: no call at all
    const struct model_geometry alone = {1, 1, 1000, 4, 1, 1e4, 0, {0, 0, 0}};
    struct model_machine m = round_machine;
    m.splits_s = m.chain_s_per_pair = 0;
    model_predict(&m, &alone, &t);
    assert_rel(t.one_hop_s, 0, 0);
    assert_rel(t.two_hop_s, 0, 0);
    assert_rel(t.gain, -1, 0);
}

/* --- from a call ----------------------------------------------------------------------------- */

struct question {
    struct platform platform;
    struct workload workload;
    struct traffic traffic;
    struct topology topology;
    struct implementation how;
    struct call call;
};

static void ask(struct question *q, int64_t groups, int64_t ranks_per_group, enum strategy s) {
    *q = (struct question){.workload = {.tokens_per_rank = 1000, .top_k = 4},
                           .traffic = {.fan_out = 2.5},
                           .how = {.efficiency = {{.value = 1}, {.value = 1}}}};
    make_platform(&q->platform, groups, ranks_per_group);
    q->topology = (struct topology){.platform = &q->platform, .ranks = (int)(groups * ranks_per_group)};
    q->platform.tier[TIER_FAST].bandwidth_Bps.value = 100e9;
    q->platform.tier[TIER_SLOW].bandwidth_Bps.value = 10e9;
    q->call = (struct call){.platform = &q->platform,
                            .workload = &q->workload,
                            .traffic = &q->traffic,
                            .topology = &q->topology,
                            .implementation = &q->how,
                            .strategy = s,
                            .row_bytes = 1e4,
                            .chunks = 1};
    enum tier widest = groups > 1 ? TIER_SLOW : TIER_FAST;
    if (s == STRATEGY_ONE_HOP) {
        moves(&q->call, "one_hop", (int)(groups * ranks_per_group), widest, 4);
        return;
    }
    moves(&q->call, "hop_a", (int)groups, widest, 2.5);
    moves(&q->call, "hop_b", (int)ranks_per_group, TIER_FAST, 4);
}

static void machine_of_a_step(void **state) {
    (void)state;
    struct question q;
    struct model_machine m;
    struct model_geometry g;
    const struct costs c = {.alpha_s = {1e-3, 4e-3},
                            .latency_s = {1e-6, 5e-6},
                            .splits_s = 7e-3,
                            .chain_s_per_pair = 2e-6,
                            .chain_floor_s = 3e-3};
    ask(&q, 4, 2, STRATEGY_TWO_HOP);
    q.platform.tier[TIER_SLOW].x_half_bytes = (struct quantity){.value = 50e3, .given = true};
    q.platform.tier[TIER_FAST].message_cost_s = (struct quantity){.value = 2e-6, .given = true};
    q.platform.collective_bandwidth_Bps = (struct quantity){.value = 12e9, .given = true};
    model_from_call(&q.call, &c, &m, &g);
    assert_rel(m.flat.beta_Bps, 12e9, 0);
    assert_rel(m.flat.x_half_bytes, 50e3, 0);
    assert_rel(m.slow.beta_Bps, 10e9, 0);
    assert_rel(m.slow.x_half_bytes, 50e3, 0);
    assert_rel(m.fast.beta_Bps, 100e9, 0);
    assert_rel(m.fast.x_half_bytes, 200e3, 1e-15); // o beta
    assert_int_equal(m.fast.kind, BETA_CLOSED);
    assert_rel(m.alpha_hop_a_s, 1.005e-3, 1e-12); // one latency of the widest tier of each hop
    assert_rel(m.alpha_hop_b_s, 4.001e-3, 1e-12);
    assert_rel(m.alpha_one_hop_s, 0, 0);
    assert_rel(m.chain_floor_s, 3e-3, 0);
    assert_rel(g.fan_out, 2.5, 1e-15); // what the matrix has
    assert_rel(g.top_k, 4, 1e-15);
    // the library reaches half of the slow tier: the cost per message stays, x_half follows
    q.how.efficiency.slow.value = 0.5;
    model_from_call(&q.call, &c, &m, &g);
    assert_rel(m.slow.beta_Bps, 5e9, 1e-15);
    assert_rel(m.slow.x_half_bytes / m.slow.beta_Bps, 50e3 / 10e9, 1e-15);
    call_clear(&q.call);
    // one group: the one hop stays on the fast tier and pays its latency
    ask(&q, 1, 8, STRATEGY_ONE_HOP);
    q.platform.tier[TIER_FAST].message_cost_s = (struct quantity){.value = 2e-6, .given = true};
    model_from_call(&q.call, &c, &m, &g);
    assert_rel(m.flat.beta_Bps, 100e9, 0);
    assert_rel(m.flat.x_half_bytes, 200e3, 1e-15);
    assert_rel(m.alpha_one_hop_s, 1.001e-3, 1e-12);
    call_clear(&q.call);
}

static void stages_follow_one_another(void **state) {
    (void)state;
    struct question q;
    struct outcome o;
    const struct costs c = {.alpha_s = {2e-3, 4e-3}, .splits_s = 8e-3, .chain_s_per_pair = 1e-6};
    ask(&q, 4, 2, STRATEGY_TWO_HOP);
    struct matrix *rows = &q.call.stages[0].bytes; // 2 rows a token instead of 2.5
    rows->value[0] *= 2 / 2.5;
    model_call(&q.call, &c, &o);
    static const char *const names[] = {"hop_a", "splits", "chain", "hop_b"};
    const double end_s[] = {3.5e-3, 11.5e-3, 15.5e-3, 19.7e-3};
    assert_int_equal(o.n_stages, 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(o.stages[i].name, names[i]);
        assert_rel(o.stages[i].end_s, end_s[i], 1e-12);
        assert_rel(o.stages[i].start_s, i ? end_s[i - 1] : 0, 1e-12);
    }
    assert_rel(o.time_s, 19.7e-3, 1e-12);
    assert_rel(o.stages[0].bytes, 8 * 15e6, 1e-12);
    assert_rel(o.stages[0].messages, 8 * 3, 0);
    assert_rel(o.stages[1].bytes, 0, 0);
    assert_rel(o.stages[3].bytes, 8 * 20e6, 1e-12);
    assert_rel(o.stages[3].messages, 8, 0);
    outcome_clear(&o);
    call_clear(&q.call);
    ask(&q, 4, 2, STRATEGY_ONE_HOP);
    model_call(&q.call, &c, &o);
    assert_int_equal(o.n_stages, 1);
    assert_string_equal(o.stages[0].name, "one_hop");
    assert_rel(o.time_s, 2e-3 + 3.5e-3, 1e-12);
    assert_rel(o.stages[0].bytes, 8 * 35e6, 1e-12);
    assert_rel(o.stages[0].messages, 56, 0);
    outcome_clear(&o);
    call_clear(&q.call);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_rows_of_the_artifact),
        cmocka_unit_test(beta_kinds),
        cmocka_unit_test(saturation_is_a_cost_per_message),
        cmocka_unit_test(exchanges_of_nobody_and_nothing),
        cmocka_unit_test(terms_by_hand),
        cmocka_unit_test(degenerate_machines),
        cmocka_unit_test(machine_of_a_step),
        cmocka_unit_test(stages_follow_one_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
