/* SPDX-License-Identifier: BSD-3-Clause */
/* values.h - the values of an axis: a list, a range or a log range, numbers with or without a unit.
 *
 * Units: those of the texts.
 * Errors: RC_SCHEMA, RC_RANGE and RC_UNIT with file:line:column.
 * Ownership: texts live in the document's arena.
 * Edges: an empty list, a value that stands twice and a range that does not rise are errors; more than SWEEP_POINTS
 * values too. */
#ifndef SIM_SWEEP_VALUES_H
#define SIM_SWEEP_VALUES_H

#include "platforms/base/keys.h"

enum { SWEEP_POINTS = 1000000 };

struct sweep_axis {
    const char *key;
    struct place at;
    const char **values;
    size_t n;
    size_t dimension; /* zipped axes share one */
};

/* One axis as written: key, and one of values, range and log_range. */
struct sweep_raw_axis {
    const char *key;
    const struct yaml_node *values, *range, *log_range;
};
extern const struct key sweep_axis_keys[];
extern const struct key sweep_range_keys[];

/* Fills the values of an axis, whose key and place are there. */
enum rc sweep_values(const struct sweep_raw_axis *raw, struct yaml_doc *doc, struct sweep_axis *axis,
                     struct err *e);

/* Reads a list of single values; what: its key, for messages. */
enum rc sweep_texts(const char *what, const struct yaml_node *node, struct yaml_doc *doc, const char ***texts,
                    size_t *n, struct err *e);

/* Reads a value as a number and its unit ("" for none), which points into the text; false when it is no number. */
bool sweep_number(const char *text, double *value, const char **unit);

#endif
