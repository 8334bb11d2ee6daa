/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.h - seconds of real time, for limits and for the cost of a run.
 *
 * Both count from an unspecified start and never go back. */
#ifndef PLATFORMS_BASE_CLOCK_H
#define PLATFORMS_BASE_CLOCK_H

double clock_wall_s(void);
double clock_cpu_s(void); /* of this process, all threads */

#endif
