/* SPDX-License-Identifier: BSD-3-Clause */
/* Logs that the simulator makes with one known fault and noise: the fault is put first. The labels of the faults,
 * tests/data/diagnose/labels.csv, are older than the code that looks for them. */
#include <math.h>

#include "tests/support/folder.h"
#include "tests/support/program.h"

#include "platforms/base/rng.h"
#include "sim/engine/engine.h"
#include "validation/diagnose.h"
#include "workloads/records/csv.h"

enum { REPEATS = 8, GROUPS = 2, GROUP = 4, RANKS = GROUPS * GROUP };
static const double noise_share = 0.03;

static const char machine[] =
    "schema: moesim/platform/1\nname: toy\nimplementation: mpi-linear\ngroups: 2\nranks_per_group: 4\n"
    "alpha:\n"
    "  - {implementation: mpi-linear, regime: ahead, includes: [latency], entries: [{world: 4, span: fast,\n"
    "      time: 5us}, {world: 8, span: slow, time: 10us}]}\n"
    "  - {implementation: mpi-linear, regime: observed, includes: [latency], entries: [{world: 4, span: fast,\n"
    "      time: 40us}, {world: 8, span: slow, time: 80us}]}\n"
    "alpha_treatments: [{name: none}]\nfast: {bandwidth: 100GBps}\n";

struct label {
    char cause[24];
    int place;
    double value;
    uint64_t seed;
};

/* --- a log -------------------------------------------------------------------------------------------- */

struct log {
    struct buf text;
    int turn;
};

static void put(struct log *l, const struct sample *s) {
    for (int i = 0; i < REPEATS; i++)
        buf_printf(&l->text, "%s,,%s,%s,%d,%d,%d,%.17g,%.17g,1,%d,%d,1\n", sampled_name(s->quantity),
                   regime_name((enum regime)s->regime), s->span ? "slow" : "fast", (int)s->world, (int)s->senders,
                   (int)s->peers, s->message_bytes, s->send_bytes, i, l->turn++);
}

/* What a run of the benchmarks times; all times are 1 s so far. */
static void put_points(struct log *l, int regime) {
    buf_text(&l->text, "# schema: moesim/samples/1\n# machine: toy\n# implementation: mpi-linear\n# groups: 2\n"
                       "# ranks_per_group: 4\nquantity,part,regime,span,world,senders,peers,message_bytes,send_bytes,"
                       "calls,repeat,turn,time_s\n");
    for (double bytes = 16384; bytes <= 16384 << 10; bytes *= 4)
        for (int span = 0; span < 2; span++) {
            int world = span ? RANKS : GROUP;
            put(l, &(struct sample){SAMPLED_ALLTOALL, "", regime, span, world, world, world - 1, 1, 0, 0, bytes,
                                    bytes * world, 0});
            put(l, &(struct sample){SAMPLED_ALLTOALLV, "", regime, span, world, world, world - 1, 1, 0, 0, bytes,
                                    bytes * world, 0});
        }
    for (int pairs = 1; pairs <= GROUP; pairs++)
        for (int span = 0; span < 2; span++)
            if (span || pairs <= GROUP / 2)
                put(l, &(struct sample){SAMPLED_PAIRS, "", regime, span, 2 * pairs, pairs, 8, 1, 0, 0, 1 << 20, 8 << 20,
                                        0});
}

static void write_machine(const char *path, const struct label *l) {
    struct buf text = {0};
    struct err e;
    buf_text(&text, machine);
    double oversubscription = l && !strcmp(l->cause, "shared-uplink") ? l->value : 1;
    buf_printf(&text, "slow: {bandwidth: 25GBps, oversubscription: %g}\n", oversubscription);
    if (l && !strcmp(l->cause, "slow-rank"))
        buf_printf(&text, "degraded: [{link: rank-%d, factor: %g}]\n", l->place, l->value);
    if (l && !strcmp(l->cause, "dead-rail"))
        buf_printf(&text, "degraded: [{link: slow-out-%d, factor: %g}, {link: slow-in-%d, factor: %g}, "
                   "{link: slow-out-%d, factor: %g}, {link: slow-in-%d, factor: %g}]\n", l->place, l->value, l->place,
                   l->value, GROUP + l->place, l->value, GROUP + l->place, l->value);
    assert_ok(file_write(path, text.text, text.n, &e), &e);
    buf_clear(&text);
}

/* The times of all points under a label; what the platform file cannot say is done to the call or to the time. */
static void fault_times(const struct diagnose_ask *ask, const struct sample_points *points, const struct label *l,
                        double *times_s) {
    struct cause how = {CAUSE_NONE, -1, 0};
    struct err e;
    if (!strcmp(l->cause, "hot-rank"))
        how = (struct cause){CAUSE_HOT_RANK, l->place, l->value};
    assert_ok(diagnose_predict(ask, points, &how, times_s, &e), &e);
    for (size_t i = 0; i < points->n; i++)
        if (!strcmp(l->cause, "late-rank") && points->items[i].of->quantity != SAMPLED_PAIRS &&
            points->items[i].of->world == RANKS)
            times_s[i] += l->value;
}

/* Makes the log of a label: samples with the noise of its seed, sizes as the log states them. */
static struct samples *make_log(const struct label *l, const struct simulator *simulator) {
    struct log log = {0};
    struct samples *s;
    struct sample_points points;
    struct rng noise;
    struct err e;
    bool other = !strcmp(l->cause, "regime");
    put_points(&log, other ? REGIME_AHEAD : REGIME_OBSERVED);
    assert_ok(samples_parse(log.text.text, log.text.n, "toy.csv", NULL, &s, &e), &e);
    buf_clear(&log.text);
    write_machine("./faulty.yaml", l);
    points_of(s, &points);
    double *times_s = mem_alloc(points.n, sizeof *times_s);
    fault_times(&(struct diagnose_ask){"./faulty.yaml", s, simulator}, &points, l, times_s);
    rng_init(&noise, l->seed, "diagnose", 0);
    for (size_t i = 0; i < points.n; i++) {
        struct sample *first = &s->items[points.items[i].of - s->items];
        const struct sample like = *first;
        for (size_t k = 0; k < s->n; k++) {
            struct sample *x = &s->items[k];
            if (x->quantity == like.quantity && x->span == like.span && x->world == like.world &&
                x->send_bytes == like.send_bytes && x->senders == like.senders)
                x->time_s = times_s[i] * exp(noise_share * rng_normal(&noise));
        }
    }
    for (size_t k = 0; k < s->n; k++) {
        s->items[k].regime = REGIME_OBSERVED;
        if (!strcmp(l->cause, "bytes") && s->items[k].quantity != SAMPLED_PAIRS)
            s->items[k].send_bytes *= l->value;
    }
    free(times_s);
    points_free(&points);
    return s;
}

/* --- labels ---------------------------------------------------------------------------------------------- */

static void read_label(const struct csv *c, struct label *l) {
    double place = -1, seed;
    *l = (struct label){.place = -1};
    snprintf(l->cause, sizeof l->cause, "%s", c->fields[1].text);
    if (c->fields[2].n && csv_number(&c->fields[2], &place))
        l->place = (int)place;
    assert_true(csv_number(&c->fields[3], &l->value) && csv_number(&c->fields[4], &seed));
    l->seed = (uint64_t)seed;
}

static size_t read_labels(struct label *all, size_t most) {
    char *text;
    size_t n, found = 0;
    struct csv c;
    struct err e;
    assert_ok(file_read(TEST_DATA_DIR "/diagnose/labels.csv", 1 << 20, &text, &n, &e), &e);
    csv_init(&c, text, n, "labels.csv");
    assert_ok(csv_next(&c, &e), &e);
    while (csv_next(&c, &e) == RC_OK && c.n_fields) {
        assert_true(found < most);
        read_label(&c, &all[found++]);
    }
    csv_clear(&c);
    free(text);
    return found;
}

/* --- tests ------------------------------------------------------------------------------------------------- */

static void known_faults_are_put_first(void **state) {
    (void)state;
    struct label all[32];
    struct sim_options limits = {.times_only = true, .engine = SIM_ENGINE_FLUID};
    const struct simulator simulator = {sim_answer, &limits};
    size_t n = read_labels(all, 32), faults = 0, right = 0;
    for (size_t i = 0; i < n; i++) {
        struct diagnosis d;
        struct err e;
        struct samples *s = make_log(&all[i], &simulator);
        write_machine("./toy.yaml", NULL);
        assert_ok(diagnose(&(struct diagnose_ask){"./toy.yaml", s, &simulator}, &d, &e), &e);
        const struct finding *f = &d.items[0];
        bool same = !strcmp(cause_name(f->cause.kind), all[i].cause) && d.n_tied == 1;
        print_message("%-14s place %2d size %-8g found %-14s place %2d size %-8.3g rms %.3f of %.3f, then %s %.3f, %zu "
                      "tied\n", all[i].cause, all[i].place, all[i].value, cause_name(f->cause.kind), f->cause.place,
                      f->cause.size, f->rms, d.rms, cause_name(d.items[1].cause.kind), d.items[1].rms, d.n_tied);
        if (!strcmp(all[i].cause, "none")) {
            assert_true(same);
        } else {
            faults++;
            right += same;
        }
        samples_free(s);
    }
    print_message("%zu of %zu faults first, and told from all other causes\n", right, faults);
    assert_int_equal(faults, 12);
    assert_true(right >= 9); // three logs time no calls that tell a dead rail from a slow rank
    unlink("toy.yaml");
    unlink("faulty.yaml");
}

static void the_command(void **state) {
    (void)state;
    struct yaml_doc *doc;
    struct buf out = {0};
    char *line = mem_printf("diagnose %s/../fuzz/corpus/samples/good.csv --platform synthetic --format json",
                            TEST_DATA_DIR);
    assert_int_equal(program_run(line, &doc), 0);
    assert_string_equal(program_at(doc, "schema")->text, "moesim/diagnose/1");
    assert_string_equal(program_at(doc, "causes.0.cause")->text, program_at(doc, "answer")->text);
    assert_true(program_number(doc, "causes.0.explained") >= program_number(doc, "causes.1.explained"));
    assert_true(program_number(doc, "causes.0.elsewhere.one_pair") > 0);
    assert_non_null(strstr(program_at(doc, "note")->text, "wire times only"));
    yaml_doc_free(doc);
    free(line);
    assert_int_equal(program_text("diagnose x.csv", &out), 2);
    assert_int_equal(program_text("diagnose x.csv --platform synthetic", &out), 1);
    buf_clear(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_faults_are_put_first),
        cmocka_unit_test(the_command),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
