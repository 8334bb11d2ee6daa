/* SPDX-License-Identifier: BSD-3-Clause */
/* record_data.h - a routing record as data, and what its reader is told.
 *
 * Units: counts and ids have none; the matrix holds bytes.
 * Errors: none.
 * Ownership: a record owns what it points to; record_free() of record.h releases it. The asks are borrowed. */
#ifndef WORKLOADS_RECORDS_RECORD_DATA_H
#define WORKLOADS_RECORDS_RECORD_DATA_H

#include "workloads/records/counts.h"
#include "workloads/records/matrix.h"
#include "workloads/records/routes.h"

enum record_kind { RECORD_COUNTS, RECORD_ROUTES, RECORD_MATRIX };

struct record {
    enum record_kind kind;
    struct counts *counts; /* NULL unless of that kind */
    struct routes *routes;
    struct matrix bytes; /* dispatch direction, diagonal included */
    char sha256[HASH_TEXT];
    struct buf notes; /* of the matrix; counts and routes have their own */
};

struct record_ask {
    struct counts_ask counts;
    struct routes_ask routes;
};

#endif
