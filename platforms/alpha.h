/* SPDX-License-Identifier: BSD-3-Clause */
/* alpha.h - fixed cost of a collective: tables of a platform per implementation, host regime and direction, over
 * (world, widest tier spanned), and named assumptions where there is none.
 *
 * Source: FORMULAS.md [F3].
 * Units: SI.
 * Errors: RC_SCHEMA, and those of plat_load() for tables that are borrowed.
 * Ownership: entries belong to the platform's document; questions and answers to the caller.
 * Edges: a world of 1 costs nothing; where no table covers a question the answer says that it is not known, and a
 * treatment without entries costs 0. */
#ifndef PLATFORMS_ALPHA_H
#define PLATFORMS_ALPHA_H

#include "platforms/platform.h"

enum regime { REGIME_AHEAD, REGIME_OBSERVED };
extern const char *const regime_names[]; /* up to a NULL */
/* Returns the word of a host regime, "ahead" or "observed". */
const char *regime_name(enum regime regime);
enum alpha_phase { ALPHA_ANY, ALPHA_DISPATCH, ALPHA_COMBINE };
enum alpha_part { ALPHA_LATENCY, ALPHA_COUNTS }; /* what the times of a table can contain */
enum { SPAN_ANY = -1 }; /* instead of the widest tier that a collective reaches */

struct plat_alpha_entry {
    int64_t world;
    const char *span_name;
    int span; /* a tier, or SPAN_ANY: every tier without an entry of its own for this world */
    struct quantity time_s;
};

/* Fixed cost of one collective, of one implementation on this machine. */
struct plat_alpha {
    const char *implementation;
    const char *borrow;   /* take the table of this built-in platform instead of own entries */
    unsigned includes;    /* what the times contain: bit 1 << enum alpha_part of each part */
    bool includes_given;
    const char *note;     /* for people; NULL: none */
    int regime;           /* enum regime */
    int phase;            /* enum alpha_phase: which direction the times belong to */
    struct key_list entries; /* struct plat_alpha_entry; once loaded by span, then by rising world */
};

/* A named assumption about the fixed cost where it is not known. */
struct plat_treatment {
    const char *name;
    const char *borrow;      /* the table of this built-in platform */
    struct key_list entries; /* or own entries; neither: 0 */
};

struct alpha_answer {
    bool known;         /* a listed world, or between two listed ones */
    bool interpolated;
    double time_s;      /* meaningless unless known */
    enum status status; /* weakest of the entries used */
    char reason[200];   /* why it is not known, or between which worlds it was interpolated */
};

/* A question about alpha: of a library's tables, or of a treatment. */
struct alpha_ask {
    const char *implementation;
    enum regime regime;
    enum alpha_phase phase;
    int treatment; /* 1 + its index: the treatment is asked, and the three above do not count; 0: the tables */
    int world;
    enum tier span;
};

/* The entries that answer a question: one, two to interpolate between, or none where there is no answer. */
struct alpha_used {
    int n;
    size_t index[2];                        /* in the entries, by rising world */
    const struct key_list *entries;         /* struct plat_alpha_entry */
    const struct plat_alpha *table;         /* the table that they belong to, or else .. */
    const struct plat_treatment *treatment; /* .. the treatment */
};

/* Finds the entries that answer a question. */
void plat_alpha_used(const struct platform *p, const struct alpha_ask *ask, struct alpha_used *used);

/* Looks up alpha of an implementation for a collective of `world` ranks. A world of 1 costs nothing: there is
 * no exchange. Low-confidence entries are outside the coverage. FORMULAS.md [F3] */
void plat_alpha(const struct platform *p, const char *implementation, int world, enum tier span,
                enum regime regime, struct alpha_answer *answer);

/* Looks up alpha for one direction of a call: a table that names its direction goes before one that does not. */
void plat_alpha_phase(const struct platform *p, const char *implementation, enum alpha_phase phase,
                      int world, enum tier span, enum regime regime, struct alpha_answer *answer);

/* Returns whether the table that answers says that its times contain a part; false where there is no table. */
bool plat_alpha_includes(const struct platform *p, const char *implementation, enum alpha_phase phase,
                         enum regime regime, enum alpha_part part);

/* Returns alpha under the treatment of index i, 0 .. alpha_treatments.n - 1: always a number, clamped. */
double plat_treatment_alpha_s(const struct platform *p, size_t i, int world, enum tier span);

/* Returns alpha by the paper's rule: piecewise linear in the world, clamped at both ends, of all entries; 0 where no
 * entry has the span. FORMULAS.md [F3] */
double plat_alpha_clamped_s(const struct plat_alpha_entry *entries, size_t n, int world, enum tier span);

/* Loads another platform with its tables as they are in its file. */
typedef enum rc (*alpha_load)(const char *name_or_path, struct platform **platform, struct err *e);
/* Completes the tables of a platform that is being loaded: borrows, finds tiers by their names, orders the entries. */
enum rc alpha_resolve(struct platform *p, alpha_load load, struct err *e);

#endif
