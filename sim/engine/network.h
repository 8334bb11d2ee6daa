/* SPDX-License-Identifier: BSD-3-Clause */
/* network.h - the links of a plan's topology as SimGrid's, on a clock that suits it.
 *
 * Links keep their numbers. When bytes are counted over time, beside each egress port stands a second
 * link, its meter, that only its per-message costs pass: never narrower than the port, it changes no
 * rate. */
#ifndef SIM_ENGINE_NETWORK_H
#define SIM_ENGINE_NETWORK_H

#include "sim/engine/messages.h"

/* SimGrid's clock = seconds x 2^this. */
int network_time_scale(const struct plan *plan);

/* To be called once in a process. Fills meters[link], -1 where there is none. */
void network_open(const struct plan *plan, const struct messages *messages, int time_scale,
                  int *meters);

#endif
