/* SPDX-License-Identifier: BSD-3-Clause */
/* bound.h - what no simulation of a step can undercut, from the actual matrix and topology.
 *
 * Units: SI. Source: FORMULAS.md [B1]..[B3], own derivation.
 * Valid for: fluid max-min sharing on the topology's links; rendezvous and one-sided start. */
#ifndef MODEL_BOUND_H
#define MODEL_BOUND_H

#include "workloads/step.h"

/* Lower bound of the call time under the given fixed costs; with costs_wire(), of the wire time. */
double bound_call_s(const struct step *step, const struct costs *costs);

struct bound_link {
    int link;        /* index in the topology; -1 when nothing moves */
    double bytes;    /* over all stages */
    double busy_s;   /* bytes / capacity plus per-message costs */
};
/* The link that is busy longest over all stages. */
void bound_busiest_link(const struct step *step, struct bound_link *busiest);

#endif
