/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/study/option.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/unit.h"
#include "workloads/strategy.h"

const struct option option_platform = {"--platform", "NAME|FILE", OPTION_TEXT, offsetof(struct question, platform.name),
                                       .help = "machine (default " PLATFORM_DEFAULT ")"};
const struct option option_workload = {"--workload", "NAME|FILE", OPTION_TEXT, offsetof(struct question, workload.name),
                                       .help = "layer and routing (default " WORKLOAD_DEFAULT ")"};
const struct option option_implementation = {"--implementation", "NAME|FILE", OPTION_TEXT,
                                             offsetof(struct question, implementation.name),
                                             .help = "how the library runs the call (default: the platform's)"};
const struct option option_set = {"--set", "KEY=VALUE", OPTION_SETTING, 0,
                                  .help = "override a key by its dotted path; repeatable"};
const struct option option_strategy = {
    "--strategy", "NAME", OPTION_STRATEGY, offsetof(struct question, strategies),
    .help = "one-hop, two-hop, two-hop-pipelined, three-hop, gather-first, two-hop-inside-first, levelled or "
            "all-gather; repeatable (default one-hop, two-hop)"};
const struct option option_phase = {"--phase", "NAME", OPTION_CHOICE, offsetof(struct question, phases),
                                    .choices = question_phases,
                                    .help = "dispatch (default), combine, both or round-trip"};
const struct option option_schedule = {"--schedule", "NAME", OPTION_KEY, 0,
                                       .key = "implementation.order",
                                       .help = "order of destinations: "
                                               "group-shift, shift, xor, random, farthest, rounds or file"};
const struct option option_window = {"--window", "N|all", OPTION_KEY, 0,
                                     .key = "implementation.window",
                                     .help = "messages in flight per sender and stage"};
const struct option option_chunks = {"--chunks", "N", OPTION_KEY, 0,
                                     .key = "implementation.chunks", .help = "pieces of a pipelined message"};
const struct option option_trace = {"--trace", "FILE", OPTION_KEY, 0,
                                    .key = "workload.routing.trace",
                                    .help = "routing record: counts, token by token, or a matrix"};
const struct option option_as = {"--as", "KIND", OPTION_KEY, 0,
                                 .key = "workload.routing.record",
                                 .help = "what the record holds: auto (default), counts, matrix or routes"};
const struct option option_model = {"--model", "FILE", OPTION_KEY, 0,
                                    .key = "workload.model",
                                    .help = "config.json of a model as on Hugging Face: its layer and its router"};
const struct option option_seed = {"--seed", "N", OPTION_COUNT, offsetof(struct question, seed), .max = INT64_MAX,
                                   .help = "of drawn tokens (default 1)"};
static const char *const engines[] = {"auto", "simgrid", "fluid", "bound", NULL};
const struct option option_engine = {"--engine", "NAME", OPTION_CHOICE, offsetof(struct question, engine),
                                     .choices = engines, .first = SIM_ENGINE_AUTO,
                                     .help = "auto (default: by the number of flows), simgrid, fluid, or bound: lower "
                                             "bounds only"};
const struct option option_timeout = {"--timeout", "SECONDS", OPTION_SECONDS, offsetof(struct question, timeout_s),
                                      .help = "end a simulation after so much CPU time, or ten times that of wall time "
                                              "(exit 4)"};
const struct option option_corpus = {"--corpus", "DIR", OPTION_TEXT, offsetof(struct question, corpus),
                                     .help = "folder of own corpora and gates, evaluated beside the built-in ones"};

static enum rc take_count(const struct option *row, const char *text, int64_t *value, struct err *e) {
    char *end;
    errno = 0;
    if (row->word && strcmp(text, row->word) == 0) {
        *value = row->max;
        return RC_OK;
    }
    long long n = strtoll(text, &end, 10);
    if (end == text || *end || errno || n < row->min || n > row->max)
        return err_set(e, RC_USAGE, "%s: '%.40s' found, expected a whole number from %lld to %lld", row->name, text,
                       (long long)row->min, (long long)row->max);
    *value = n;
    return RC_OK;
}

static enum rc take_choice(const char *name, const char *text, const char *const *choices, int *value,
                           struct err *e) {
    struct buf all = {0};
    size_t n = 0;
    while (choices[n])
        n++;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(choices[i], text) == 0) {
            buf_clear(&all);
            *value = (int)i;
            return RC_OK;
        }
        buf_printf(&all, "%s%s", i == 0 ? "" : i + 1 == n ? " or " : ", ", choices[i]);
    }
    enum rc rc = err_set(e, RC_USAGE, "%s: '%.40s' found, expected %s%s", name, text, all.text,
                         err_hint("; ", text, choices, n).text);
    buf_clear(&all);
    return rc;
}

static enum rc take_strategy(const struct option *row, const char *text, struct question_strategies *s,
                             struct err *e) {
    const char *names[STRATEGY_COUNT + 1] = {NULL};
    for (int i = 0; i < STRATEGY_COUNT; i++)
        names[i] = strategy_name((enum strategy)i);
    int value = 0;
    enum rc rc = take_choice(row->name, text, names, &value, e);
    for (int i = 0; i < s->n && !rc; i++)
        if (s->items[i] == value)
            return RC_OK;
    if (!rc)
        s->items[s->n++] = value;
    return rc;
}

static enum rc take_seconds(const struct option *row, const char *text, double *value, struct err *e) {
    char *end;
    double seconds = strtod(text, &end);
    if (end == text || *end || !(seconds > 0) || !isfinite(seconds))
        return err_set(e, RC_USAGE, "%s: '%.40s' found, expected seconds above 0", row->name, text);
    *value = seconds;
    return RC_OK;
}

static enum rc take_time(const struct option *row, const char *text, double *value, struct err *e) {
    if (unit_parse(text, UNIT_TIME, value, e) == RC_OK)
        return RC_OK;
    err_prefix(e, "%s", row->name);
    return RC_USAGE;
}

enum rc option_take(const struct option *row, const char *value, void *into, struct err *e) {
    void *field = (char *)into + row->offset;
    int choice = 0;
    enum rc rc = RC_OK;
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)field = true;
        return RC_OK;
    case OPTION_TEXT:
        *(const char **)field = value;
        return RC_OK;
    case OPTION_COUNT:
        return take_count(row, value, field, e);
    case OPTION_CHOICE:
        rc = take_choice(row->name, value, row->choices, &choice, e);
        if (!rc)
            *(int *)field = row->first + choice;
        return rc;
    case OPTION_WORD:
        rc = take_choice(row->name, value, row->choices, &choice, e);
        *(bool *)field = !rc;
        return rc;
    case OPTION_SECONDS:
        return take_seconds(row, value, field, e);
    case OPTION_TIME:
        return take_time(row, value, field, e);
    case OPTION_STRATEGY:
        return take_strategy(row, value, field, e);
    case OPTION_SETTING:
        return question_set_text(field, value, e);
    case OPTION_KEY:
        return question_set(field, row->key, value, e);
    }
    return RC_OK;
}

enum rc question_take(struct question *q, const char *word, const char *value, struct err *e) {
    static const struct option *const all[] = {&option_platform, &option_workload, &option_implementation,
                                               &option_strategy, &option_phase,    &option_schedule,
                                               &option_window};
    if (!value)
        return RC_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->name + strlen("--"), word) == 0)
            return option_take(all[i], value, q, e);
    return question_set(q, word, value, e);
}
