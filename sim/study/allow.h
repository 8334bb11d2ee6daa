/* SPDX-License-Identifier: BSD-3-Clause */
/* allow.h - what packet transports may add to a call, and the load of hashed paths.
 *
 * Units: SI. Errors: those of the model of hashed paths. Ownership: borrows everything. Edges: what no gate speaks for
 * has a reason instead of a number. */
#ifndef SIM_STUDY_ALLOW_H
#define SIM_STUDY_ALLOW_H

#include "sim/study/asking.h"

/* Fills the allowance of a call that was simulated. */
enum rc allow_publish(const struct asking *a, struct call_run *run, struct err *e);

#endif
