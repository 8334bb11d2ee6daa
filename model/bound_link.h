/* SPDX-License-Identifier: BSD-3-Clause */
/* bound_link.h - the load of the link that a call keeps busy longest, as the bounds state it.
 *
 * Units: bytes and seconds.
 * Errors: none.
 * Ownership: plain data, nothing to release.
 * Edges: link is -1 and every load 0 where nothing moves. */
#ifndef MODEL_BOUND_LINK_H
#define MODEL_BOUND_LINK_H

#include "workloads/call.h"

struct bound_link {
    int link; /* index in the topology; -1 when nothing moves */
    double bytes; /* over all stages */
    double busy_s; /* bytes / capacity plus per-message costs */
    double tier_bytes[TIER_MAX], tier_messages[TIER_MAX]; /* of the call */
};

#endif
