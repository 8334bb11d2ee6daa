/* SPDX-License-Identifier: BSD-3-Clause */
/* licensing.h - what the gates leave open for the question on the command line.
 *
 * The closed form's gates are evaluated on every run (some hundredths of a second); those that simulate belong
 * to `moesim gates`. Errors: those of the user's gate files. Ownership: licensing_clear() releases. */
#ifndef SIM_CLI_LICENSING_H
#define SIM_CLI_LICENSING_H

#include "gates/licence.h"
#include "sim/cli/options.h"
#include "validation/gate_run.h"

struct licensing {
    struct gate_run run;
    struct licences *licences;
};

enum rc licensing_open(const struct options *o, struct licensing *l, struct err *e);
void licensing_clear(struct licensing *l);

/* What one call is about. Constants or an implementation changed by --set are not those that were tried; the
 * number of groups and ranks may be set. Texts are borrowed from the call. */
void licensing_scope(const struct options *o, const struct call *call, struct gate_scope *asked);

#endif
