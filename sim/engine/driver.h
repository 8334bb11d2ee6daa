/* SPDX-License-Identifier: BSD-3-Clause */
/* driver.h - plays a plan on an engine: messages with dependencies, a send queue per rank and
 * exchange.
 *
 * A rank enters exchange after exchange, as plan.h says; before it enters one it does its local
 * work (splits, chain) and pays alpha. Then it posts its pieces, piece 0 to all peers in its
 * order, then piece 1, .., each as soon as it is released and the window has a free slot. A posted
 * piece holds its slot until its last byte has left, waiting included: until the piece of its
 * message before it has left, then, in order of posting, until its peer has entered too
 * (rendezvous) and has a receive slot. Before its payload moves it occupies the egress port that
 * carries the per-message cost.
 * Model: FORMULAS.md [S1]..[S7].
 * Units: SI.
 * Errors: RC_RANGE, RC_ENGINE (messages that never arrive, a link that carried other bytes).
 * Ownership: with SimGrid driver_open() is called once in a process; driver_close() releases. */
#ifndef SIM_ENGINE_DRIVER_H
#define SIM_ENGINE_DRIVER_H

#include "sim/engine/play.h"
#include "workloads/costs.h"

struct driver;
enum rc driver_open(const struct plan *plan, struct driver **driver, struct err *e);
/* costs[n_calls] */
enum rc driver_play(struct driver *d, const struct costs *costs, struct play *play, struct err *e);
void driver_close(struct driver *d);

#endif
