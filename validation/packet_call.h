/* SPDX-License-Identifier: BSD-3-Clause */
/* packet_call.h - a case of a packet corpus as a call: leaves are groups, ports have one rate, only bytes cost.
 *
 * Units: SI. Errors: those of the readers. Ownership: bench_close() releases; the bench must not move meanwhile.
 * Edges: a window of 0 is all messages at once. */
#ifndef VALIDATION_PACKET_CALL_H
#define VALIDATION_PACKET_CALL_H

#include "validation/bench.h"
#include "validation/packet.h"

/* Opens a case as a call. costs: each message pays the round trip of its way, as with a sender that waits for each
 * acknowledgement. */
enum rc packet_call_open(const struct packet_case *c, bool costs, struct bench *b, struct err *e);

#endif
