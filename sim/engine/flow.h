/* SPDX-License-Identifier: BSD-3-Clause */
/* flow.h - flows that share links max-min fairly, played by SimGrid: what we use of it, in C.
 *
 * One flow alone takes exactly payload / (smallest capacity on its way); there is no latency here.
 * SimGrid keeps global state, so there is one network per process and these functions act on it.
 * Order of calls: flow_open(), flow_link() for each link, flow_seal(), then any number of runs:
 * flow_reset(), flow_start() .., flow_run(). Callbacks run inside flow_run() and may start flows
 * and timers.
 * Units: seconds; payload is any integer unit and capacities are that unit per second.
 * Errors: none are returned; SimGrid aborts the process on what it does not accept. */
#ifndef SIM_ENGINE_FLOW_H
#define SIM_ENGINE_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct flow_hooks {
    void (*flow_done)(void *context, int64_t tag); /* all payload has left the last link */
    void (*timer)(void *context, int64_t tag);
    void *context;
};

/* Events closer than this many seconds are one event, and a flow may end so much early. */
#define FLOW_RESOLUTION 1e-12

/* lazy: SimGrid looks only at flows whose rates change, which is faster when flows fall apart into
 * many groups that share no link, and slower when all hang together. */
void flow_open(bool lazy);
int flow_link(double capacity); /* returns the link's number: 0, 1, .. */
void flow_seal(void);

/* Puts the clock to 0 for the next run and forgets what links have carried. */
void flow_reset(const struct flow_hooks *hooks);

/* Starts a flow of at least 1 unit of payload over n >= 1 distinct links. */
void flow_start(const int *links, int n, int64_t payload, int64_t tag);
void flow_timer(double delay_s, int64_t tag);
double flow_now(void);
void flow_run(void); /* until no flow can move and no timer is set */

/* Payload that went over a link in this run, the integral of its rate; measured where flow_meter() was called after
 * flow_reset(). */
void flow_meter(void);
double flow_carried(int link);

/* Counts it over time too, in `bins` bins of equal width from the start of the run. The width is
 * the given one times a power of two, so that the run fits. To be called after flow_meter(). */
void flow_bins(int bins, double width);
double flow_bin_width(void);
double flow_binned(int link, int bin);
uint64_t flow_steps(void); /* advances of the clock in this run */
void flow_version(int *major, int *minor, int *patch);

#ifdef __cplusplus
}
#endif

#endif
