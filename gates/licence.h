/* SPDX-License-Identifier: BSD-3-Clause */
/* licence.h - the right to show numbers of one capability, as the evaluated gates left it.
 *
 * Both types are incomplete outside gates/: nobody else can make a licence or change one. A number gets to a
 * report only by way of claim_make() (claim.h), which asks for a licence.
 * Fail closed: a gate that is not among the results counts as not passed.
 * Units: none. Errors: RC_WITHDRAWN, by licence_require() only.
 * Edges: an outcome of 0 gates leaves what holds without any evidence.
 * Ownership: licences_free() releases a set and every licence in it; the results are borrowed. */
#ifndef GATES_LICENCE_H
#define GATES_LICENCE_H

#include "gates/capability.h"
#include "gates/gate.h"

struct licence;
struct licences;

/* Decides every capability from the outcome of n gates; with n = 0, what holds without any evidence. */
struct licences *licences_decide(const struct gate_result *results, size_t n);
void licences_free(struct licences *l); /* NULL is allowed */
/* Releases the licences that licences_for() and licences_of_calls() made, before the next of many questions. */
void licences_forget(struct licences *l);

/* Returns the licence of a capability without regard to a question: one that opens only in a scope is not open here. */
const struct licence *licences_get(const struct licences *l, enum capability c);

/* Returns the licence for a question: machine, constants, implementation, worlds, sizes, skew. */
const struct licence *licences_for(struct licences *l, enum capability c, const struct gate_scope *asked);

/* Returns the licence for a number made of several calls, each with its own call_time licence. */
const struct licence *licences_of_calls(struct licences *l, enum capability c,
                                        const struct licence *const *calls, size_t n);

/* Return what a licence says. */
enum capability_state licence_state(const struct licence *l);
const char *licence_reason(const struct licence *l); /* why it is not open, or what opened it */
const char *licence_gate(const struct licence *l);   /* the gate that decided, or "" */
const char *licence_reopen(const struct licence *l); /* what would open it, or NULL */

/* Returns RC_OK unless the capability is withdrawn, and then RC_WITHDRAWN with a message that names the gate, the
 * reason and what would open the capability again. */
enum rc licence_require(const struct licence *l, struct err *e);

/* Returns the capabilities that a gate takes away as long as it has not passed: bits 1 << enum capability. */
unsigned gate_withdraws(const struct gate *gate);

#endif
