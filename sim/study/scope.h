/* SPDX-License-Identifier: BSD-3-Clause */
/* scope.h - what one call is about, for the gates.
 *
 * Units: SI. Errors: none. Ownership: texts are borrowed from the call. Edges: a call without stages has
 * worlds and bytes of 0; ranks that come late, and several EP groups at once, make rho_max infinite. */
#ifndef SIM_STUDY_SCOPE_H
#define SIM_STUDY_SCOPE_H

#include "gates/gate.h"
#include "sim/study/inputs.h"

/* Fills the scope of a call. Constants or an implementation changed by --set are not those that were tried; the number
 * of groups and ranks may be set. */
void scope_of_call(const struct question *q, const struct inputs *in, const struct call *call,
                   struct gate_scope *scope);

#endif
