/* SPDX-License-Identifier: BSD-3-Clause */
/* estimand_table.h - the names of the estimands, and what each yields.
 *
 * Units: each row names the unit of its points. Errors: none; estimand_find() returns NULL for an unknown name.
 * Ownership: static. Edges: a name that is NULL is not allowed. */
#ifndef VALIDATION_ESTIMAND_TABLE_H
#define VALIDATION_ESTIMAND_TABLE_H

#include "validation/estimand.h"

enum estimand_flag {
    ESTIMAND_OWN = 1,    /* a user's gate may ask for it */
    ESTIMAND_ENGINE = 2, /* simulates: needs tools.simulator */
    ESTIMAND_PACKETS = 4 /* its corpus is one of packet-level times */
};
struct estimand {
    const char *name;
    estimand_f run;
    const char *units;   /* of its points, "s" or "ratio" */
    unsigned flags;      /* enum estimand_flag */
    const char *metrics; /* names of its metrics, with blanks between */
};

/* Returns the estimand of that name, or NULL. */
const struct estimand *estimand_find(const char *name);

#endif
