/* SPDX-License-Identifier: BSD-3-Clause */
/* key.h - a hash over everything that decides the record of a question.
 *
 * It covers the question, the program (version, git state, engine), the gates with their evidence, and the bytes of
 * every file that was opened for it; what only says how a question was put (its command line) is left out.
 * Units: none. Errors: RC_IO of files. Ownership: none. Edges: equal questions have equal keys. */
#ifndef SIM_STUDY_KEY_H
#define SIM_STUDY_KEY_H

#include "sim/study/study.h"

/* Who answers, and with which evidence behind the licences. */
struct question_program {
    const char *version, *git, *engine_version;
    const struct gate_result *gates; /* borrowed from the study */
    size_t n_gates;
};
struct question_program question_program(const struct study *s);

/* in: the question's inputs, the traffic aside. more: what else decides, such as why they could not be loaded, with
 * in NULL. */
enum rc question_key(const struct question *q, const struct question_program *program, const struct inputs *in,
                     const char *more, char key[static HASH_TEXT], struct err *e);

#endif
