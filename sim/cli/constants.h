/* SPDX-License-Identifier: BSD-3-Clause */
/* constants.h - which constants a result rests on, and how well they are known. */
#ifndef SIM_CLI_CONSTANTS_H
#define SIM_CLI_CONSTANTS_H

#include "sim/cli/cli.h"
#include "sim/report/result.h"

/* Names the weakest constant under a result, and all that are assumed. The most influential ones are asked
 * first. */
void constants_weigh(const struct inputs *in, struct result *r);

#endif
