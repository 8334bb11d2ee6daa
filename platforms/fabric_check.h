/* SPDX-License-Identifier: BSD-3-Clause */
/* fabric_check.h - whether the fabrics of a platform fit the numbers of groups and ranks.
 *
 * Units: none.
 * Errors: RC_SCHEMA for a key that a kind of fabric does not have or lacks, RC_RANGE for numbers that do not fit;
 * both with the place in the file.
 * Ownership: borrows the platform.
 * Edges: a tier that joins nothing is checked as if it had one end. */
#ifndef PLATFORMS_FABRIC_CHECK_H
#define PLATFORMS_FABRIC_CHECK_H

#include "platforms/domains.h"

/* Checks the fabrics of all tiers, whose domains are known. */
enum rc fabric_check(const struct platform *p, struct err *e);

#endif
