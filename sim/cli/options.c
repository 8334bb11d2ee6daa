/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/cli/options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/unit.h"
#include "workloads/strategy.h"

enum option_id {
    OPT_PLATFORM,
    OPT_WORKLOAD,
    OPT_IMPLEMENTATION,
    OPT_SET,
    OPT_STRATEGY,
    OPT_PHASE,
    OPT_SCHEDULE,
    OPT_WINDOW,
    OPT_CHUNKS,
    OPT_HOST,
    OPT_CALLS,
    OPT_LAYERS,
    OPT_BATCHES,
    OPT_LINKS,
    OPT_TRACE,
    OPT_SEED,
    OPT_FORMAT,
    OPT_LEVEL,
    OPT_ANALYTIC_ONLY,
    OPT_TIMEOUT,
    OPT_EXPERTS,
    OPT_TOP_K,
    OPT_OUTPUT,
    OPT_BY,
    OPT_INTERPOLATE,
    OPT_HOST_EXPOSURE,
    OPT_DRAWS,
    OPT_CORPUS,
    OPT_CHECK,
    OPT_FULL,
    OPT_JOBS,
    OPT_DRY_RUN,
    OPT_HTML,
    OPT_TIMELINE,
    OPT_HELP
};

static const struct option {
    const char *name;
    const char *value; /* NULL: a flag */
    enum option_id id;
    const char *commands; /* that know it, each between blanks; NULL: all */
    const char *help;
} table[] = {
    {"--platform", "NAME|FILE", OPT_PLATFORM, " simulate compare breakeven matrix ",
     "machine (default " PLATFORM_DEFAULT ")"},
    {"--workload", "NAME|FILE", OPT_WORKLOAD, " simulate compare breakeven matrix ",
     "layer and routing (default " WORKLOAD_DEFAULT ")"},
    {"--implementation", "NAME|FILE", OPT_IMPLEMENTATION, " simulate compare breakeven ",
     "how the library runs the call (default: the platform's)"},
    {"--set", "KEY=VALUE", OPT_SET, " simulate compare breakeven matrix platform workload ",
     "override a key by its dotted path; repeatable"},
    {"--strategy", "NAME", OPT_STRATEGY, " simulate compare ",
     "one-hop, two-hop, two-hop-pipelined, three-hop or gather-first; repeatable (default one-hop, two-hop)"},
    {"--phase", "NAME", OPT_PHASE, " simulate compare ",
     "dispatch (default), combine, both or round-trip"},
    {"--schedule", "NAME", OPT_SCHEDULE, " simulate compare ",
     "order of destinations: group-shift, shift, xor or random"},
    {"--window", "N|all", OPT_WINDOW, " simulate compare ",
     "messages in flight per sender and stage"},
    {"--host", "observed|ahead", OPT_HOST, " simulate ",
     "calls back to back: the host waits for each, or issues while the device works"},
    {"--calls", "N", OPT_CALLS, " simulate ", "how many back to back (default 1 observed, 32 ahead)"},
    {"--layers", "all", OPT_LAYERS, " simulate ", "one call back to back for each layer of the trace; which is worst"},
    {"--batches", "N", OPT_BATCHES, " simulate ", "so many micro-batches back to back, each with tokens of its own"},
    {"--links", "N|all", OPT_LINKS, " simulate ",
     "the busiest links that JSON lists with their use over time (default 6); all: each that carries anything"},
    {"--chunks", "N", OPT_CHUNKS, " simulate compare ", "pieces of a pipelined message"},
    {"--trace", "FILE", OPT_TRACE, " simulate compare breakeven matrix workload ",
     "routing record: counts, token by token, or a matrix"},
    {"--seed", "N", OPT_SEED, " simulate compare breakeven matrix ", "of drawn tokens (default 1)"},
    {"--level", "call|step", OPT_LEVEL, " simulate compare ", "step is locked by gate tier2"},
    {"--analytic-only", NULL, OPT_ANALYTIC_ONLY, " compare gates ", "leave the simulation out"},
    {"--timeout", "SECONDS", OPT_TIMEOUT, " simulate compare breakeven ",
     "end a simulation after so much CPU time, or ten times that of wall time (exit 4)"},
    {"--experts", "E", OPT_EXPERTS, " workload ", "experts of a trace that does not say"},
    {"--top-k", "K", OPT_TOP_K, " workload ", "experts per token of a trace"},
    {"-o", "PATH", OPT_OUTPUT, " matrix ", "folder to write to (default: this one)"},
    {"--by", "analytic|simulated", OPT_BY, " breakeven ",
     "closed form for every chain, or a search by simulation (default analytic)"},
    {"--interpolate", NULL, OPT_INTERPOLATE, " breakeven ",
     "chain between measured hidden widths, labelled"},
    {"--host-exposure", "TIME", OPT_HOST_EXPOSURE, " breakeven ",
     "extra host time of two hops, such as 0.13ms"},
    {"--draws", "N", OPT_DRAWS, " breakeven ", "of the Monte Carlo over intervals (default 400)"},
    {"--draws", "N", OPT_DRAWS, " simulate ", "quantiles over so many batches and layers"},
    {"-o", "FILE.svg", OPT_OUTPUT, " breakeven ", "plot of the gain over the ratio"},
    {"--corpus", "DIR", OPT_CORPUS, " simulate compare breakeven gates sweep ",
     "folder of own corpora and gates, evaluated beside the built-in ones"},
    {"--check", NULL, OPT_CHECK, " gates ", "exit 3 if a gate fails that is not known to fail"},
    {"--full", NULL, OPT_FULL, " gates ", "the whole grids of the simulator's gates (slower)"},
    {"-o", "FILE.jsonl", OPT_OUTPUT, " sweep ", "records; a run continues what it finds there"},
    {"--jobs", "N", OPT_JOBS, " sweep ", "processes (default: one a core)"},
    {"--dry-run", NULL, OPT_DRY_RUN, " sweep ", "say what would be done, and what it would cost"},
    {"-o", "FILE.html", OPT_OUTPUT, " report ", "page to write"},
    {"--html", "FILE", OPT_HTML, " simulate compare ", "also write the result as a page"},
    {"--timeline", "FILE.json", OPT_TIMELINE, " simulate ",
     "also write a timeline for Perfetto or chrome://tracing"},
    {"--format", "text|json|csv", OPT_FORMAT, " simulate compare breakeven gates sweep report ",
     "of the result on stdout (default text)"},
    {"--format", "text|json", OPT_FORMAT, " platform workload matrix ", "of the result on stdout (default text)"},
    {"--help", NULL, OPT_HELP, NULL, "this text"},
};
enum { OPTIONS = sizeof table / sizeof *table };

/* Short forms of dotted keys. */
static const struct {
    const char *key;
    const char *means;
} aliases[] = {{"platform.chain", "implementation.chain.preset"},
               {"implementation.chain", "implementation.chain.preset"}};

/* Keys that bring another one with them, unless it is set too. */
static const struct {
    const char *key;
    const char *also;
    const char *value;
} implied[] = {{"workload.routing.trace", "workload.routing.source", "trace"},
               {"workload.routing.rho_max", "workload.routing.source", "synthetic"},
               {"workload.routing.cv", "workload.routing.source", "synthetic"},
               {"workload.routing.exponent", "workload.routing.source", "synthetic"},
               {"workload.routing.hot_ratio", "workload.routing.source", "synthetic"},
               {"workload.routing.preset", "workload.routing.source", "synthetic"},
               {"workload.placement_file", "workload.placement", "file"}};

static bool knows(const struct option *option, const char *command) {
    if (!option->commands)
        return true;
    const char *found = strstr(option->commands, command);
    return found && found[-1] == ' ' && found[strlen(command)] == ' ';
}

static void push(struct setting_list *list, const char *key, const char *value) {
    MEM_GROW(list->items, list->n, list->room);
    list->items[list->n++] = (struct setting){key, value};
}

/* Puts a setting before all others, which thereby go over it. */
static void push_first(struct setting_list *list, const char *key, const char *value) {
    push(list, key, value);
    for (size_t i = list->n - 1; i > 0; i--)
        list->items[i] = list->items[i - 1];
    list->items[0] = (struct setting){key, value};
}

static enum rc add_setting(struct options *o, const char *key, const char *value, struct err *e) {
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(aliases[i].key, key) == 0)
            key = aliases[i].means;
    const struct {
        const char *prefix;
        struct setting_list *list;
    } files[] = {{"platform.", &o->set_platform},
                 {"workload.", &o->set_workload},
                 {"implementation.", &o->set_implementation}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        size_t n = strlen(files[i].prefix);
        if (strncmp(key, files[i].prefix, n) != 0)
            continue;
        push(files[i].list, key + n, value);
        for (size_t k = 0; k < sizeof implied / sizeof *implied; k++)
            if (strcmp(implied[k].key, key) == 0)
                push_first(files[i].list, implied[k].also + n, implied[k].value);
        return RC_OK;
    }
    static const char *const names[] = {"platform", "workload", "implementation"};
    char *first = arena_copy(&o->arena, key);
    first[strcspn(first, ".")] = '\0';
    return err_set(e, RC_USAGE, "--set: '%.80s' must begin with platform., workload. or implementation.%s", key,
                   err_hint("; ", first, names, 3).text);
}

static enum rc parse_set(struct options *o, const char *text, struct err *e) {
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return err_set(e, RC_USAGE, "--set: '%.80s' found, expected KEY=VALUE", text);
    char *key = arena_copy(&o->arena, text);
    key[equals - text] = '\0';
    return add_setting(o, key, equals + 1, e);
}

static enum rc parse_count(const char *name, const char *text, int64_t least, int64_t most, int64_t *value,
                           struct err *e) {
    char *end;
    errno = 0;
    long long n = strtoll(text, &end, 10);
    if (end == text || *end || errno || n < least || n > most)
        return err_set(e, RC_USAGE, "%s: '%.40s' found, expected a whole number from %lld to %lld", name, text,
                       (long long)least, (long long)most);
    *value = n;
    return RC_OK;
}

static enum rc parse_choice(const char *name, const char *text, const char *const *choices, size_t n,
                            int *value, struct err *e) {
    struct buf all = {0};
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

static enum rc parse_strategy(struct options *o, const char *text, struct err *e) {
    const char *names[STRATEGY_COUNT];
    for (int i = 0; i < STRATEGY_COUNT; i++)
        names[i] = strategy_name((enum strategy)i);
    int value = 0;
    enum rc rc = parse_choice("--strategy", text, names, STRATEGY_COUNT, &value, e);
    if (rc)
        return rc;
    for (int i = 0; i < o->n_strategies; i++)
        if (o->strategies[i] == value)
            return RC_OK;
    o->strategies[o->n_strategies++] = value;
    return RC_OK;
}

static enum rc parse_phase(struct options *o, const char *text, struct err *e) {
    static const char *const names[] = {"dispatch", "combine", "both", "round-trip"};
    int choice = 0;
    enum rc rc = parse_choice("--phase", text, names, 4, &choice, e);
    if (rc)
        return rc;
    o->phases[PHASE_DISPATCH] = choice != 1;
    o->phases[PHASE_COMBINE] = choice != 0;
    return RC_OK;
}

static enum rc parse_seconds(struct options *o, const char *text, struct err *e) {
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value > 0) || !isfinite(value))
        return err_set(e, RC_USAGE, "--timeout: '%.40s' found, expected seconds above 0", text);
    o->timeout_s = value;
    return RC_OK;
}

static enum rc take(struct options *o, const struct option *option, const char *value,
                    struct err *e) {
    static const char *const formats[] = {"text", "json", "csv"};
    static const char *const levels[] = {"call", "step"};
    static const char *const hosts[] = {"observed", "ahead"};
    static const char *const bys[] = {"analytic", "simulated"};
    int choice = 0;
    int64_t count = 0;
    enum rc rc = RC_OK;
    switch (option->id) {
    case OPT_PLATFORM:
        o->platform = value;
        break;
    case OPT_WORKLOAD:
        o->workload = value;
        break;
    case OPT_IMPLEMENTATION:
        o->implementation = value;
        break;
    case OPT_SET:
        return parse_set(o, value, e);
    case OPT_STRATEGY:
        return parse_strategy(o, value, e);
    case OPT_PHASE:
        return parse_phase(o, value, e);
    case OPT_SCHEDULE:
        return add_setting(o, "implementation.order", value, e);
    case OPT_WINDOW:
        return add_setting(o, "implementation.window", value, e);
    case OPT_HOST:
        rc = parse_choice("--host", value, hosts, 2, &choice, e);
        o->host = hosts[choice];
        return rc;
    case OPT_CALLS:
        return parse_count("--calls", value, 1, 1000, &o->calls, e);
    case OPT_LAYERS:
        o->all_layers = true;
        return strcmp(value, "all") == 0
                   ? RC_OK
                   : err_set(e, RC_USAGE, "--layers: '%.40s' found, expected all", value);
    case OPT_BATCHES:
        return parse_count("--batches", value, 1, 256, &o->batches, e);
    case OPT_LINKS:
        o->links = INT64_MAX;
        return strcmp(value, "all") == 0 ? RC_OK : parse_count("--links", value, 1, INT64_MAX, &o->links, e);
    case OPT_CHUNKS:
        return add_setting(o, "implementation.chunks", value, e);
    case OPT_TRACE:
        o->trace = value;
        return add_setting(o, "workload.routing.trace", value, e);
    case OPT_SEED:
        rc = parse_count("--seed", value, 0, INT64_MAX, &count, e);
        o->seed = (uint64_t)count;
        return rc;
    case OPT_FORMAT:
        rc = parse_choice("--format", value, formats, 3, &choice, e);
        o->format = (enum format)choice;
        return rc;
    case OPT_LEVEL:
        rc = parse_choice("--level", value, levels, 2, &choice, e);
        o->step_level = choice == 1;
        return rc;
    case OPT_TIMEOUT:
        return parse_seconds(o, value, e);
    case OPT_EXPERTS:
        return parse_count("--experts", value, 1, INT32_MAX, &o->experts, e);
    case OPT_TOP_K:
        return parse_count("--top-k", value, 1, INT32_MAX, &o->top_k, e);
    case OPT_OUTPUT:
        o->output = value;
        break;
    case OPT_BY:
        rc = parse_choice("--by", value, bys, 2, &choice, e);
        o->by_simulation = choice == 1;
        return rc;
    case OPT_INTERPOLATE:
        o->interpolate = true;
        break;
    case OPT_HOST_EXPOSURE:
        rc = unit_parse(value, UNIT_TIME, &o->host_exposure_s, e);
        if (rc)
            err_prefix(e, "--host-exposure");
        return rc ? RC_USAGE : RC_OK;
    case OPT_DRAWS:
        return parse_count("--draws", value, 1, 1000000, &o->draws, e);
    case OPT_ANALYTIC_ONLY:
        o->analytic_only = true;
        break;
    case OPT_CORPUS:
        o->corpus = value;
        break;
    case OPT_CHECK:
        o->check = true;
        break;
    case OPT_FULL:
        o->full = true;
        break;
    case OPT_JOBS:
        return parse_count("--jobs", value, 1, 4096, &o->jobs, e);
    case OPT_DRY_RUN:
        o->dry_run = true;
        break;
    case OPT_HTML:
        o->html = value;
        o->detail = true;
        break;
    case OPT_TIMELINE:
        o->timeline = value;
        break;
    case OPT_HELP:
        o->help = true;
        break;
    }
    return rc;
}

static enum rc unknown_option(const char *word, const char *command, struct err *e) {
    const char *names[OPTIONS];
    size_t n = 0;
    for (size_t i = 0; i < OPTIONS; i++)
        if (knows(&table[i], command))
            names[n++] = table[i].name;
    return err_set(e, RC_USAGE, "unknown option '%.60s' of %s%s; see 'moesim %s --help'", word, command,
                   err_hint(", ", word, names, n).text, command);
}

/* One option at argv[*i], its value in the same word after '=' or in the next one. */
static enum rc parse_option(struct options *o, int argc, const char *const *argv, int *i,
                            struct err *e) {
    const char *word = argv[*i];
    if (strcmp(word, "-h") == 0)
        word = "--help";
    size_t n = strncmp(word, "--", 2) == 0 ? strcspn(word, "=") : strlen(word);
    const struct option *option = NULL;
    for (size_t k = 0; k < OPTIONS && !option; k++)
        if (strlen(table[k].name) == n && strncmp(table[k].name, word, n) == 0 &&
            knows(&table[k], o->command))
            option = &table[k];
    if (!option)
        return unknown_option(word, o->command, e);
    const char *value = word[n] == '=' ? word + n + 1 : NULL;
    if (!option->value && value)
        return err_set(e, RC_USAGE, "%s takes no value", option->name);
    if (option->value && !value) {
        if (*i + 1 >= argc)
            return err_set(e, RC_USAGE, "%s needs a value: %s", option->name, option->value);
        value = argv[++*i];
    }
    if (value && !*value)
        return err_set(e, RC_USAGE, "%s: an empty value found, expected %s", option->name, option->value);
    return take(o, option, value, e);
}

enum rc options_parse(int argc, const char *const *argv, struct options *o, struct err *e) {
    *o = (struct options){.seed = 1,
                          .phases = {[PHASE_DISPATCH] = true},
                          .arguments = argv + 1,
                          .n_arguments = argc - 1};
    o->command = argc > 1 ? argv[1] : "";
    o->words = arena_alloc(&o->arena, (size_t)argc, sizeof *o->words);
    for (int i = 2; i < argc; i++) {
        if (argv[i][0] == '-' && argv[i][1]) {
            enum rc rc = parse_option(o, argc, argv, &i, e);
            if (rc)
                return rc;
        } else {
            o->words[o->n_words++] = argv[i];
        }
    }
    return RC_OK;
}

void options_clear(struct options *o) {
    free(o->set_platform.items);
    free(o->set_workload.items);
    free(o->set_implementation.items);
    arena_clear(&o->arena);
    *o = (struct options){0};
}

void options_help(const char *command, struct buf *out) {
    for (size_t i = 0; i < OPTIONS; i++) {
        if (!knows(&table[i], command))
            continue;
        char *left = mem_printf("%s%s%s", table[i].name, table[i].value ? " " : "",
                                table[i].value ? table[i].value : "");
        buf_printf(out, "  %-28s %s\n", left, table[i].help);
        free(left);
    }
}
