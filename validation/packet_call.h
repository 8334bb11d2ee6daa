/* SPDX-License-Identifier: BSD-3-Clause */
/* packet_call.h - a case of a packet corpus as a call: leaves are groups, ports have one rate, only bytes cost.
 *
 * Units: SI. Errors: those of the readers. Ownership: bench_close() releases; the bench must not move meanwhile. */
#ifndef VALIDATION_PACKET_CALL_H
#define VALIDATION_PACKET_CALL_H

#include "validation/bench.h"
#include "validation/packet.h"

/* costs: each message pays the round trip of its way, as who waits for each acknowledgement does. */
enum rc packet_call_open(const struct packet_case *c, bool costs, struct bench *b, struct err *e);

#endif
