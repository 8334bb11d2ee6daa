/* SPDX-License-Identifier: BSD-3-Clause */
/* inputs.h - everything that a question needs, loaded and checked, and kept for the questions after it.
 *
 * Units: SI. Errors: those of the readers. Ownership: inputs_clear() releases what no memo holds; a memo's parts live
 * until its next question. Edges: without a memo every question loads for itself. */
#ifndef SIM_STUDY_INPUTS_H
#define SIM_STUDY_INPUTS_H

#include "platforms/base/manifest.h"
#include "sim/study/memo.h"
#include "sim/study/question.h"
#include "workloads/call.h"

/* Inputs of earlier questions, for the next ones: machine and workload by name and settings, as their files were
 * when they were read first; traffic by all that it comes from. inputs_memo_clear() releases. */
struct inputs_memo {
    struct memo machines, workloads, traffic;
};
struct inputs_memo inputs_memo(void);
void inputs_memo_clear(struct inputs_memo *m);

/* A traffic with what is known of it whatever the call. */
struct drawn {
    struct traffic *traffic;
    struct traffic_rho rho;
    bool same_per_rank; /* de-duplication per rank takes no row away */
};

/* Zero-initialise, then set memo. */
struct inputs {
    struct machine *machine; /* holds the next three */
    struct platform *platform;
    struct topology *topology;
    struct implementation *implementation;
    const char *constants_sha256; /* of the platform's files, those that it borrows from among them */
    bool imitation; /* the implementation has the name of a shipped one and is another */
    struct layer *layer; /* holds the workload */
    struct workload *workload;
    struct drawn *drawn; /* holds the traffic */
    const struct traffic *traffic;
    struct inputs_memo *memo; /* has all but enter_s; NULL: loaded, and released with the rest */
    double *enter_s; /* per rank; NULL: all enter at 0 */
};

/* Parts of the inputs; what a part needs is loaded with it. Questions that share a memo ask for the same parts. */
enum input_part { INPUT_PLATFORM = 1, INPUT_WORKLOAD = 2, INPUT_IMPLEMENTATION = 4, INPUT_TRAFFIC = 8 };
enum { INPUT_ALL = INPUT_PLATFORM | INPUT_WORKLOAD | INPUT_IMPLEMENTATION | INPUT_TRAFFIC };

enum rc inputs_load(const struct question *q, unsigned parts, struct inputs *in, struct err *e);
void inputs_clear(struct inputs *in);

/* Adds all files that were opened for a question: of platform, workload and implementation, what the workload reads,
 * then what was read on behalf of any of them (machines that are borrowed from). RC_IO */
enum rc inputs_files(const struct inputs *in, struct manifest *files, struct err *e);

#endif
