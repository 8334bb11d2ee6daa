/* SPDX-License-Identifier: BSD-3-Clause */
/* option.h - options as rows of a table: what one is called, what kind of value it takes, which field it fills.
 *
 * Rows that fill a question stand here: the command line takes them, and axes of a sweep by their name without "--".
 * Units: SI. Errors: RC_USAGE (bad value, a count out of min..max). Ownership: values are borrowed. Edges: a
 * strategy named twice counts once; of any other option the last value counts. */
#ifndef SIM_STUDY_OPTION_H
#define SIM_STUDY_OPTION_H

#include "sim/study/question.h"

enum option_kind {
    OPTION_FLAG,     /* bool; takes no value */
    OPTION_TEXT,     /* const char * */
    OPTION_COUNT,    /* int64_t, min..max; or the word, stored as max */
    OPTION_CHOICE,   /* int: first + index into choices */
    OPTION_WORD,     /* bool: set by the only choice there is */
    OPTION_SECONDS,  /* double, a plain number above 0 */
    OPTION_TIME,     /* double, seconds from a time with its unit */
    OPTION_STRATEGY, /* struct question_strategies: added, each once */
    OPTION_SETTING,  /* struct question: KEY=VALUE */
    OPTION_KEY       /* struct question: the value of `key` */
};

struct option {
    const char *name;
    const char *value; /* as --help writes it; NULL for a flag */
    enum option_kind kind;
    size_t offset; /* of the field in the command's struct */
    int64_t min, max;
    const char *word;
    const char *const *choices; /* NULL-terminated */
    int first;
    const char *key;
    const char *help;
};

/* Takes a value of an option into its struct. */
enum rc option_take(const struct option *row, const char *value, void *into, struct err *e);

/* Takes a value by the word that a sweep file has for it: platform, workload, implementation, strategy, phase, schedule
 * or window, otherwise a dotted key of question_set(). value NULL: not given. */
enum rc question_take(struct question *q, const char *word, const char *value, struct err *e);

extern const struct option option_platform, option_workload, option_implementation, option_set, option_strategy,
    option_phase, option_schedule, option_window, option_chunks, option_trace, option_as, option_model, option_seed,
    option_engine, option_timeout, option_corpus;

#endif
