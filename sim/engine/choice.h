/* SPDX-License-Identifier: BSD-3-Clause */
/* choice.h - the engines, and which one plays a call where the user names none.
 *
 * Units: none. Errors: none. Ownership: borrows the call; names are static.
 * Edges: a call without a message has 0 flows. */
#ifndef SIM_ENGINE_CHOICE_H
#define SIM_ENGINE_CHOICE_H

#include "workloads/costs.h"

/* The engines. SIM_ENGINE_BOUND plays nothing: it stands for the lower bounds of model/bound.h, without a simulated
 * time. */
enum sim_engine { SIM_ENGINE_AUTO, SIM_ENGINE_SIMGRID, SIM_ENGINE_FLUID, SIM_ENGINE_BOUND };

/* Up to so many flows SIM_ENGINE_AUTO stands for SimGrid, the reference, which is quick there; above for `fluid`. One
 * hop of 32 ranks with pair skew, 8 in flight (1,984 flows), takes 0.15 s user CPU on SimGrid, program included. */
enum { SIM_SIMGRID_FLOWS = 2048 };

/* Returns the number of flows that a call starts: one for each path of each piece of a message, and one for its
 * per-message cost. */
double sim_flows(const struct call *call);
/* Returns the engine that SIM_ENGINE_AUTO stands for with so many flows. */
enum sim_engine sim_engine_for(double flows);
const char *sim_engine_name(enum sim_engine engine); /* "auto", "simgrid", "fluid", "bound" */

#endif
