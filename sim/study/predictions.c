/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/study/predictions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/unit.h"
#include "sim/engine/engine.h"
#include "validation/bench.h"
#include "validation/freeze.h"
#include "validation/samples.h"
#include "validation/simulate.h"
#include "workloads/strategy.h"

enum { SIZES = 256 };

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

static enum rc put_sizes(const struct question *q, const char *sizes, const struct study *s, struct result *r,
                         struct freeze_writer *w, struct err *e) {
    double all[SIZES];
    size_t n;
    struct sim_options limits = question_times_only(q);
    enum rc rc = read_sizes(sizes, all, &n, e);
    struct even v = {.bench = {.platform = r->in.platform, .topology = r->in.topology, .workload = r->in.workload,
                               .implementation = r->in.implementation},
                     .licence = licences_get(s->licences, CAP_CALL_TIME),
                     .regime = q->host == HOST_OBSERVED ? REGIME_OBSERVED : REGIME_AHEAD,
                     .simulator = {sim_answer, &limits}};
    if (!rc && n)
        call_build(r->in.topology, r->in.workload, r->in.implementation, r->in.traffic, STRATEGY_ONE_HOP,
                   PHASE_DISPATCH, &v.bench.call);
    for (size_t i = 0; i < n && !rc; i++)
        rc = put_even(&v, all[i], w, e);
    call_clear(&v.bench.call);
    return rc;
}

/* --- the file ------------------------------------------------------------------------------------------- */

static enum rc put_all(const struct study *s, const struct question *q, const char *sizes, struct result *r,
                       struct buf *out, struct err *e) {
    const struct freeze_head head = {study_version(), study_git(), q->arguments, q->n_arguments, &r->files};
    struct freeze_writer w;
    freeze_begin(&w, &head, out);
    for (int i = 0; i < r->n_calls; i++)
        if (!r->calls[i].baseline)
            put_call(r, &r->calls[i], &w);
    enum rc rc = put_sizes(q, sizes, s, r, &w, e);
    freeze_end(&w);
    return rc;
}

enum rc predictions_write(const struct study *s, const struct question *q, const char *sizes, struct buf *out,
                          struct err *e) {
    struct question alone = *q; // the host regime is that of the sizes
    struct result *r = NULL;
    alone.host = HOST_ALONE;
    enum rc rc = study_answer(s, &alone, &r, e);
    if (!rc)
        rc = put_all(s, q, sizes, r, out, e);
    result_free(r);
    return rc;
}
