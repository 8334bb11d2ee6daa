/* SPDX-License-Identifier: BSD-3-Clause */
/* answer.h - the way from a question to its result that simulate, compare and sweep share.
 *
 * Errors: those of the inputs, RC_ENGINE, RC_TIMEOUT, and those of use(). Ownership: the result lives while use()
 * runs. */
#ifndef SIM_CLI_ANSWER_H
#define SIM_CLI_ANSWER_H

#include "sim/cli/licensing.h"
#include "sim/cli/options.h"
#include "sim/report/result.h"

typedef enum rc (*answer_f)(const struct result *r, void *context, struct err *e);

/* Loads the inputs, makes the calls, turns them into claims and hands the result to use(). memo: as of inputs. */
enum rc answer(const struct options *o, const struct licensing *l, bool compare, struct inputs_memo *memo,
               answer_f use, void *context, struct err *e);

#endif
