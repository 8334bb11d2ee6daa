/* SPDX-License-Identifier: BSD-3-Clause */
/* matrix_report.h - the matrices of a traffic as files, and what is told of them.
 *
 * Units: rows, or bytes of a record of bytes. Errors: RC_IO. Ownership: borrow everything, append to the buffer. Edges:
 * a matrix without rows has no rho_max: null, or "-". */
#ifndef SIM_REPORT_MATRIX_REPORT_H
#define SIM_REPORT_MATRIX_REPORT_H

#include "sim/study/inputs.h"

/* Writes one_hop, hop_a and hop_b as .npy and .csv into a folder, which is made where it is not there. */
enum rc matrix_write_files(const struct inputs *in, const char *folder, struct err *e);
/* Tell of the files that matrix_write_files() wrote. */
void matrix_report_json(const struct inputs *in, int64_t seed, const char *folder, struct buf *out);
void matrix_report_text(const struct inputs *in, const char *folder, struct buf *out);

#endif
