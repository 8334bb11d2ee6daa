/* SPDX-License-Identifier: BSD-3-Clause */
/* packet_fit.h - the rows of a packet corpus, and the allowance that is fitted on them and tried on those left out.
 *
 * The fit is the least high end of the allowance's form that no row of its transport and topology exceeds: the mean of
 * e + k rtt / (wire + rtt) is smallest. FORMULAS.md [A1]
 * Units: SI. Errors: none. Edges: without rows a fit is all zero, with 0 cases.
 * Ownership: rows borrow the corpus; free() releases the array. */
#ifndef VALIDATION_PACKET_FIT_H
#define VALIDATION_PACKET_FIT_H

#include "validation/packet.h"

/* The times of one transport in one case. */
struct packet_row {
    const struct packet_case *of;
    const char *transport;
    int class, topology; /* PACKET_UNTUNED or enum transport; enum allowance_class */
    double wire_s, bound_s, rtt_short_s, rtt_s, bdp;
    double first_s, last_s; /* smallest and largest of its times */
};

struct packet_row *packet_rows(const struct packet_corpus *c, size_t *n);

/* Returns whether an allowance is made from a row: all messages in flight at once, a tuned transport, drops of large
 * messages only. */
bool packet_is_fitted(const struct packet_row *row);

/* Rows that a fit does not see. */
struct packet_without {
    const struct packet_case *of; /* all rows of this case */
    const char *transport; /* all rows of this transport */
};
void packet_fit(const struct packet_row *rows, size_t n, int class, int topology, const struct packet_without *without,
                struct allowance_fit *fit);

/* Rows tried, and those that stay below the high end. */
struct packet_score {
    size_t rows, kept;
};
/* Tries each case against a fit of the other cases, where a claim is made. high_s[n] (NULL: not asked for) receives the
 * high end that a row was held against, 0 where none was. */
struct packet_score packet_leave_case(const struct packet_row *rows, size_t n, double *high_s);
/* Tries each transport of a class against a fit of the other transports of the class. */
struct packet_score packet_leave_transport(const struct packet_row *rows, size_t n, int class);
/* Tries all rows against the constants of the program, in the same way as packet_leave_case(). */
struct packet_score packet_committed(const struct packet_row *rows, size_t n, double *high_s);
/* Returns the largest difference between the constants of the program and a fit of all rows, relative to the high
 * end. */
double packet_constants_off(const struct packet_row *rows, size_t n);

#endif
