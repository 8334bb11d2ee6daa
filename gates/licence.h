/* SPDX-License-Identifier: BSD-3-Clause */
/* licence.h - the right to show numbers of one capability, as the evaluated gates left it.
 *
 * Both types are incomplete outside gates/: nobody else can make a licence or change one. A number gets to a
 * report only by way of claim_make() (claim.h), which asks for a licence.
 * Ownership: licences_free() releases a set and every licence in it. */
#ifndef GATES_LICENCE_H
#define GATES_LICENCE_H

#include "gates/capability.h"

struct licence;
struct licences;

/* What holds without any evidence: nothing is open that a gate would have to open. */
struct licences *licences_unproven(void);
void licences_free(struct licences *l); /* NULL is allowed */

const struct licence *licences_get(const struct licences *l, enum capability c);

enum capability_state licence_state(const struct licence *l);
const char *licence_reason(const struct licence *l);

/* RC_OK unless the capability is withdrawn: RC_WITHDRAWN, naming the gate and the reason. */
enum rc licence_require(const struct licence *l, struct err *e);

#endif
