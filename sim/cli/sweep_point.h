/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep_point.h - what a point of a sweep costs, and its record.
 *
 * The key is the SHA-256 of the version of the program, the point's command line (strategies, settings, seed) and
 * the bytes of its input files: it changes when, and only when, the record may.
 * Errors: those of the inputs. */
#ifndef SIM_CLI_SWEEP_POINT_H
#define SIM_CLI_SWEEP_POINT_H

#include "platforms/base/hash.h"
#include "sim/cli/cli.h"
#include "sim/cli/licensing.h"
#include "sim/cli/sweep_spec.h"

struct sweep_plan {
    char key[HASH_TEXT];
    char traffic_key[HASH_TEXT]; /* of what the traffic comes from */
    int ranks;
    double flows;        /* messages of its simulations, each once */
    double seconds;      /* they may take, to be of the right size only */
    enum rc rc;          /* of loading its inputs */
    char message[200];   /* why it cannot run; it gets an error record */
};

/* Loads the point's inputs (not its traffic). A key that does not exist, or a value of the wrong kind, is an error
 * of the sweep file; values that do not fit together are the point's own and stand in the plan. */
enum rc sweep_point_plan(const struct sweep_spec *spec, size_t point, struct inputs_memo *memo,
                         struct sweep_plan *plan, struct err *e);

/* Appends the record of a point: its result, or why there is none. Points share inputs by the memo. */
void sweep_point_run(const struct sweep_spec *spec, size_t point, const struct sweep_plan *plan,
                     const struct licensing *l, struct inputs_memo *memo, struct buf *out);

/* Appends the error record of a point whose worker was lost. */
void sweep_point_lost(const struct sweep_spec *spec, size_t point, const struct sweep_plan *plan,
                      const char *message, struct buf *out);

#endif
