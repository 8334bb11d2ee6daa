/* SPDX-License-Identifier: BSD-3-Clause */
/* What is written of a call: one row a key. To add a number, fill its claim where it arises and add a row here; JSON,
 * CSV of simulate and CSV of records follow, and a test asks for its line in sim/OUTPUT.md. */
#include "sim/report/call_fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/report/allowance.h"
#include "sim/report/json_parts.h"
#include "sim/report/table.h"
#include "workloads/strategy.h"

static void write_stages(struct json *j, const struct result *r, const struct result_call *c) {
    (void)r;
    json_key_text(j, "stages_basis", c->time_known ? "time" : "wire");
    json_key_open(j, "stages", '[');
    for (int i = 0; i < c->n_stages; i++) {
        const struct result_stage *s = &c->stages[i];
        json_open(j, '{');
        json_key_text(j, "name", s->name);
        claim_json_key(j, "start_s", s->start);
        claim_json_key(j, "end_s", s->end);
        json_key_number(j, "bytes", s->bytes);
        json_key_number(j, "messages", s->messages);
        if (s->rho_in > 0) {
            json_key_number(j, "rho_max_out", s->rho_out);
            json_key_number(j, "rho_max_in", s->rho_in);
        }
        json_close(j);
    }
    json_close(j);
}

static void write_ranks(struct json *j, const struct result *r, const struct result_call *c) {
    int ranks = plat_ranks(r->in.platform);
    if (!c->send_end || !c->recv_end)
        return;
    json_key_open(j, "ranks", '[');
    for (int i = 0; i < ranks; i++) {
        json_open(j, '{');
        claim_json_key(j, "send_end_s", c->send_end[i]);
        claim_json_key(j, "recv_end_s", c->recv_end[i]);
        if (c->port_end) {
            claim_json_key(j, "send_bound_s", c->port_end[3 * i]);
            claim_json_key(j, "recv_bound_s", c->port_end[3 * i + 1]);
            claim_json_key(j, "shared_bound_s", c->port_end[3 * i + 2]);
        }
        json_close(j);
    }
    json_close(j);
}

static void write_traffic(struct json *j, const struct result *r, const struct result_call *c) {
    const struct platform *p = r->in.platform;
    json_key_open(j, "tiers", '[');
    for (int t = 0; t < p->n_tiers; t++) {
        json_open(j, '{');
        json_key_text(j, "name", p->tier[t].name);
        json_key_number(j, "bytes", c->tier_bytes[t]);
        json_key_number(j, "messages", c->tier_messages[t]);
        json_close(j);
    }
    json_close(j);
    if (!c->busiest) {
        json_key_null(j, "busiest_link");
        return;
    }
    json_key_open(j, "busiest_link", '{');
    json_key_text(j, "name", c->busiest->name);
    json_key_text(j, "tier", p->tier[c->busiest->tier].name);
    json_key_number(j, "bytes", c->busiest_bytes);
    claim_json_key(j, "utilisation", c->busiest_utilisation);
    json_close(j);
}

static void write_treatments(struct json *j, const struct result *r, const struct result_call *c) {
    const struct plat_treatment *t = r->in.platform->alpha_treatments.items;
    if (c->time_known || !claim_known(c->band[0]))
        return;
    json_key_open(j, "alpha_treatments", '[');
    for (size_t i = 0; i < r->in.platform->alpha_treatments.n; i++) {
        json_open(j, '{');
        json_key_text(j, "name", t[i].name);
        claim_json_key(j, "time_s", c->treatments[i]);
        json_close(j);
    }
    json_close(j);
}

static void write_causes(struct json *j, const struct result *r, const struct result_call *c) {
    const struct result_analytic *a = &c->analytic;
    (void)r;
    json_key_open(j, "causes", '[');
    for (int i = 0; i < a->n_causes; i++) {
        json_open(j, '{');
        json_key_text(j, "name", a->causes[i].name);
        claim_json_key(j, "seconds", a->causes[i].seconds);
        claim_json_key(j, "first_s", a->causes[i].first);
        claim_json_key(j, "last_s", a->causes[i].last);
        json_close(j);
    }
    json_close(j);
    json_key_text(j, "causes_method",
                  !a->n_causes ? NULL
                  : a->shapley ? "shapley"
                               : "first-and-last");
}

static void write_straggler(struct json *j, const struct result *r, const struct result_call *c) {
    const struct result_straggler *s = &c->straggler;
    (void)r;
    if (s->rank < 0) {
        json_key_null(j, "straggler");
        return;
    }
    json_key_open(j, "straggler", '{');
    json_key_int(j, "rank", s->rank);
    json_key_text(j, "side", s->side);
    json_key_text(j, "link", s->link->name);
    claim_json_key(j, "bound_s", s->end);
    json_close(j);
}

/* Writes the EP groups of a job, and of them the fastest and the slowest. */
static void write_groups(struct json *j, const struct result *r, const struct result_call *c) {
    (void)r;
    if (!c->n_groups)
        return;
    claim_json_key(j, "ep_fastest_s", c->groups[c->fastest].end);
    claim_json_key(j, "ep_slowest_s", c->groups[c->slowest].end);
    json_key_open(j, "ep_groups", '[');
    for (int g = 0; g < c->n_groups; g++) {
        json_open(j, '{');
        json_key_int(j, "first_rank", c->groups[g].first_rank);
        json_key_int(j, "ranks", c->groups[g].ranks);
        claim_json_key(j, "end_s", c->groups[g].end);
        json_close(j);
    }
    json_close(j);
}

static void write_links(struct json *j, const struct result *r, const struct result_call *c) {
    const struct platform *p = r->in.platform;
    json_key_open(j, "links", '[');
    for (int i = 0; i < c->n_links; i++) {
        const struct result_link *l = &c->links[i];
        json_open(j, '{');
        json_key_text(j, "name", l->link->name);
        json_key_text(j, "tier", p->tier[l->link->tier].name);
        json_key_number(j, "bytes", l->bytes);
        claim_json_key(j, "utilisation", l->utilisation);
        claim_json_key(j, "bin_s", c->bin);
        json_key_open(j, "utilisation_over_time", '[');
        for (int b = 0; b < l->n_bins; b++)
            json_number(j, l->bins[b]);
        json_close(j);
        json_close(j);
    }
    json_close(j);
    json_key_text(j, "critical_path", c->critical_path);
    claim_json_key(j, "fairness", c->fairness);
    claim_json_key(j, "from_last_entry_s", c->from_last);
}

/* Writes the bytes between blocks of ranks, row = sender. */
static void write_map(struct json *j, const struct result *r, const struct result_call *c) {
    (void)r;
    if (!c->map)
        return;
    json_key_open(j, "traffic_map", '{');
    json_key_int(j, "ranks_per_block", c->map_ranks);
    json_key_open(j, "bytes", '[');
    for (int i = 0; i < c->map_blocks; i++) {
        json_open(j, '[');
        for (int k = 0; k < c->map_blocks; k++)
            json_number(j, c->map[i * c->map_blocks + k]);
        json_close(j);
    }
    json_close(j);
    json_close(j);
}

static void write_sequence(struct json *j, const struct result *r, const struct result_call *c) {
    const struct result_sequence *s = &c->sequence;
    (void)r;
    if (!s->host)
        return;
    json_key_open(j, "sequence", '{');
    json_key_text(j, "host", s->host);
    json_key_int(j, "calls", s->n_calls);
    claim_json_key(j, "per_call_s", s->per_call);
    claim_json_key(j, "per_call_wire_s", s->per_call_wire);
    if (s->by) {
        bool batches = strcmp(s->by, "batch") == 0;
        json_key_open(j, batches ? "batches" : "layers", '[');
        for (int i = 0; i < s->n_calls; i++) {
            json_open(j, '{');
            json_key_int(j, s->by, s->number[i]);
            claim_json_key(j, "time_s", s->time[i]);
            claim_json_key(j, "wire_s", s->wire[i]);
            json_close(j);
        }
        json_close(j);
        if (s->worst >= 0)
            json_key_int(j, batches ? "worst_batch" : "worst_layer", s->number[s->worst]);
        else
            json_key_null(j, batches ? "worst_batch" : "worst_layer");
    }
    if (*s->reason) {
        json_key_open(j, "withdrawn", '{');
        char why[sizeof s->reason + 16];
        snprintf(why, sizeof why, "coverage: %s", s->reason);
        json_key_text(j, "per_call_s", why);
        json_close(j);
    }
    json_close(j);
}

static void write_allowance(struct json *j, const struct result *r, const struct result_call *c) {
    (void)r;
    allowance_write_json(j, &c->allowance);
}

static void write_draws(struct json *j, const struct result *r, const struct result_call *c) {
    const struct result_draws *d = &c->draws;
    (void)r;
    static const char *const keys[RESULT_QUANTILES] = {"p50", "p95", "p99"};
    if (!d->n)
        return;
    json_key_int(j, "draws", d->n);
    json_key_open(j, "time_quantiles_s", '{');
    for (int i = 0; i < RESULT_QUANTILES; i++)
        claim_json_key(j, keys[i], d->time[i]);
    if (d->tail_reason) {
        json_key_open(j, "withdrawn", '{');
        for (int i = 1; i < RESULT_QUANTILES; i++) {
            char *why = mem_printf("skew_tail: %s", d->tail_reason);
            json_key_text(j, keys[i], why);
            free(why);
        }
        json_close(j);
    }
    json_close(j);
    json_key_open(j, "wire_quantiles_s", '{');
    for (int i = 0; i < RESULT_QUANTILES; i++)
        claim_json_key(j, keys[i], d->wire[i]);
    json_close(j);
}

/* Writes that numbers of a simulation are withdrawn, where the engine is `bound`. */
static void withdraw_simulated(struct json *j, const struct result_call *c) {
    static const char why[] = "engine: bound gives lower bounds only, nothing was simulated";
    if (c->time_known)
        json_key_text(j, "time_s", why);
    json_key_text(j, "wire_s", why);
    if (!c->analytic.present)
        return;
    if (c->time_known)
        json_key_text(j, "simulated_s", why);
    json_key_text(j, "simulated_wire_s", why);
}

static void write_withdrawn(struct json *j, const struct result *r, const struct result_call *c) {
    const char *no_form = c->analytic.no_form;
    bool bound = r->question->engine == SIM_ENGINE_BOUND;
    if (c->time_known && !no_form && !bound)
        return;
    char why[sizeof c->reason + 16], none[80];
    snprintf(why, sizeof why, "coverage: %s", c->reason);
    snprintf(none, sizeof none, "closed form: none of %s", no_form ? no_form : "");
    json_key_open(j, "withdrawn", '{');
    if (!c->time_known)
        json_key_text(j, "time_s", why);
    if (c->analytic.present && (!c->time_known || no_form))
        json_key_text(j, "analytic_s", no_form ? none : why);
    if (no_form)
        json_key_text(j, "analytic_wire_s", none);
    if (c->analytic.present && !c->time_known)
        json_key_text(j, "simulated_s", why);
    if (bound)
        withdraw_simulated(j, c);
    json_close(j);
    if (c->time_known)
        return;
    json_key_open(j, "reopen", '{');
    json_key_text(j, "time_s", c->reopen);
    json_close(j);
}

static void write_head(struct json *j, const struct result *r, const struct result_call *c) {
    const struct implementation *m = r->in.implementation;
    json_key_text(j, "hops", c->pipelined ? "pipelined" : "serial");
    json_key_int(j, "chunks", c->chunks);
    json_key_text(j, "order", order_name(m->order));
    json_window(j, m->window);
}

static void write_fixed(struct json *j, const struct result *r, const struct result_call *c) {
    static const char *const parts[FIXED_PARTS] = {"payload", "counts_and_metadata", "readback"};
    (void)r;
    json_key_open(j, "fixed_s", '{');
    for (int i = 0; i < FIXED_PARTS; i++)
        claim_json_key(j, parts[i], c->fixed[i]);
    json_close(j);
}

static void write_messages(struct json *j, const struct result *r, const struct result_call *c) {
    json_messages(j, r->in.platform, &c->messages);
}

static void write_note(struct json *j, const struct result *r, const struct result_call *c) {
    (void)r;
    if (c->time_known && *c->reason)
        json_key_text(j, "note", c->reason);
}

static void write_bound_note(struct json *j, const struct result *r, const struct result_call *c) {
    (void)r;
    if (c->bound_is_near)
        json_key_text(j, "bound_note", RESULT_BOUND_IS_NEAR);
}

/* --- when a row is written ------------------------------------------------------------------------------ */

static bool is_one_hop(const struct result *r, const struct result_call *c) {
    (void)r;
    return strcmp(c->strategy, strategy_name(STRATEGY_ONE_HOP)) == 0;
}

static bool has_detail(const struct result *r, const struct result_call *c) {
    (void)c;
    return r->question->detail >= DETAIL_RANKS;
}

static bool has_run_detail(const struct result *r, const struct result_call *c) {
    return c->simulated && has_detail(r, c);
}

static bool is_compared(const struct result *r, const struct result_call *c) {
    (void)r;
    return c->analytic.present;
}

#define ROW(name, what, field) .key = name, .kind = what, .offset = offsetof(struct result_call, field)
const struct call_field call_fields[] = {
    {ROW("strategy", FIELD_TEXT, strategy)},
    {ROW("phase", FIELD_TEXT, phase)},
    {ROW("dedup", FIELD_DEDUP, dedup), .csv = "dedup", .when = is_one_hop},
    {ROW("engine", FIELD_TEXT, engine), .csv = "engine"},
    {.write = write_head},
    {ROW("conditional", FIELD_BOOL, conditional)},
    {ROW("time_s", FIELD_CLAIM, time)},
    {ROW("time_band_s", FIELD_PAIR, band)},
    {.write = write_treatments},
    {.write = write_fixed, .when = has_detail},
    {ROW("wire_s", FIELD_CLAIM, wire)},
    {ROW("bound_s", FIELD_CLAIM, bound)},
    {ROW("wire_bound_s", FIELD_CLAIM, wire_bound)},
    {ROW("slack", FIELD_CLAIM, slack)},
    {.write = write_straggler},
    {ROW("analytic_s", FIELD_CLAIM, analytic.time), .when = is_compared},
    {ROW("simulated_s", FIELD_CLAIM, time), .when = is_compared},
    {ROW("analytic_wire_s", FIELD_CLAIM, analytic.wire), .when = is_compared},
    {ROW("simulated_wire_s", FIELD_CLAIM, wire), .when = is_compared},
    {ROW("relative_error", FIELD_CLAIM, analytic.relative_error), .when = is_compared},
    {ROW("basis", FIELD_TEXT, analytic.basis), .when = is_compared},
    {.write = write_causes, .when = is_compared},
    {.write = write_stages, .when = has_run_detail},
    {.write = write_traffic},
    {.write = write_ranks, .when = has_run_detail},
    {.write = write_groups},
    {.write = write_links, .when = has_run_detail},
    {.write = write_messages},
    {.write = write_map},
    {.write = write_sequence},
    {.write = write_draws},
    {.write = write_allowance},
    {.write = write_withdrawn},
    {.write = write_note},
    {.write = write_bound_note},
};
const size_t call_fields_n = sizeof call_fields / sizeof *call_fields;

static void write_field(struct json *j, const struct call_field *f, const struct result_call *c) {
    const char *at = (const char *)c + f->offset;
    switch (f->kind) {
    case FIELD_CLAIM:
        claim_json_key(j, f->key, *(const struct claim *)(const void *)at);
        break;
    case FIELD_PAIR:
        claim_json_pair(j, f->key, (const struct claim *)(const void *)at);
        break;
    case FIELD_TEXT:
        json_key_text(j, f->key, *(const char *const *)(const void *)at);
        break;
    case FIELD_BOOL:
        json_key_bool(j, f->key, *(const bool *)at);
        break;
    case FIELD_DEDUP:
        json_key_text(j, f->key, dedup_name((int)*(const enum dedup *)(const void *)at));
        break;
    }
}

void json_call(struct json *j, const struct result *r, const struct result_call *c) {
    json_open(j, '{');
    for (size_t i = 0; i < call_fields_n; i++) {
        const struct call_field *f = &call_fields[i];
        if (f->when && !f->when(r, c))
            continue;
        if (f->write)
            f->write(j, r, c);
        else
            write_field(j, f, c);
    }
    json_close(j);
}

void call_csv_head(struct buf *out) {
    for (size_t i = 0; i < call_fields_n; i++)
        if (call_fields[i].csv)
            buf_printf(out, ",%s", call_fields[i].csv);
}

/* Appends a field of a call to a CSV row. An unknown number is an empty field; a pair has no column of its own. */
static void csv_field(const struct call_field *f, const struct result_call *c, struct buf *out) {
    const char *at = (const char *)c + f->offset;
    char number[CLAIM_TEXT];
    const struct claim *claim = f->kind == FIELD_CLAIM ? (const struct claim *)(const void *)at : NULL;
    const char *text = f->kind == FIELD_DEDUP ? dedup_name((int)*(const enum dedup *)(const void *)at)
                       : f->kind == FIELD_TEXT ? *(const char *const *)(const void *)at
                       : f->kind == FIELD_BOOL ? (*(const bool *)at ? "true" : "false")
                       : claim && claim_known(*claim) ? claim_text(*claim, CLAIM_PLAIN, number)
                                                      : "";
    buf_csv_field(out, text ? text : "");
}

void call_csv(const struct result *r, const struct result_call *c, struct buf *out) {
    for (size_t i = 0; i < call_fields_n; i++) {
        const struct call_field *f = &call_fields[i];
        if (!f->csv)
            continue;
        buf_text(out, ",");
        if (!f->when || f->when(r, c))
            csv_field(f, c, out);
    }
}

void text_near_bounds(const struct result *r, struct buf *out) {
    struct buf names = {0};
    for (int i = 0; i < r->n_calls; i++)
        if (r->calls[i].bound_is_near)
            buf_printf(&names, "%s%s %s", names.n ? ", " : "", result_call_name(&r->calls[i]), r->calls[i].phase);
    if (names.n)
        table_paragraph(out, "note: %s: %s", names.text, RESULT_BOUND_IS_NEAR);
    buf_clear(&names);
}
