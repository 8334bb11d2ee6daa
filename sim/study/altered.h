/* SPDX-License-Identifier: BSD-3-Clause */
/* altered.h - a call with another value for one constant of its machine or library.
 *
 * Units: SI. Errors: none; a value that the machine cannot have gives NULL.
 * Ownership: altered_make() returns what altered_free() releases; it borrows from the call, its platform and library.
 * Edges: a value that is the constant's own gives the call as it is. */
#ifndef SIM_STUDY_ALTERED_H
#define SIM_STUDY_ALTERED_H

#include "platforms/constants.h"
#include "workloads/call.h"

/* Whose constant it is; OF_CHAIN: of the preset of the library's chain, which no file states. */
enum constant_of { OF_PLATFORM, OF_LIBRARY, OF_CHAIN };

/* A constant: its place in the order of the visitor, that of the platform with the alpha that is asked for. */
struct constant_place {
    enum constant_of of;
    size_t at;
    bool links; /* links are made from it */
    const struct alpha_ask *asks;
    size_t n_asks;
};

struct altered {
    struct platform *platform; /* a copy; NULL: the call's */
    struct implementation how;
    double chain_factor;
    struct topology *topology; /* NULL: no link is another */
    bool same_links;           /* the same links in the same order, at other rates */
};

struct altered *altered_make(const struct call *call, const struct constant_place *place, double value);
void altered_free(struct altered *a); /* NULL is allowed */

/* Fills `other` with the call as altered. It borrows the stages of the call, but for stages[call->n_stages], which are
 * the caller's room for them. */
void altered_call(const struct altered *a, const struct call *call, struct stage *stages, struct call *other);

#endif
