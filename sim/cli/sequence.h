/* SPDX-License-Identifier: BSD-3-Clause */
/* sequence.h - the same call several times back to back, or one for each layer of a trace. */
#ifndef SIM_CLI_SEQUENCE_H
#define SIM_CLI_SEQUENCE_H

#include "sim/cli/cli.h"
#include "sim/cli/figures.h"

/* like: the call that is repeated. A time that is not known is said in s, not an error. */
enum rc sequence_run(const struct inputs *in, const struct options *o, const struct call *like,
                     struct sequence_figures *s, struct err *e);

#endif
