/* SPDX-License-Identifier: BSD-3-Clause */
#include "gates/gate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/json.h"
#include "platforms/base/mem.h"

const char *const gate_kinds[] = {"verification", "fit", "test", NULL};

const char *gate_kind_name(enum gate_kind kind) {
    return gate_kinds[kind];
}

const char *gate_state_name(enum gate_state state) {
    static const char *const names[] = {"not evaluated", "failed", "passed"};
    return names[state];
}

static bool same(const char *scope, const char *asked) {
    return !scope || (asked && strcmp(scope, asked) == 0);
}

static bool within(const double scope[2], const double asked[2]) {
    return asked[0] >= scope[0] && asked[1] <= scope[1];
}

bool gate_covers(const struct gate_scope *scope, const struct gate_scope *asked) {
    return same(scope->machine, asked->machine) &&
           same(scope->constants_sha256, asked->constants_sha256) &&
           same(scope->implementation, asked->implementation) &&
           same(scope->strategy, asked->strategy) && within(scope->world, asked->world) &&
           within(scope->bytes, asked->bytes) && asked->rho_max <= scope->rho_max * (1 + 1e-9);
}

void gate_add_metric(struct gate_evidence *evidence, const char *name, enum metric_form form,
                     double value) {
    BUG_ON(evidence->n_metrics == GATE_METRICS);
    evidence->metrics[evidence->n_metrics++] = (struct gate_metric){name, form, value};
}

void gate_add_point(struct gate_evidence *evidence, bool counted, double predicted, double measured,
                    const char *format, ...) {
    MEM_GROW(evidence->points, evidence->n_points, evidence->room);
    struct gate_point *p = &evidence->points[evidence->n_points++];
    *p = (struct gate_point){.predicted = predicted, .measured = measured, .counted = counted};
    va_list args;
    va_start(args, format);
    vsnprintf(p->label, sizeof p->label, format, args);
    va_end(args);
}

bool gate_limit_kept(const struct gate_limit *limit, double value) {
    switch (limit->kind) {
    case LIMIT_AT_MOST:
        return value <= limit->value;
    case LIMIT_AT_LEAST:
        return value >= limit->value;
    case LIMIT_MAGNITUDE:
        return fabs(value) <= limit->value;
    }
    return false;
}

const struct gate_limit *gate_limit_of(const struct gate *gate, const char *metric) {
    for (size_t i = 0; i < gate->n_limits; i++)
        if (strcmp(gate->limits[i].metric, metric) == 0)
            return &gate->limits[i];
    return NULL;
}

const char *gate_metric_text(enum metric_form form, double value, char text[static GATE_TEXT]) {
    if (form == METRIC_SHARE)
        snprintf(text, GATE_TEXT, "%.1f %%", 100 * value);
    else if (form == METRIC_COUNT)
        snprintf(text, GATE_TEXT, "%.0f", value);
    else
        snprintf(text, GATE_TEXT, fabs(value) > 0 && fabs(value) < 1e-3 ? "%.1e" : "%.3g", value);
    return text;
}

const char *gate_limit_text(const struct gate_limit *limit, enum metric_form form,
                            char text[static GATE_TEXT]) {
    static const char *const signs[] = {"<=", ">=", "+-"};
    char value[GATE_TEXT];
    if (form == METRIC_SHARE)
        snprintf(value, sizeof value, "%g %%", 100 * limit->value);
    else
        snprintf(value, sizeof value, "%g", limit->value);
    snprintf(text, GATE_TEXT, "%s %.40s", signs[limit->kind], value);
    return text;
}

static const struct gate_metric *find_metric(const struct gate_evidence *evidence, const char *name) {
    for (size_t i = 0; i < evidence->n_metrics; i++)
        if (strcmp(evidence->metrics[i].name, name) == 0)
            return &evidence->metrics[i];
    return NULL;
}

static void add_number(struct buf *b, double value) {
    char text[JSON_NUMBER];
    buf_printf(b, " %s", isfinite(value) ? json_format(value, text) : "none");
}

/* Writes the hash of all that the outcome follows from: definition, evidence read, metrics found. */
static void hash_result(struct gate_result *r) {
    const struct gate *g = r->gate;
    const struct gate_evidence *x = &r->evidence;
    struct buf b = {0};
    buf_printf(&b, "%s\n%s\n%s\n%s\n%s\n%s\n%s\n", g->id, gate_kind_name(g->kind), g->estimand,
               g->sha256 ? g->sha256 : "", x->corpus_sha256, x->platform_sha256,
               gate_state_name(r->state));
    for (size_t i = 0; i < g->n_limits; i++) {
        buf_printf(&b, "%s %d", g->limits[i].metric, (int)g->limits[i].kind);
        add_number(&b, g->limits[i].value);
        buf_text(&b, "\n");
    }
    for (size_t i = 0; i < x->n_metrics; i++) {
        buf_text(&b, x->metrics[i].name);
        add_number(&b, x->metrics[i].value);
        buf_text(&b, "\n");
    }
    hash_bytes(b.text, b.n, r->hash);
    buf_clear(&b);
}

static void say(struct gate_result *r, const char *text) {
    size_t n = strlen(r->reason);
    snprintf(r->reason + n, sizeof r->reason - n, "%s%s", n ? ", " : "", text);
}

void gate_judge(const struct gate *gate, struct gate_evidence *evidence, struct gate_result *result) {
    struct gate_result r = {.gate = gate, .state = GATE_PASSED, .evidence = *evidence};
    for (size_t i = 0; i < gate->n_limits; i++) {
        const struct gate_limit *limit = &gate->limits[i];
        const struct gate_metric *m = find_metric(evidence, limit->metric);
        char line[160], value[GATE_TEXT], bound[GATE_TEXT];
        if (m && gate_limit_kept(limit, m->value))
            continue;
        r.state = GATE_FAILED;
        if (!m)
            snprintf(line, sizeof line, "%s was not found", limit->metric);
        else
            snprintf(line, sizeof line, "%s %s (allowed %s)", limit->metric,
                     gate_metric_text(m->form, m->value, value),
                     gate_limit_text(limit, m->form, bound));
        say(&r, line);
    }
    if (!gate->n_limits) {
        r.state = GATE_NOT_EVALUATED;
        say(&r, "the gate states no limit");
    }
    *evidence = (struct gate_evidence){0};
    hash_result(&r);
    *result = r;
}

void gate_not_evaluated(const struct gate *gate, struct gate_evidence *evidence, const char *why,
                        struct gate_result *result) {
    *result = (struct gate_result){.gate = gate, .state = GATE_NOT_EVALUATED};
    memcpy(result->evidence.corpus_sha256, evidence->corpus_sha256, sizeof evidence->corpus_sha256);
    memcpy(result->evidence.platform_sha256, evidence->platform_sha256, sizeof evidence->platform_sha256);
    free(evidence->points);
    *evidence = (struct gate_evidence){0};
    snprintf(result->reason, sizeof result->reason, "%s", why);
    hash_result(result);
}

void gate_result_clear(struct gate_result *result) {
    free(result->evidence.points);
    *result = (struct gate_result){0};
}
