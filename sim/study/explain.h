/* SPDX-License-Identifier: BSD-3-Clause */
/* explain.h - why the closed form and the simulation differ, and who is last at best.
 *
 * Units: SI. Errors: those of the simulator. Ownership: borrow everything. Edges: a call without both times has no
 * causes; where nothing moves there is no straggler. */
#ifndef SIM_STUDY_EXPLAIN_H
#define SIM_STUDY_EXPLAIN_H

#include "sim/study/asking.h"

/* Fills the causes that lead from the analytic time to the simulated one. */
enum rc explain_causes(const struct call_run *run, const struct question *q, struct err *e);
/* Fills the ends that the port model allows each rank, and names the last one. */
void explain_ports(const struct call_run *run);

/* A wire time of this many times its bound is far above it. */
static const double call_run_far = 1.15;
/* Finds what holds a uniform load far above its bound, by runs without it: the window, the order, or else a link. */
enum rc explain_slack(struct call_run *run, const struct question *q, struct err *e);

#endif
