/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.h - seconds that have passed, for limits and for the cost of a run.
 *
 * Units: seconds.
 * Errors: none.
 * Ownership: borrows nothing.
 * Edges: both clocks count from an unspecified start and never go back; only differences mean something. */
#ifndef PLATFORMS_BASE_CLOCK_H
#define PLATFORMS_BASE_CLOCK_H

/* Returns the real time. */
double clock_wall_s(void);
/* Returns the processor time that this process has used in all its threads. */
double clock_cpu_s(void);

#endif
