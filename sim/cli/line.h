/* SPDX-License-Identifier: BSD-3-Clause */
/* line.h - what a command line asks, as plain data: one struct for each command, filled by options.h.
 *
 * Units: SI. Errors: none. Ownership: line_clear() of options.h releases; texts are borrowed from argv. Edges: what was
 * not given is 0 or NULL. */
#ifndef SIM_CLI_LINE_H
#define SIM_CLI_LINE_H

#include "sim/study/question.h"
#include "validation/samples.h"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

/* What every command is asked. The question is the default one until options fill it. */
struct line {
    struct question question; /* first: the options of a question fill it where it stands */
    int format;               /* enum format */
    const char **words;       /* positional arguments after the command */
    int n_words;
};

/* Of simulate and compare. */
struct simulate_line {
    struct line line;
    int level; /* enum level */
    bool dry_run;
    const char *html, *timeline; /* NULL: not asked for */
};
enum level { LEVEL_CALL, LEVEL_STEP };

struct breakeven_line {
    struct line line;
    int by; /* enum breakeven_by */
    bool interpolate;
    double host_exposure_s;
    const char *output; /* NULL: no plot */
};
enum breakeven_by { BY_ANALYTIC, BY_SIMULATED };

struct matrix_line {
    struct line line;
    const char *output; /* NULL: this folder */
};

struct gates_line {
    struct line line;
    bool check, full;
};

struct sweep_line {
    struct line line;
    const char *output; /* NULL: with dry_run only */
    int64_t jobs; /* 0: one a core */
    bool dry_run;
    int retry; /* enum sweep_retry */
};

struct report_line {
    struct line line;
    const char *output; /* NULL: with CSV only */
};

struct workload_line {
    struct line line;
    const char *trace; /* NULL: the workload itself */
    int64_t experts, top_k;
};

struct calibrate_line {
    struct line line;
    const char *output, *skeleton, *matrices, *machine, *library;
    int64_t groups, ranks_per_group;
};

struct freeze_line {
    struct line line;
    const char *output, *sizes;
};

/* Of score and diagnose: what a log does not say. */
struct samples_line {
    struct line line;
    struct samples_ask ask;
};

#endif
