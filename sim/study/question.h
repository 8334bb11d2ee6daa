/* SPDX-License-Identifier: BSD-3-Clause */
/* question.h - what is asked of the program, as plain data: machine, layer, library, calls, and how much is told.
 *
 * Units: SI. A number that is 0 was not given, and has its default.
 * Errors: RC_USAGE. Ownership: question_clear() releases; texts are borrowed, but those that question_set() makes.
 * Edges: a zeroed question is no question, question_init() makes the default one. */
#ifndef SIM_STUDY_QUESTION_H
#define SIM_STUDY_QUESTION_H

#include "platforms/base/hash.h"
#include "sim/engine/engine.h"

/* A file, or the built-in one of a name, and what is set in it. */
struct question_input {
    const char *name; /* or path; NULL: the default */
    struct setting *settings; /* the leading word of their paths taken off */
    size_t n, room;
};

enum question_phases { ASK_DISPATCH, ASK_COMBINE, ASK_BOTH, ASK_ROUND_TRIP };
extern const char *const question_phases[]; /* their names, NULL behind the last */

/* Whether calls follow each other, and what the host does between them. */
enum question_host { HOST_ALONE, HOST_OBSERVED, HOST_AHEAD };

/* How much is told of a call; each holds the one before. */
enum question_detail {
    DETAIL_RECORD, /* totals */
    DETAIL_TEXT,   /* the rank that is last at best */
    DETAIL_RANKS,  /* stages, ranks, links over time */
    DETAIL_MAP     /* who sends to whom */
};

struct question_strategies {
    int items[STRATEGY_COUNT]; /* enum strategy, each once */
    int n;                     /* 0: one hop and two hops */
};

struct question {
    struct question_input platform, workload, implementation;
    struct question_strategies strategies;
    int phases;                 /* enum question_phases */
    int64_t seed;
    int host;                   /* enum question_host */
    int64_t calls, batches;     /* back to back */
    bool all_layers;            /* of the trace, one call each back to back */
    int64_t draws;              /* quantiles over so many batches and layers */
    bool compare;               /* with the closed form */
    bool analytic_only, causes; /* with compare */
    int detail;                 /* enum question_detail */
    int64_t links;              /* told over time */
    bool messages;              /* tell when the largest were under way */
    int engine;                 /* enum sim_engine */
    double timeout_s;           /* CPU time of one simulation; 0: no limit */
    const char *corpus;         /* folder of own gates and corpora, or NULL */
    /* the command line that asked; NULL: one that asks the same is told (question_words()) */
    const char *const *arguments;
    int n_arguments;
    struct arena arena; /* of texts made here */
};

void question_init(struct question *q);
void question_clear(struct question *q);

/* Sets a key by its dotted path, "platform.slow.bandwidth"; short forms and keys that bring others with them are
 * resolved. Key and value are borrowed. RC_USAGE for another first word. */
enum rc question_set(struct question *q, const char *key, const char *value, struct err *e);
/* The same for "KEY=VALUE", which is copied. */
enum rc question_set_text(struct question *q, const char *text, struct err *e);

bool question_has_phase(const struct question *q, enum phase phase);
/* The strategies asked for, or the default ones. Returns their number. */
int question_strategies(const struct question *q, const int **strategies);
/* Whether an engine plays the calls: the closed form alone does without, and so does the engine `bound`. */
bool question_simulates(const struct question *q);
/* What the engine is told for a run of which only times are wanted. */
struct sim_options question_times_only(const struct question *q);
/* Whether calls are played back to back. */
bool question_is_sequence(const struct question *q);

/* The words of a command line of simulate or compare that asks the same, program name left out; they live in the
 * arena. Returns how many. */
int question_words(const struct question *q, struct arena *arena, const char ***words);

#endif
