/* SPDX-License-Identifier: BSD-3-Clause */
/* values.h - the values of an axis: a list, a range or a log range, numbers with or without a unit.
 * Errors: RC_SCHEMA, RC_RANGE.  Ownership: texts live in the document's arena.
 * Units: those of the texts. */
#ifndef SIM_SWEEP_VALUES_H
#define SIM_SWEEP_VALUES_H

#include "sim/sweep/spec.h"

/* One axis as written: key, and one of values, range and log_range. */
struct sweep_raw_axis {
    const char *key;
    const struct yaml_node *values, *range, *log_range;
};
extern const struct key sweep_axis_keys[];
extern const struct key sweep_range_keys[];

enum rc sweep_values(const struct sweep_raw_axis *raw, struct yaml_doc *doc, struct sweep_axis *axis,
                     struct err *e);

/* A list of single values. */
enum rc sweep_texts(const char *what, const struct yaml_node *node, struct yaml_doc *doc, const char ***texts,
                    size_t *n, struct err *e);

/* A value as a number and its unit ("" for none), which points into the text; false when it is no number. */
bool sweep_number(const char *text, double *value, const char **unit);

#endif
