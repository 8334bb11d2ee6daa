/* SPDX-License-Identifier: BSD-3-Clause */
/* record_read.h - the readers behind record.h, one per format. Each fills a record's kind and its part.
 *
 * Units: those of record_data.h.
 * Errors: as in record.h.
 * Ownership: the record belongs to the caller, who frees it also on failure; data is borrowed. */
#ifndef WORKLOADS_RECORDS_RECORD_READ_H
#define WORKLOADS_RECORDS_RECORD_READ_H

#include "workloads/records/json_pull.h"
#include "workloads/records/npy.h"
#include "workloads/records/record_data.h"

enum rc record_read_json(struct json_pull *j, const struct record_ask *ask, struct record *r,
                         struct err *e);
enum rc record_read_npy(const char *data, size_t n, const char *name, const struct record_ask *ask,
                        struct record *r, struct err *e);
/* Finds the chosen stored member of a zip archive, in place; compressed ones are refused. */
enum rc record_find_npz(const char *data, size_t n, const char *name, const char *member,
                        const char **array, size_t *array_n, struct err *e);
/* Tells and reads a CSV src,dst,bytes or src,dst,rows (count is another word for rows). */
bool record_is_matrix(const char *data, size_t n);
enum rc record_read_matrix(const char *data, size_t n, const char *name, const struct record_ask *ask,
                           struct record *r, struct err *e);
/* Makes bytes of a matrix that was filled with rows. */
enum rc record_matrix_of_rows(struct record *r, const struct record_ask *ask, const struct place *at, struct err *e);
/* Checks the sum of a matrix and sets whether all its values are whole. */
enum rc record_matrix_check(struct record *r, const struct place *at, struct err *e);
/* Tells and reads numbers as plain text; the text of a tensor; a CSV with one column an expert. */
bool record_is_grid(const char *data, size_t n);
enum rc record_read_grid(const char *data, size_t n, const char *name, const struct record_ask *ask, struct record *r,
                         struct err *e);
bool record_is_tensor_text(const char *data, size_t n);
enum rc record_read_tensor_text(const char *data, size_t n, const char *name, const struct record_ask *ask,
                                struct record *r, struct err *e);
bool record_is_wide(const char *data, size_t n);
enum rc record_read_wide(const char *data, size_t n, const char *name, const struct record_ask *ask, struct record *r,
                         struct err *e);
/* Tells and reads an all-to-all-v count dump. */
bool record_is_dump(const char *data, size_t n);
enum rc record_read_dump(const char *data, size_t n, const char *name, struct record *r,
                         struct err *e);

#endif
