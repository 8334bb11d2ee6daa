/* SPDX-License-Identifier: BSD-3-Clause */
/* simulate and compare: the same calls, simulated; compare adds the closed form's answer. */
#include "sim/cli/cli.h"

#include <stdio.h>
#include <string.h>

#include "gates/licence.h"
#include "model/bound.h"
#include "model/model.h"
#include "platforms/base/file.h"
#include "platforms/sanity.h"
#include "sim/cli/answer.h"
#include "sim/cli/constants.h"
#include "sim/cli/draws.h"
#include "sim/cli/explain.h"
#include "sim/cli/figures.h"
#include "sim/cli/licensing.h"
#include "sim/cli/sequence.h"
#include "sim/engine/engine.h"
#include "sim/report/page.h"
#include "sim/report/timeline.h"
#include "validation/compare.h"
#include "workloads/strategy.h"

/* Cases of fixed costs of one call: first what is shown, then the rest. */
struct cases {
    struct costs costs[RESULT_TREATMENTS + 1];
    double bound_s[RESULT_TREATMENTS + 1]; /* lower bounds of their times */
    struct bound_link busiest;
    size_t n;
    size_t wire;      /* index of the wire case */
    size_t treatment; /* index of the first treatment; n when the time is known */
};

static void fill_cases(const struct call *call, const struct options *o, struct cases *cases,
                       struct call_figures *figures) {
    struct alpha_answer answers[CALL_LAUNCHES];
    enum regime regime =
        o->host && strcmp(o->host, "observed") == 0 ? REGIME_OBSERVED : REGIME_AHEAD;
    *cases = (struct cases){0};
    figures->time_known =
        costs_known(call, regime, &cases->costs[0], answers, figures->reason);
    if (figures->time_known) {
        cases->wire = 1;
        cases->n = cases->treatment = 2;
        memcpy(figures->fixed_s, cases->costs[0].fixed_s, sizeof figures->fixed_s);
        for (int i = 0; i < call->n_launches; i++)
            if (answers[i].interpolated)
                snprintf(figures->reason, sizeof figures->reason, "%s", answers[i].reason);
    } else {
        cases->treatment = 1;
        cases->n = 1 + call->platform->alpha_treatments.n;
        for (size_t i = cases->treatment; i < cases->n; i++)
            costs_treatment(call, i - cases->treatment, &cases->costs[i]);
    }
    costs_wire(call, &cases->costs[cases->wire]);
}

static void fill_bounds(const struct call *call, struct cases *cases, struct call_figures *figures) {
    bound_calls(call, cases->costs, cases->n, cases->bound_s, &cases->busiest);
    figures->wire_bound_s = cases->bound_s[cases->wire];
    figures->bound_s = figures->time_known ? cases->bound_s[0] : -1;
    for (size_t i = cases->treatment; i < cases->n; i++)
        if (figures->bound_s < 0 || cases->bound_s[i] < figures->bound_s)
            figures->bound_s = cases->bound_s[i];
    if (figures->bound_s < 0)
        figures->bound_s = figures->wire_bound_s;
}

static void fill_traffic(const struct call *call, const struct bound_link *busiest, struct call_figures *figures) {
    memcpy(figures->tier_bytes, busiest->tier_bytes, sizeof figures->tier_bytes);
    memcpy(figures->tier_messages, busiest->tier_messages, sizeof figures->tier_messages);
    if (busiest->link < 0)
        return;
    figures->busiest = &call->topology->links[busiest->link];
    figures->busiest_bytes = busiest->bytes;
    if (figures->wire_s > 0)
        figures->busiest_utilisation = busiest->bytes / (figures->busiest->capacity_Bps * figures->wire_s);
}

/* Bytes between blocks of ranks, few enough to look at. */
static void fill_map(const struct call *call, struct call_figures *figures) {
    int ranks = call->topology->ranks;
    int each = (ranks + RESULT_MAP - 1) / RESULT_MAP, n = (ranks + each - 1) / each;
    figures->map = mem_alloc((size_t)n * (size_t)n, sizeof *figures->map);
    figures->map_blocks = n;
    figures->map_ranks = each;
    for (int i = 0; i < call->n_stages; i++) {
        const struct matrix *m = &call->stages[i].bytes;
        for (int src = 0; src < m->ranks; src++)
            for (size_t k = m->start[src]; k < m->start[src + 1]; k++)
                if (m->dst[k] != src)
                    figures->map[src / each * n + m->dst[k] / each] += m->value[k];
    }
}

static void fill_band(const struct cases *cases, const struct outcome *outcomes,
                      struct call_figures *figures) {
    if (figures->time_known) {
        figures->band_known = true;
        figures->band_s[0] = figures->band_s[1] = figures->time_s;
    }
    for (size_t i = cases->treatment; i < cases->n; i++) {
        double time_s = outcomes[i].time_s;
        figures->treatment_s[i - cases->treatment] = time_s;
        if (!figures->band_known || time_s < figures->band_s[0])
            figures->band_s[0] = time_s;
        if (!figures->band_known || time_s > figures->band_s[1])
            figures->band_s[1] = time_s;
        figures->band_known = true;
    }
}

static enum rc simulate_call(const struct call *call, const struct cases *cases,
                             const struct options *o, struct result *r, struct call_figures *figures,
                             struct err *e) {
    struct outcome outcomes[RESULT_TREATMENTS + 1] = {0};
    const struct sim_options options = {.timeout_s = o->timeout_s,
                                        .times_only = !r->detail,
                                        .link_bins = r->detail ? RESULT_BINS : 0,
                                        .messages = o->timeline ? RESULT_MESSAGES : 0};
    enum rc rc = sim_run(call, cases->costs, cases->n, &options, outcomes, e);
    if (rc)
        return rc;
    for (size_t i = 0; i < cases->n && !rc; i++) {
        if (compare_below_bound(outcomes[i].time_s, cases->bound_s[i]))
            rc = err_set(e, RC_ENGINE,
                         "%s (%s costs): simulated %.17g s lies below the lower bound %.17g s; "
                         "this is a bug of the program",
                         figures->strategy, cases->costs[i].name, outcomes[i].time_s, cases->bound_s[i]);
        size_t first = 0;
        while (outcomes[first].run != outcomes[i].run)
            first++;
        if (first == i) { // a run that several cases share counts once
            r->flows += outcomes[i].flows;
            r->wall_s += outcomes[i].wall_s;
            r->cpu_s += outcomes[i].cpu_s;
        }
        if (outcomes[i].peak_rss_bytes > r->peak_rss_bytes)
            r->peak_rss_bytes = outcomes[i].peak_rss_bytes;
    }
    figures->simulated = true;
    figures->wire_s = outcomes[cases->wire].time_s;
    figures->time_s = figures->time_known ? outcomes[0].time_s : 0;
    fill_band(cases, outcomes, figures);
    figures->shown = outcomes[0]; // known costs, or the wire
    for (size_t i = 1; i < cases->n; i++)
        outcome_clear(&outcomes[i]);
    return rc;
}

static void analytic_call(const struct call *call, const struct cases *cases,
                          struct call_figures *figures) {
    struct outcome wire, known;
    model_call(call, &cases->costs[cases->wire], &wire);
    model_call(call, &cases->costs[0], &known); // the wire again where the time is not known
    struct comparison c = {.time_known = figures->time_known,
                           .analytic_s = known.time_s,
                           .simulated_s = figures->time_s,
                           .analytic_wire_s = wire.time_s,
                           .simulated_wire_s = figures->wire_s};
    compare_fill(&c);
    figures->analytic = (struct call_analytic){.present = true,
                                            .covered = true,
                                            .time_known = figures->time_known,
                                            .time_s = known.time_s,
                                            .wire_s = wire.time_s,
                                            .error_known = c.basis != COMPARE_NONE,
                                            .relative_error = c.relative_error,
                                            .basis = compare_basis_name(c.basis)};
    outcome_clear(&wire);
    outcome_clear(&known);
}

/* One call to be made. */
struct ask {
    enum strategy strategy;
    enum phase phase;
    const struct implementation *implementation;
    bool compare, explain;
    bool only_time; /* a gain is measured against it, it is not shown */
};

static enum rc run_call(const struct inputs *in, const struct options *o, const struct ask *ask,
                        struct call_figures *figures, struct result *r, struct err *e) {
    struct call call;
    call_build(in->topology, in->workload, ask->implementation, in->traffic, ask->strategy, ask->phase,
               &call);
    call.enter_s = in->enter_s;
    call.order_seed = o->seed;
    call.path_seed = topo_path_seed(o->seed, 0);
    *figures = (struct call_figures){.strategy = strategy_name(ask->strategy),
                                  .phase = phase_name(ask->phase),
                                  .dedup = call.one_hop_dedup,
                                  .chunks = call.chunks,
                                  .pipelined = call.pipelined,
                                  .straggler.rank = -1};
    licensing_scope(o, &call, &figures->asked);
    struct cases cases;
    fill_cases(&call, o, &cases, figures);
    if (!ask->only_time || !o->analytic_only)
        fill_bounds(&call, &cases, figures);
    enum rc rc = o->analytic_only ? RC_OK : simulate_call(&call, &cases, o, r, figures, e);
    if (!rc && ask->compare && model_covers(&call))
        analytic_call(&call, &cases, figures);
    figures->analytic.present = ask->compare;
    figures->analytic.no_form = ask->compare ? model_no_form(&call) : NULL;
    const struct costs *basis = &cases.costs[figures->time_known ? 0 : cases.wire];
    if (!rc && ask->explain)
        rc = explain_causes(&call, basis, o, figures, e);
    bool ports = !ask->only_time && (o->detail || !o->brief || !o->analytic_only);
    if (!rc && ports)
        explain_ports(&call, basis, figures);
    if (!rc && !ask->only_time && (o->host || o->calls || o->all_layers || o->batches))
        rc = sequence_run(in, o, &call, &figures->sequence, e);
    if (!rc && !ask->only_time && o->draws)
        rc = draws_run(in, o, &call, figures->time_known, cases.costs, &figures->draws, e);
    if (!ask->only_time)
        fill_traffic(&call, &cases.busiest, figures);
    if (!rc && !ask->only_time && figures->simulated) {
        struct allowance_call known = {.wire_s = figures->wire_s, .bound_s = figures->wire_bound_s};
        memcpy(known.tier_bytes, figures->tier_bytes, sizeof known.tier_bytes);
        memcpy(known.tier_messages, figures->tier_messages, sizeof known.tier_messages);
        rc = allow_find(&call, &known, o->seed, &figures->allow, e);
    }
    if (!ask->only_time && o->detail)
        fill_map(&call, figures);
    call_clear(&call);
    return rc;
}

/* The one-hop call of a phase with rows de-duplicated per rank, if the implementation sends plain ones and a
 * gain is asked for: gains are against the best one hop. */
static enum rc run_best(const struct inputs *in, const struct options *o, const struct figures *f,
                        enum phase phase, struct call_figures *best, struct result *r, struct err *e) {
    bool one = false, other = false;
    for (int i = 0; i < f->n_calls; i++) {
        bool plain = strcmp(f->calls[i].strategy, strategy_name(STRATEGY_ONE_HOP)) == 0;
        one = one || (plain && f->calls[i].dedup == DEDUP_NONE);
        other = other || !plain;
    }
    if (!one || !other || in->drawn->same_per_rank)
        return RC_OK;
    struct implementation per_rank = *in->implementation;
    per_rank.dedup.one_hop = DEDUP_RANK;
    per_rank.reduce = REDUCE_EXPERT_RANK;
    const struct ask ask = {STRATEGY_ONE_HOP, phase, &per_rank, true, false, true};
    return run_call(in, o, &ask, best, r, e);
}

static enum rc run_phase(const struct inputs *in, const struct options *o, enum phase phase,
                         bool compare, struct figures *f, struct result *r, struct err *e) {
    static const int both[] = {STRATEGY_ONE_HOP, STRATEGY_TWO_HOP};
    const int *strategies = o->n_strategies ? o->strategies : both;
    int n = o->n_strategies ? o->n_strategies : 2;
    enum rc rc = RC_OK;
    if (in->traffic->unit == TRAFFIC_BYTES && !o->n_strategies)
        n = 1;
    for (int i = 0; i < n && !rc; i++) {
        if (in->traffic->unit == TRAFFIC_BYTES && strategies[i] != STRATEGY_ONE_HOP)
            return err_set(e, RC_UNSUPPORTED,
                           "--strategy %s: the record is a matrix of bytes without tokens, only one-hop is "
                           "defined",
                           strategy_name((enum strategy)strategies[i]));
        rc = call_check(in->platform, in->implementation, (enum strategy)strategies[i], e);
        if (rc)
            return rc;
        const struct ask ask = {(enum strategy)strategies[i], phase, in->implementation, compare,
                                compare && !o->unexplained, false};
        rc = run_call(in, o, &ask, &f->calls[f->n_calls++], r, e);
    }
    return rc;
}

static enum rc run_calls(const struct inputs *in, const struct options *o, bool compare,
                         struct figures *f, struct result *r, struct err *e) {
    struct call_figures best[PHASE_COUNT] = {0};
    enum rc rc = RC_OK;
    for (int phase = 0; phase < PHASE_COUNT && !rc; phase++) {
        if (!o->phases[phase])
            continue;
        rc = run_phase(in, o, (enum phase)phase, compare, f, r, e);
        if (!rc)
            rc = run_best(in, o, f, (enum phase)phase, &best[phase], r, e);
    }
    if (!rc)
        figures_gain(f, best, in->platform->alpha_treatments.n);
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        call_figures_clear(&best[phase]);
    return rc;
}

/* Whether every exchange of a call is as good as uniform: a call of an even load that ends far above its bound is the
 * schedule's doing. */
static bool is_even(const struct outcome *o) {
    for (int i = 0; i < o->n_stages; i++)
        if (o->stages[i].rho_in > 1.02 || o->stages[i].rho_out > 1.02)
            return false;
    return true;
}

static void warn_of_order(const struct inputs *in, const struct figures *f, struct result *r) {
    for (int i = 0; i < f->n_calls; i++) {
        const struct call_figures *c = &f->calls[i];
        bool even = in->workload->routing.source == SOURCE_UNIFORM || is_even(&c->shown);
        if (even && c->simulated && c->wire_bound_s > 0 && c->wire_s > 1.15 * c->wire_bound_s) {
            char slack[CLAIM_TEXT];
            buf_printf(&r->warnings,
                       "%s: a uniform load takes %s times its bound with order %s; the order convoys\n",
                       c->strategy, claim_text(r->calls[i].slack, CLAIM_COARSE, slack),
                       order_name(in->implementation->order));
        }
    }
}

static void write_result(const struct result *r, enum format format, struct buf *out) {
    if (format == FORMAT_JSON)
        result_write_json(r, out);
    else if (format == FORMAT_CSV)
        result_write_csv(r, out);
    else
        result_write_text(r, out);
}

static enum rc step_level(const struct licensing *l, struct err *e) {
    enum rc rc = licence_require(licences_get(l->licences, CAP_STEP_TIME), e);
    return rc ? rc : err_set(e, RC_WITHDRAWN, "step_time: nothing in this program composes calls into a step");
}

enum rc answer(const struct options *o, const struct licensing *l, bool compare, struct inputs_memo *memo,
               answer_f use, void *context, struct err *e) {
    struct inputs in = {.memo = memo};
    struct figures f = {0};
    struct result r = {.schema = compare ? "moesim/compare/1" : "moesim/simulate/1",
                       .seed = o->seed,
                       .engine_version = sim_version(),
                       .program_version = MOESIM_VERSION,
                       .program_git = MOESIM_GIT,
                       .arguments = o->arguments,
                       .n_arguments = o->n_arguments,
                       .detail = o->detail || (!o->brief && (o->format == FORMAT_JSON || o->timeline)),
                       .most_links = o->links ? o->links : RESULT_LINKS,
                       .gates = l->run.results,
                       .n_gates = l->run.n};
    enum rc rc = inputs_load(o, INPUT_PLATFORM | INPUT_WORKLOAD | INPUT_IMPLEMENTATION | INPUT_TRAFFIC,
                             &in, e);
    if (!rc && in.platform->alpha_treatments.n > RESULT_TREATMENTS)
        rc = err_set(e, RC_RANGE, "%s: alpha_treatments: %zu given, at most %d are supported",
                     in.platform->doc->file, in.platform->alpha_treatments.n, RESULT_TREATMENTS);
    if (!rc)
        topo_list_routes(in.topology, (enum topo_path)in.implementation->intra_group_path);
    if (!rc)
        rc = run_calls(&in, o, compare, &f, &r, e);
    if (!rc) {
        r.platform = in.platform;
        r.workload = in.workload;
        r.implementation = in.implementation;
        r.traffic = in.traffic;
        r.rho = in.drawn->rho;
        constants_weigh(&in, &r);
        f.extrapolates = in.platform->ratio.given;
        figures_publish(&f, in.topology, l->licences, &r);
        plat_sanity(in.platform, &r.warnings);
        warn_of_order(&in, &f, &r);
        rc = use(&r, context, e);
    }
    figures_unpublish(&r);
    licences_forget(l->licences);
    figures_clear(&f);
    buf_clear(&r.warnings);
    buf_clear(&r.assumed);
    inputs_clear(&in);
    return rc;
}

/* What is written beside the result; both are drawn from its JSON, so that they say nothing else. */
static enum rc write_beside(const struct result *r, const struct options *o, struct err *e) {
    struct buf json = {0}, html = {0}, trace = {0};
    struct page page;
    result_write_json(r, &json);
    enum rc rc = RC_OK;
    if (o->html && !(rc = page_read_text(json.text, json.n, o->html, &page, e))) {
        page_write(&page, &html);
        page_clear(&page);
        rc = file_write(o->html, html.text, html.n, e);
    }
    if (!rc && o->timeline && !(rc = timeline_write(json.text, json.n, &trace, e)))
        rc = file_write(o->timeline, trace.text, trace.n, e);
    buf_clear(&json);
    buf_clear(&html);
    buf_clear(&trace);
    return rc;
}

struct output {
    const struct options *o;
    struct buf *out;
};

static enum rc write_output(const struct result *r, void *context, struct err *e) {
    const struct output *output = context;
    write_result(r, output->o->format, output->out);
    bool beside = output->o->html || output->o->timeline;
    return beside ? write_beside(r, output->o, e) : RC_OK;
}

static enum rc run(const struct options *o, bool compare, struct buf *out, struct err *e) {
    if (o->n_words)
        return err_set(e, RC_USAGE, "unexpected word '%.60s'", o->words[0]);
    if (o->all_layers && o->calls)
        return err_set(e, RC_USAGE, "--calls and --layers cannot stand together: --layers makes one call a layer");
    if (o->batches && (o->all_layers || o->calls))
        return err_set(e, RC_USAGE, "--batches and %s cannot stand together: --batches makes one call a batch",
                       o->calls ? "--calls" : "--layers");
    if (o->html && o->timeline && file_same(o->html, o->timeline))
        return err_set(e, RC_USAGE, "--html and --timeline: both would be written to %s", o->html);
    struct licensing l;
    enum rc rc = licensing_open(o, &l, e);
    if (!rc && o->step_level) // no code composes calls into a step, whatever the gates say
        rc = step_level(&l, e);
    struct output output = {o, out};
    if (!rc)
        rc = answer(o, &l, compare, NULL, write_output, &output, e);
    licensing_clear(&l);
    return rc;
}

enum rc cmd_simulate(const struct options *o, struct buf *out, struct err *e) {
    return run(o, false, out, e);
}

enum rc cmd_compare(const struct options *o, struct buf *out, struct err *e) {
    return run(o, true, out, e);
}
