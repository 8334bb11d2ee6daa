/* SPDX-License-Identifier: BSD-3-Clause */
/* hops.h - rows of every hop that a strategy is made of, from the traffic of a layer.
 *
 * Shapes: matrices over ranks, in rows, dispatch direction (combine transposes them).
 * Groups are the domains of the tier `cut`.
 * De-duplication says which rows travel: one per (token, expert), per (token, rank), per (token, group).
 * Source: FORMULAS.md [M1]..[M3], [M5], [M7].
 * Units: rows; bytes where a function takes any matrix.
 * Errors: none.
 * Ownership: matrix_clear() each result. hops_direct_of() lends a matrix of the traffic.
 * Edges: on a machine of one domain all rows between domains are local. */
#ifndef WORKLOADS_HOPS_H
#define WORKLOADS_HOPS_H

#include "workloads/implementation.h"
#include "workloads/traffic.h"

/* Return, or copy, the rows that go straight to the expert's rank. dedup: none or rank. */
const struct matrix *hops_direct_of(const struct traffic *t, enum dedup dedup);
void hops_direct(const struct traffic *t, enum dedup dedup, struct matrix *rows);

/* Makes the rows of hop A: to the rank of the destination group with the sender's index. */
void hops_fold(const struct platform *p, enum tier cut, const struct traffic *t, enum dedup dedup,
               struct matrix *rows);

/* Makes the rows of hop B where the cut is the fast tier: from the rank that hop A reaches to the expert's rank. For
 * other cuts rows_relay() makes them. dedup: none or rank. */
void hops_forward(const struct traffic *t, enum dedup dedup, struct matrix *rows);

/* Makes the rows of the scatter after an exchange between domains: from the rank that handles a domain inside the own
 * one to the expert's rank. dedup: none or rank. */
void hops_scatter(const struct platform *p, enum tier cut, const struct traffic *t, enum dedup inside,
                  struct matrix *rows);

/* Makes the rows of gather, exchange and scatter: rows for group h go to the rank of the own group with local index h
 * mod R, from there to the rank of group h with local index (own group mod R), from there to the expert's rank. Rows
 * for the own group go straight, in the scatter. */
void hops_gather(const struct platform *p, enum tier cut, const struct traffic *t, enum dedup between,
                 enum dedup inside, struct matrix rows[static 3]);

/* Splits any matrix, of rows or bytes, into two hops, inside and across: inside the sender's group to the rank with the
 * receiver's index, and from there to the receiver. */
void hops_inside_first(const struct platform *p, enum tier cut, const struct matrix *direct,
                       struct matrix rows[static 2]);

/* Splits any matrix, of rows or bytes, into three hops, level, across and scatter: levelled inside the sender's group,
 * to the same index of the receiver's group, scattered there. All groups are of one size. */
void hops_levelled(const struct platform *p, const struct matrix *direct, struct matrix rows[static 3]);

#endif
