/* SPDX-License-Identifier: BSD-3-Clause */
/* spec.h - a sweep file (schema moesim/sweep/1) and the points that it stands for.
 *
 * Axes are crossed, the first one slowest; zipped ones advance together; repeats are innermost and differ in the
 * seed. A point is a question of `moesim compare`: what a record states can be run again by hand.
 * Errors: RC_SCHEMA, RC_RANGE with file:line:column.  Ownership: sweep_spec_free() releases all, points too.
 * Units: SI.
 * Edges: a file without axes, and conditions that no point fulfils, are errors. */
#ifndef SIM_SWEEP_SPEC_H
#define SIM_SWEEP_SPEC_H

#include "sim/study/question.h"
#include "sim/sweep/values.h"

enum { SWEEP_AXES = 12 };

enum sweep_which { SWEEP_NONE, SWEEP_FIRST, SWEEP_ALL };

struct sweep_point {
    int64_t number; /* in the order of the file, before filters */
    size_t at[SWEEP_AXES]; /* value of each axis */
    uint64_t seed;
};

struct sweep_spec {
    const char *name, *description;
    const char *platform, *workload, *implementation, *phase; /* NULL: the default */
    const struct yaml_node *strategies, *set, *zip, *where;   /* NULL: not given */
    struct key_list raw_axes;
    bool simulate;
    int engine; /* enum sim_engine */
    int detail, causes; /* enum sweep_which */
    struct quantity timeout_s;
    int64_t repeats, seed;

    const char *corpus;
    struct yaml_doc *doc;
    struct sweep_axis axes[SWEEP_AXES];
    size_t n_axes;
    struct sweep_point *points;
    size_t n_points, room;
};

/* corpus: folder of own gates that each point is asked with, or NULL; borrowed. */
enum rc sweep_spec_load(const char *path, const char *corpus, struct sweep_spec **spec, struct err *e);
void sweep_spec_free(struct sweep_spec *spec); /* NULL is allowed */

/* Makes the question of a point; question_clear() releases it, its texts are the spec's. RC_USAGE for a value or key
 * that no question has. */
enum rc sweep_spec_question(const struct sweep_spec *spec, size_t point, struct question *q, struct err *e);

/* Writes the reference table of the keys as Markdown. */
void sweep_spec_markdown(struct buf *out);

#endif
