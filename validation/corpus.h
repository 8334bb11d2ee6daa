/* SPDX-License-Identifier: BSD-3-Clause */
/* corpus.h - a table of measurements with its units, conditions, origin and licence.
 *
 * Units: values are SI, whatever unit the file's columns state; text columns have no number.
 * Shapes: values[row * columns.n + column].
 * Errors: RC_IO, RC_SYNTAX, RC_SCHEMA, RC_RANGE, with file:line:column.
 * Edges: a corpus has at least one row.
 * Ownership: corpus_load() returns what corpus_free() releases; texts belong to the corpus. */
#ifndef VALIDATION_CORPUS_H
#define VALIDATION_CORPUS_H

#include "platforms/base/keys.h"

#define CORPUS_SCHEMA "moesim/corpus/1"

enum corpus_quantity { CORPUS_TEXT, CORPUS_COUNT, CORPUS_RATIO, CORPUS_SIZE, CORPUS_TIME, CORPUS_RATE };

struct corpus_column {
    const char *name;
    int unit; /* index into the table of units */
    const char *means;
};

struct corpus_constant {
    const char *name;
    struct quantity number; /* in the stated unit */
    int unit;
    const char *means;
};

struct corpus {
    const char *schema;
    const char *name;
    const char *description;
    const char *machine;        /* platform that was measured */
    const char *implementation; /* library that was measured, or NULL */
    int kind;                   /* the most it may support: enum gate_kind */
    const char *supports, *conditions, *origin, *licence, *note;
    struct key_list constants;  /* struct corpus_constant */
    struct key_list columns;    /* struct corpus_column */
    size_t n_rows;
    double *values;
    const char **texts;         /* NULL where the column is a number */

    struct yaml_doc *doc;
};

extern const struct key corpus_keys[];

/* Loads a corpus by name: from folder, unless NULL, when a file NAME.yaml (dashes as underscores) is there,
 * otherwise from those that ship with the program. */
enum rc corpus_load(const char *folder, const char *name, struct corpus **corpus, struct err *e);
void corpus_free(struct corpus *c); /* NULL is allowed */

/* A column or constant that an estimand needs: its name and quantity. */
struct corpus_need {
    const char *name;
    enum corpus_quantity quantity;
};
/* Finds columns by name; columns[n]. */
enum rc corpus_columns(const struct corpus *c, const struct corpus_need *needs, size_t n, size_t *columns,
                       struct err *e);
/* Finds constants by name and fills in their values[n]. */
enum rc corpus_constants(const struct corpus *c, const struct corpus_need *needs, size_t n,
                         double *values, struct err *e);

/* Return what a row holds in a column of numbers, and in one of texts. */
double corpus_value(const struct corpus *c, size_t row, size_t column);
const char *corpus_text(const struct corpus *c, size_t row, size_t column);

#endif
