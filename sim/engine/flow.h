/* SPDX-License-Identifier: BSD-3-Clause */
/* flow.h - flows that share links max-min fairly: what an engine offers, as a table of functions.
 *
 * There are two engines: SimGrid (flow.cpp) and our own (fluid.c). One flow alone takes exactly payload / (smallest
 * capacity on its way); no engine knows latency. All that lies within flow_instant() of the first thing to happen
 * is one instant, for equal ends come apart by rounding: at its end hooks are called for timers first, then for
 * the flows that have ended, each in order of their tags. A function called from a hook sees the end of the
 * instant, and may start flows and timers.
 * Order of calls: open(), link() for each link, seal(), then any number of runs: reset(), meter() and bins() where
 * wanted, start() and timer(), run(); close().
 * Units: seconds; payload is any integer unit and capacities are that unit per second.
 * Edges: a run without flows and timers ends at once; a payload below 1 is not allowed.
 * Errors: none are returned. Capacities must be positive and finite, delays not negative; SimGrid ends the process on
 * what it does not accept.
 * Ownership: close() releases what open() returned; NULL is allowed. SimGrid keeps global state: open() may be called
 * once in a process, and close() leaves that state alone. */
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

/* A flow may end so many seconds early with SimGrid. */
#define FLOW_RESOLUTION 1e-12

/* Returns how long an instant is that begins at now_s. */
static inline double flow_instant(double now_s) {
    const double least_s = 1e-13, digits_s = 32 * 2.3e-16 * now_s;
    return digits_s > least_s ? digits_s : least_s;
}

struct flow_options {
    bool apart;   /* flows fall apart into many groups that share no link: SimGrid then looks only at flows whose rates
                     change, which is slower where all hang together */
    bool checked; /* `fluid` proves its rates at every instant and ends the process when they are not max-min fair */
};

/* What a run has cost. */
struct flow_cost {
    uint64_t steps;  /* instants */
    uint64_t levels; /* of links, computed; 0: the engine does not say */
};

struct flows; /* the network of an engine */

struct flow_engine {
    const char *name;
    struct flows *(*open)(const struct flow_options *options);
    void (*close)(struct flows *);
    int (*link)(struct flows *, double capacity); /* returns the link's number: 0, 1, .. */
    void (*seal)(struct flows *);

    /* Puts the clock to 0 for the next run and forgets what links have carried. */
    void (*reset)(struct flows *, const struct flow_hooks *hooks);

    /* Starts a flow of at least 1 unit of payload over n >= 1 links. One that is named twice carries it twice. */
    void (*start)(struct flows *, const int *links, int n, int64_t payload, int64_t tag);
    void (*timer)(struct flows *, double delay_s, int64_t tag);
    double (*now)(const struct flows *);
    void (*run)(struct flows *); /* until no flow is left and no timer is set */

    /* Payload that went over a link in this run, the integral of its rate; measured where meter() was called after
     * reset(). */
    void (*meter)(struct flows *);
    double (*carried)(const struct flows *, int link);

    /* Counts it over time too, in `bins` bins of equal width from the start of the run. The width is the given one
     * times a power of two, so that the run fits. To be called after meter(). */
    void (*bins)(struct flows *, int bins, double width);
    double (*bin_width)(const struct flows *);
    double (*binned)(const struct flows *, int link, int bin);
    struct flow_cost (*cost)(const struct flows *);
};

extern const struct flow_engine flow_simgrid, flow_fluid;

/* Fills in the version of the SimGrid library that is linked. */
void flow_version(int *major, int *minor, int *patch);

#ifdef __cplusplus
}
#endif

#endif
