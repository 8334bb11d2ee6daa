/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/report/json_parts.h"

/* Writes the value of an axis: a plain number as a number, anything else as text. */
static void write_value(struct json *j, const char *axis, const char *text) {
    char *end;
    double value = strtod(text, &end);
    json_key(j, axis);
    if (end != text && !*end && isfinite(value) && !strpbrk(text, "xX"))
        json_number(j, value);
    else
        json_text(j, text);
}

static void record_write_head(struct json *j, const struct record_head *h) {
    json_key_text(j, "schema", "moesim/sweep-record/1");
    json_key_text(j, "key", h->key);
    json_key_text(j, "sweep", h->sweep);
    json_key_int(j, "number", h->number);
    json_key_open(j, "point", '{');
    for (size_t i = 0; i < h->n; i++)
        write_value(j, h->axes[i], h->values[i]);
    json_close(j);
    json_key_int(j, "seed", (int64_t)h->seed);
}

/* Writes names and states of capabilities only; reasons stand beside what they withdraw, and in full in a record with
 * detail. */
static void write_states(struct json *j, const struct result *r) {
    json_key_open(j, "capability_states", '{');
    for (int i = 0; i < CAP_COUNT; i++)
        json_key_text(j, capability_name((enum capability)i),
                      capability_state_name(licence_state(r->licences[i])));
    json_close(j);
    json_key_open(j, "gates_passed", '{');
    for (size_t i = 0; i < r->n_gates; i++)
        json_key_bool(j, r->gates[i].gate->id, r->gates[i].state == GATE_PASSED);
    json_close(j);
}

static void record_write_inputs(struct json *j, const struct result *r) {
    json_key_open(j, "platform", '{');
    json_key_text(j, "name", r->in.platform->name);
    json_key_int(j, "groups", r->in.platform->groups);
    json_key_int(j, "ranks_per_group", r->in.platform->ranks_per_group);
    json_key_int(j, "ranks", plat_ranks(r->in.platform));
    claim_json_key(j, "hierarchy_ratio", r->hierarchy_ratio);
    json_key_open(j, "tiers", '[');
    for (int tier = 0; tier < r->in.platform->n_tiers; tier++) {
        json_open(j, '{');
        json_key_text(j, "name", r->in.platform->tier[tier].name);
        json_fabric(j, &r->in.platform->tier[tier].fabric);
        json_close(j);
    }
    json_close(j);
    json_close(j);
    json_key_open(j, "workload", '{');
    json_key_text(j, "name", r->in.workload->name);
    json_key_int(j, "tokens_per_rank", r->in.workload->tokens_per_rank);
    json_key_int(j, "hidden", r->in.workload->hidden);
    json_key_int(j, "experts", r->in.workload->experts);
    json_key_int(j, "top_k", r->in.workload->top_k);
    json_rho(j, &r->in.drawn->rho);
    json_close(j);
    json_key_open(j, "implementation", '{');
    json_key_text(j, "name", r->in.implementation->name);
    json_close(j);
}

void record_write(const struct record_head *h, const struct result *r, struct buf *out) {
    struct json j;
    json_init(&j, out, false);
    json_open(&j, '{');
    record_write_head(&j, h);
    json_key_text(&j, "status", "ok");
    record_write_inputs(&j, r);
    json_key_open(&j, "calls", '[');
    for (int i = 0; i < r->n_calls; i++)
        json_call(&j, r, &r->calls[i]);
    json_close(&j);
    json_gain(&j, r);
    json_weakest(&j, r);
    json_key_lines(&j, "warnings", r->warnings.text);
    write_states(&j, r);
    if (r->question->detail >= DETAIL_RANKS) {
        json_capabilities(&j, r);
        json_gates(&j, r);
    }
    json_result_provenance(&j, r);
    json_engine(&j, r);
    json_close(&j);
    buf_text(out, "\n");
}

void record_write_error(const struct record_head *h, enum rc rc, const char *message,
                        const char *const *arguments, int n_arguments, struct buf *out) {
    struct json j;
    json_init(&j, out, false);
    json_open(&j, '{');
    record_write_head(&j, h);
    json_key_text(&j, "status", "error");
    json_key_open(&j, "error", '{');
    json_key_text(&j, "kind", rc_text(rc));
    json_key_text(&j, "message", message);
    json_close(&j);
    json_key_open(&j, "provenance", '{');
    json_key_open(&j, "arguments", '[');
    for (int i = 0; i < n_arguments; i++)
        json_text(&j, arguments[i]);
    json_close(&j);
    json_close(&j);
    json_close(&j);
    buf_text(out, "\n");
}
