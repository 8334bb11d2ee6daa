/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h - the command line: one table of options drives parsing and --help.
 *
 * Errors: RC_USAGE (unknown option with the nearest one, missing or bad value).
 * Ownership: options_clear() releases; texts are borrowed from argv. */
#ifndef SIM_CLI_OPTIONS_H
#define SIM_CLI_OPTIONS_H

#include <stdint.h>

#include "platforms/base/mem.h"
#include "platforms/platform.h"
#include "workloads/call.h"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

struct setting_list {
    struct setting *items;
    size_t n;
    size_t room;
};

struct options {
    const char *command;
    const char **words; /* positional arguments after the command */
    int n_words;
    const char *platform, *workload, *implementation; /* NULL: the default */
    /* --set and its short forms, by the file they go to, leading word taken off */
    struct setting_list set_platform, set_workload, set_implementation;
    int strategies[STRATEGY_COUNT];
    int n_strategies; /* 0: one hop and two hops */
    bool phases[PHASE_COUNT];
    const char *host;   /* "observed", "ahead"; NULL: one call on its own */
    int64_t calls;      /* back to back; 0 = not given */
    bool all_layers;    /* of the trace, one call each */
    int64_t batches;    /* one call each; 0 = not given */
    int64_t links;      /* shown over time; 0 = not given */
    uint64_t seed;
    enum format format;
    bool step_level;
    bool analytic_only;
    bool check, full; /* gates */
    bool help;
    const char *trace;
    int64_t experts, top_k; /* workload show; 0 = not given */
    const char *output;     /* -o */
    const char *corpus;     /* folder of own gates and corpora, or NULL */
    double timeout_s;
    bool by_simulation, interpolate; /* breakeven */
    double host_exposure_s;
    int64_t draws; /* 0 = not given */
    bool detail, brief, unexplained; /* of a point: map too; no ranks and links; no causes */
    bool dry_run;             /* sweep */
    int64_t jobs;             /* sweep; 0: one a core */
    const char *html, *timeline; /* simulate; NULL: not asked for */
    const char *const *arguments; /* argv + 1, for provenance */
    int n_arguments;
    struct arena arena;
};

enum rc options_parse(int argc, const char *const *argv, struct options *o, struct err *e);
void options_clear(struct options *o);

/* Appends the lines that describe the options of a command. */
void options_help(const char *command, struct buf *out);

#endif
