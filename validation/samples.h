/* SPDX-License-Identifier: BSD-3-Clause */
/* samples.h - timed runs of a real machine: what moesim-measure writes, and logs of other benchmarks.
 *
 * A samples file is CSV below an environment: lines that begin with "# " are a YAML document of sample_keys, the rest
 * has the columns of sample_columns, in any order; both tables stand in validation/mpi/README.md.
 * Logs that are read by the names of their columns: nccl-tests and rccl-tests (alltoall), OSU micro-benchmarks
 * (osu_alltoall, osu_alltoallv, osu_latency), DeepEP's test programs. What these do not say (groups, ranks of an OSU
 * run) is asked for.
 * Units: SI; sizes are bytes, as doubles.
 * Shapes: items[n] in the order of the file.
 * Errors: RC_IO, RC_SYNTAX, RC_SCHEMA, RC_UNIT, RC_RANGE, with file:line:column; RC_USAGE for what a log does not say.
 * Ownership: samples_free() releases all, texts too.
 * Edges: a file without a sample is RC_SCHEMA; a time of 0 is kept (a simulator computes in no time). */
#ifndef VALIDATION_SAMPLES_H
#define VALIDATION_SAMPLES_H

#include "validation/sample_set.h"

#define SAMPLES_SCHEMA "moesim/samples/1"

extern const struct key sample_keys[];    /* of the environment */
extern const struct key sample_columns[]; /* of the rows; a KEY_NUMBER is a double here */

/* Reads a samples file or a log, told apart by its first lines; ask may be NULL. */
enum rc samples_load(const char *path, const struct samples_ask *ask, struct samples **samples, struct err *e);
/* Reads from memory; name stands for the file in messages. */
enum rc samples_parse(const char *text, size_t n, const char *name, const struct samples_ask *ask,
                      struct samples **samples, struct err *e);

#endif
