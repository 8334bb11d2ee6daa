/* SPDX-License-Identifier: BSD-3-Clause */
/* result_messages.h - the largest messages of a call, with the times when they were under way.
 *
 * Units: SI. Errors: none. Ownership: belongs to a result. Edges: without messages n is 0. */
#ifndef SIM_STUDY_RESULT_MESSAGES_H
#define SIM_STUDY_RESULT_MESSAGES_H

#include "gates/claim.h"
#include "platforms/platform.h"

enum { RESULT_MESSAGES = 5000 };

struct result_message {
    const char *stage;
    int src, dst;
    enum tier tier; /* the widest that it uses */
    double bytes;
    struct claim start, end; /* it leaves its sender; it has arrived */
};

struct result_messages {
    struct result_message *items; /* the largest first; NULL: not asked for */
    size_t n;
    double left, left_bytes; /* not among them */
};

#endif
