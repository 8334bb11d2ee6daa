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

/* What a record is to be taken as; the order of the words of workload.routing.record. */
enum record_as { RECORD_AS_AUTO, RECORD_AS_COUNTS, RECORD_AS_MATRIX, RECORD_AS_ROUTES };

struct record_ask {
    struct counts_ask counts;
    struct routes_ask routes;
    int as;           /* enum record_as */
    int ranks;        /* of the platform; 0 = unknown */
    double row_bytes; /* of one row in a matrix of rows; 0 = unknown: rows are kept */
};

#endif
