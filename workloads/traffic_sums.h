/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_sums.h - what the rows of a traffic add up to: how uneven they are, and whether their bytes can be counted.
 *
 * Units: rows, or bytes (traffic_data.h).
 * Errors: RC_RANGE of traffic_check_bytes().
 * Ownership: borrows everything.
 * Edges: a rho_max without any row is -1; a call of 2^63 bytes or more is refused. */
#ifndef WORKLOADS_TRAFFIC_SUMS_H
#define WORKLOADS_TRAFFIC_SUMS_H

#include "workloads/traffic_data.h"

/* The largest of some sums over their mean, as results show them; -1 where the mean is 0. */
struct traffic_rho {
    double rank, expert;
    double one_hop_in, one_hop_out, hop_a_in, hop_a_out, hop_b_in, hop_b_out;
};

/* Fills all of them for one traffic. */
void traffic_rho(const struct traffic *t, struct traffic_rho *rho);

/* Checks that sums of bytes fit 63 bits, RC_RANGE. Appends a note where a rank's buffer is above 31 bits: some
 * libraries refuse it, the network does not care. */
enum rc traffic_check_bytes(struct traffic *t, double row_bytes, struct err *e);

#endif
