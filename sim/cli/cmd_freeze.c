/* SPDX-License-Identifier: BSD-3-Clause */
/* freeze: predictions in a file that cannot be changed unseen. */
#include "sim/cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/file.h"
#include "platforms/base/unit.h"
#include "validation/bench.h"
#include "validation/freeze.h"
#include "validation/samples.h"
#include "validation/simulate.h"
#include "workloads/strategy.h"

enum { SIZES = 256 };

struct freeze_line {
    struct line line;
    const char *output, *sizes;
};

static const char *const hosts[] = {"observed", "ahead", NULL};
#define FIELD(name) offsetof(struct freeze_line, name)
static const struct option output = {"-o", "FILE", OPTION_TEXT, FIELD(output), .help = "freeze file to write"};
static const struct option sizes = {"--all-to-all", "SIZES", OPTION_TEXT, FIELD(sizes),
                                    .help = "also even all-to-alls of all ranks: send buffers of a rank, own part "
                                            "included, such as 64KiB,1MiB"};
static const struct option host = {"--host", "observed|ahead", OPTION_CHOICE, FIELD(line.question.host),
                                   .choices = hosts, .first = HOST_OBSERVED,
                                   .help = "of --all-to-all: the host waits for each call, or runs ahead (default)"};
#undef FIELD
static const struct option *const options[] = {
    &output, &sizes, &host, &option_platform, &option_workload, &option_implementation, &option_set, &option_strategy,
    &option_phase, &option_schedule, &option_window, &option_chunks, &option_trace, &option_model, &option_seed,
    &option_engine, &option_timeout, &option_corpus, &option_help, NULL};

/* --- calls of a layer --------------------------------------------------------------------------------- */

static void put_call(const struct result *r, const struct result_call *c, struct freeze_writer *w) {
    bool combine = !strcmp(c->phase, "combine");
    char *id = mem_printf("%s %s", c->phase, result_call_name(c));
    const struct prediction p = {.id = id, .quantity = combine ? SAMPLED_COMBINE : SAMPLED_DISPATCH,
                                 .regime = REGIME_AHEAD, .world = plat_ranks(r->in.platform)};
    freeze_open_prediction(w, &p);
    if (claim_known(c->time))
        claim_json_key(&w->j, "time_s", c->time);
    else
        json_key_text(&w->j, "reason", *c->reason ? c->reason : "the call time is withdrawn");
    if (claim_known(c->time) && claim_known(c->band[0]) && claim_known(c->band[1])) {
        claim_json_key(&w->j, "low_s", c->band[0]);
        claim_json_key(&w->j, "high_s", c->band[1]);
    }
    json_close(&w->j);
    free(id);
}

/* --- even all-to-alls ----------------------------------------------------------------------------------- */

/* What the sizes of one command are simulated with. */
struct even {
    struct bench bench; /* borrows the result's inputs, but for its call */
    const struct licence *licence;
    enum regime regime;
    struct simulator simulator;
};

static enum rc put_even(struct even *v, double bytes, struct freeze_writer *w, struct err *e) {
    struct costs costs;
    char reason[200] = "";
    double time_s = 0;
    char *id = mem_printf("alltoall, %s, %.0f B a rank", regime_name(v->regime), bytes);
    const struct prediction p = {.id = id, .quantity = SAMPLED_ALLTOALL, .regime = (int)v->regime,
                                 .world = v->bench.topology->ranks, .send_bytes = {.value = bytes, .given = true}};
    bench_all_to_all(&v->bench, bytes);
    bool known = costs_known(&v->bench.call, v->regime, &costs, NULL, reason);
    costs.splits_s = costs.chain_s_per_pair = costs.chain_floor_s = 0;
    enum rc rc = known ? simulate_time(&v->simulator, &v->bench.call, &costs, &time_s, e) : RC_OK;
    const struct claim time = claim_if(known && time_s > 0, v->licence, time_s);
    freeze_open_prediction(w, &p);
    if (claim_known(time))
        claim_json_key(&w->j, "time_s", time);
    else
        json_key_text(&w->j, "reason", *reason ? reason : "the call time is withdrawn");
    json_close(&w->j);
    free(id);
    return rc;
}

static enum rc read_sizes(const char *text, double into[static SIZES], size_t *n, struct err *e) {
    char *copy = mem_copy(text ? text : ""), *rest = copy;
    enum rc rc = RC_OK;
    *n = 0;
    for (char *word; !rc && (word = strtok_r(rest, ",", &rest)); ++*n) {
        if (*n == SIZES)
            rc = err_set(e, RC_USAGE, "--all-to-all: more than %d sizes", SIZES);
        else if (unit_parse(word, UNIT_SIZE, &into[*n], e) || !(into[*n] > 0))
            rc = err_set(e, RC_USAGE, "--all-to-all: '%.40s' found, expected sizes above 0 such as 64KiB,1MiB", word);
        for (size_t i = 0; i < *n && !rc; i++)
            if (into[i] == into[*n])
                rc = err_set(e, RC_USAGE, "--all-to-all: %.40s is there twice", word);
    }
    free(copy);
    return rc;
}

static enum rc put_sizes(const struct freeze_line *l, const struct study *s, struct result *r,
                         struct freeze_writer *w, struct err *e) {
    double all[SIZES];
    size_t n;
    struct sim_options limits = question_times_only(&l->line.question);
    enum rc rc = read_sizes(l->sizes, all, &n, e);
    struct even v = {.bench = {.platform = r->in.platform, .topology = r->in.topology, .workload = r->in.workload,
                               .implementation = r->in.implementation},
                     .licence = licences_get(s->licences, CAP_CALL_TIME),
                     .regime = l->line.question.host == HOST_OBSERVED ? REGIME_OBSERVED : REGIME_AHEAD,
                     .simulator = {sim_answer, &limits}};
    if (!rc && n)
        call_build(r->in.topology, r->in.workload, r->in.implementation, r->in.traffic, STRATEGY_ONE_HOP,
                   PHASE_DISPATCH, &v.bench.call);
    for (size_t i = 0; i < n && !rc; i++)
        rc = put_even(&v, all[i], w, e);
    call_clear(&v.bench.call);
    return rc;
}

/* --- the command ------------------------------------------------------------------------------------------ */

static enum rc write_freeze(const struct freeze_line *l, const struct study *s, struct result *r, struct err *e) {
    const struct freeze_head head = {study_version(), study_git(), l->line.question.arguments,
                                     l->line.question.n_arguments, &r->files};
    struct freeze_writer w;
    struct buf text = {0};
    freeze_begin(&w, &head, &text);
    for (int i = 0; i < r->n_calls; i++)
        if (!r->calls[i].baseline)
            put_call(r, &r->calls[i], &w);
    enum rc rc = put_sizes(l, s, r, &w, e);
    freeze_end(&w);
    if (!rc)
        rc = file_write(l->output, text.text, text.n, e);
    buf_clear(&text);
    return rc;
}

/* Reads what was written: it is shown as others will read it. */
static enum rc say(const char *path, struct buf *out, struct err *e) {
    struct freeze *f = NULL;
    enum rc rc = freeze_load(path, &f, e);
    if (!rc)
        buf_printf(out, "%s: %zu predictions, sha256 %s\n", path, f->predictions.n, f->sha256);
    freeze_free(f);
    return rc;
}

static enum rc freeze_run(const void *parsed, struct buf *out, struct err *e) {
    const struct freeze_line *l = parsed;
    struct question q = l->line.question;
    struct study s = {0};
    struct result *r = NULL;
    q.host = HOST_ALONE;
    enum rc rc = cli_no_words(&l->line, e);
    if (!rc && !l->output)
        rc = err_set(e, RC_USAGE, "freeze: expected -o FILE");
    if (!rc)
        rc = study_open(q.corpus, NULL, &s, e);
    if (!rc)
        rc = study_answer(&s, &q, &r, e);
    if (!rc)
        rc = write_freeze(l, &s, r, e);
    result_free(r);
    study_close(&s);
    return rc ? rc : say(l->output, out, e);
}

const struct command command_freeze = {
    "freeze", freeze_run, options, sizeof(struct freeze_line), false,
    "write predictions down before they are measured", "-o FILE [options]",
    "Writes the call times that simulate answers with the same options, with the version, the hashes of all inputs\n"
    "and a hash of the file itself. Publish that hash, measure, then let score grade the file: a prediction that was\n"
    "changed meanwhile is refused. A call whose time is not known is written with the reason and counts as failed.\n\n"
    "Examples:\n"
    "  moesim freeze -o before.json --platform my_cluster.yaml --all-to-all 64KiB,1MiB,16MiB\n"
    "  moesim freeze -o layer.json --platform my_cluster.yaml --trace counts.npy --phase both\n", NULL};
