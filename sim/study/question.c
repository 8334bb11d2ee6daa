/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/study/question.h"

#include <stdlib.h>
#include <string.h>

#include "workloads/strategy.h"

const char *const question_phases[] = {"dispatch", "combine", "both", "round-trip", NULL};

/* Short forms of dotted keys. */
static const struct {
    const char *key, *means;
} aliases[] = {{"platform.chain", "implementation.chain.preset"},
               {"implementation.chain", "implementation.chain.preset"}};

/* Keys that bring another one with them, unless it is set too. */
static const struct {
    const char *key, *also, *value;
} implied[] = {{"workload.routing.trace", "workload.routing.source", "trace"},
               {"workload.routing.rho_max", "workload.routing.source", "synthetic"},
               {"workload.routing.cv", "workload.routing.source", "synthetic"},
               {"workload.routing.exponent", "workload.routing.source", "synthetic"},
               {"workload.routing.hot_ratio", "workload.routing.source", "synthetic"},
               {"workload.routing.preset", "workload.routing.source", "synthetic"},
               {"workload.placement_file", "workload.placement", "file"}};

void question_init(struct question *q) {
    *q = (struct question){.seed = 1, .detail = DETAIL_TEXT};
}

void question_clear(struct question *q) {
    free(q->platform.settings);
    free(q->workload.settings);
    free(q->implementation.settings);
    arena_clear(&q->arena);
    *q = (struct question){0};
}

static void push(struct question_input *input, const char *key, const char *value) {
    MEM_GROW(input->settings, input->n, input->room);
    input->settings[input->n++] = (struct setting){key, value};
}

/* Puts a setting before all others, which thereby go over it. */
static void push_first(struct question_input *input, const char *key, const char *value) {
    push(input, key, value);
    for (size_t i = input->n - 1; i > 0; i--)
        input->settings[i] = input->settings[i - 1];
    input->settings[0] = (struct setting){key, value};
}

/* The names of the three inputs, and where they stand in a question. */
enum { INPUTS = 3 };
static const char *const input_names[INPUTS] = {"platform", "workload", "implementation"};

static struct question_input *input_at(struct question *q, int i) {
    struct question_input *const all[INPUTS] = {&q->platform, &q->workload, &q->implementation};
    return all[i];
}

enum rc question_set(struct question *q, const char *key, const char *value, struct err *e) {
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(aliases[i].key, key) == 0)
            key = aliases[i].means;
    for (int i = 0; i < INPUTS; i++) {
        size_t n = strlen(input_names[i]);
        if (strncmp(key, input_names[i], n) != 0 || key[n] != '.')
            continue;
        push(input_at(q, i), key + n + 1, value);
        for (size_t k = 0; k < sizeof implied / sizeof *implied; k++)
            if (strcmp(implied[k].key, key) == 0 && *value)
                push_first(input_at(q, i), implied[k].also + n + 1, implied[k].value);
        return RC_OK;
    }
    char *first = arena_copy(&q->arena, key);
    first[strcspn(first, ".")] = '\0';
    return err_set(e, RC_USAGE, "--set: '%.80s' must begin with platform., workload. or implementation.%s", key,
                   err_hint("; ", first, input_names, INPUTS).text);
}

enum rc question_set_text(struct question *q, const char *text, struct err *e) {
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return err_set(e, RC_USAGE, "--set: '%.80s' found, expected KEY=VALUE", text);
    char *key = arena_copy(&q->arena, text);
    key[equals - text] = '\0';
    return question_set(q, key, key + (equals - text) + 1, e);
}

bool question_has_phase(const struct question *q, enum phase phase) {
    return q->phases == ASK_BOTH || q->phases == ASK_ROUND_TRIP ||
           q->phases == (phase == PHASE_DISPATCH ? ASK_DISPATCH : ASK_COMBINE);
}

int question_strategies(const struct question *q, const int **strategies) {
    static const int both[] = {STRATEGY_ONE_HOP, STRATEGY_TWO_HOP};
    *strategies = q->strategies.n ? q->strategies.items : both;
    return q->strategies.n ? q->strategies.n : 2;
}

struct sim_options question_times_only(const struct question *q) {
    return (struct sim_options){.engine = (enum sim_engine)q->engine, .timeout_s = q->timeout_s, .times_only = true};
}

bool question_simulates(const struct question *q) {
    return !q->analytic_only && q->engine != SIM_ENGINE_BOUND;
}

bool question_is_sequence(const struct question *q) {
    return q->host != HOST_ALONE || q->calls || q->all_layers || q->batches;
}

/* --- a command line ---------------------------------------------------------------------------------- */

struct word_list {
    struct arena *arena;
    const char **items;
    size_t n, room;
};

static void add_word(struct word_list *w, const char *text) {
    MEM_GROW(w->items, w->n, w->room);
    w->items[w->n++] = text;
}

static void add_option(struct word_list *w, const char *option, const char *value) {
    if (!value)
        return;
    add_word(w, option);
    add_word(w, value);
}

static void words_add_count(struct word_list *w, const char *option, int64_t value) {
    if (value)
        add_option(w, option, arena_printf(w->arena, "%lld", (long long)value));
}

static void add_settings(struct word_list *w, const struct question_input *input, const char *name) {
    for (size_t i = 0; i < input->n; i++)
        add_option(w, "--set",
                   arena_printf(w->arena, "%s.%s=%s", name, input->settings[i].key, input->settings[i].value));
}

int question_words(const struct question *q, struct arena *arena, const char ***words) {
    static const char *const hosts[] = {NULL, "observed", "ahead"};
    struct word_list w = {.arena = arena};
    const struct question_input *const inputs[INPUTS] = {&q->platform, &q->workload, &q->implementation};
    add_word(&w, q->compare ? "compare" : "simulate");
    for (int i = 0; i < INPUTS; i++)
        add_option(&w, arena_printf(arena, "--%s", input_names[i]), inputs[i]->name);
    if (q->phases != ASK_DISPATCH)
        add_option(&w, "--phase", question_phases[q->phases]);
    for (int i = 0; i < q->strategies.n; i++)
        add_option(&w, "--strategy", strategy_name((enum strategy)q->strategies.items[i]));
    for (int i = 0; i < INPUTS; i++)
        add_settings(&w, inputs[i], input_names[i]);
    add_option(&w, "--host", hosts[q->host]);
    words_add_count(&w, "--calls", q->calls);
    words_add_count(&w, "--batches", q->batches);
    add_option(&w, "--layers", q->all_layers ? "all" : NULL);
    words_add_count(&w, "--draws", q->draws);
    add_option(&w, "--seed", arena_printf(arena, "%lld", (long long)q->seed));
    add_option(&w, "--corpus", q->corpus);
    if (q->engine != SIM_ENGINE_AUTO)
        add_option(&w, "--engine", sim_engine_name((enum sim_engine)q->engine));
    if (q->analytic_only)
        add_word(&w, "--analytic-only");
    const char **all = arena_alloc(arena, w.n, sizeof *all);
    memcpy(all, w.items, w.n * sizeof *all);
    free(w.items);
    *words = all;
    return (int)w.n;
}
