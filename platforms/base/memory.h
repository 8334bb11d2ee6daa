/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.h - how much more memory a process can get.
 *
 * Units: bytes.
 * Errors: none.
 * Ownership: none.
 * Edges: what the system does not tell limits nothing: INFINITY. */
#ifndef PLATFORMS_BASE_MEMORY_H
#define PLATFORMS_BASE_MEMORY_H

/* Returns how much more a process started by this one may get: the least of what the machine has available, what the
 * process's own limit of address space (ulimit -v) leaves, and what its control group leaves. */
double memory_available_bytes(void);

#endif
