/* SPDX-License-Identifier: BSD-3-Clause */
/* fluid_parts.h - what the files of the engine `fluid` share: its links, bundles and levels.
 *
 * Flows on one route at one time are a bundle: they have one rate. A link has an entry for each bundle that passes it.
 * The level of a link is the rate that it gives to every flow that it holds back; INFINITY while it is not full. A
 * flow's rate is the least level on its way. Levels are the one solution of
 *     sum over a link's flows of min(level, least level of the flow's other links) = capacity, or level = INFINITY.
 * All flows that a link holds back are served alike, so the link has one virtual clock, in units of payload, and a
 * bundle is looked at only when another link begins to hold it back. FORMULAS.md [S9]
 * Units: seconds of the engine's clock, payload, payload per second.
 * Errors: none; a solver that does not come to rest is a bug and ends the process.
 * Ownership: fluid.c makes and releases all of it. */
#ifndef SIM_ENGINE_FLUID_PARTS_H
#define SIM_ENGINE_FLUID_PARTS_H

#include <stddef.h>

#include "sim/engine/flow.h"
#include "sim/engine/fluid_list.h"

enum { FLUID_NONE = -1, FLUID_BLOCK = 32 };

/* Of a level: of a link that is not full, of one that is, to be computed again. */
enum fluid_state { FLUID_SPARE, FLUID_FULL, FLUID_QUEUED };

struct fluid_link {
    double capacity;
    double flows;        /* passages of flows over it */
    double clock, since; /* payload served to each flow held here, counted from some start, and when it was so much */
    double first;        /* least end[]; INFINITY: nothing is held */
    int n, room;         /* entries */
    int width;           /* other links of an entry, at most */
    int held;            /* bundles */
    int heavy;           /* entries of a weight above 1 */
    int repeated;        /* entries whose flows pass it more than once */
    bool stale;          /* `first` must be looked for */
    bool touched;        /* its next end must be computed */
    int *bundle;         /* [n] */
    int *other;          /* [n * width] the bundle's other links, filled up with a link that is never full */
    double *weight;      /* [n] passages: flows of the bundle, times how often one passes */
    double *end;         /* [n] when its first flow ends, on `clock`; INFINITY: another link holds it back */
};

struct fluid_flow {
    double key; /* payload served to each flow of its bundle when it ends */
    int64_t tag;
};

struct fluid_bundle {
    int n_links;
    int held;               /* which of its links holds it back; FLUID_NONE: not known yet */
    int n, room;            /* flows; 0: not in use */
    bool moving;            /* is in moving[] */
    double metered;         /* payload served to each flow that has been counted */
    struct fluid_flow *heap; /* least key first */
};

struct fluid_dirty {
    double key;
    int link;
};

struct fluid_alarm {
    double at;
    int64_t tag;
};

struct flows {
    struct flow_hooks hooks;
    bool checked;
    double now;
    struct flow_cost cost;
    int n_links, room_links;
    struct fluid_link *links;
    double *level;          /* [n_links + 1]; the last one is never full and fills up entries */
    unsigned char *state;   /* [n_links + 1] */
    double *floor;  /* [n_links + 1] rates below it need not be told to a link; INFINITY: none need; -1: all must */
    double *budget; /* [n_links] of a spare link: capacity - sum of max(rate, floor), at least 0 */
    double *next;           /* [n_links, up to whole blocks] next end of a flow held by the link */
    double *next_of_block;
    struct fluid_dirty *queue; /* links to compute, lowest level first */
    int n_queue;
    struct fluid_list touched; /* links */
    struct fluid_list moving;  /* bundles that may have come to another link */
    double *others;            /* [room_others] least level on the rest of the way, of each entry of one link */
    int *picked;               /* [room_others] entries that a new level may concern */
    int room_others;

    struct fluid_bundle *bundles;
    int n_bundles, room_bundles;
    int stride;          /* links of a route, at most */
    int *route, *slot;   /* [bundle * stride + i] link, each once, and its entry there */
    int *times;          /* [bundle * stride + i] how often a flow passes it */
    int *way, *way_times; /* [room_way] the same of the flow that starts */
    int room_way;
    struct fluid_list unused;
    struct fluid_list ending; /* bundles of which a flow ends in this instant */
    double *ending_key;       /* [ending.room] */
    int room_ending;
    int64_t live; /* flows */

    int64_t *tags; /* of one instant */
    size_t n_tags, room_tags;
    struct fluid_alarm *alarms; /* heap */
    size_t n_alarms, room_alarms;

    bool metered;
    double *carried;
    int bins, bin; /* number of bins, the one that is filled */
    double bin_width, *binned;
};

/* fluid_level.c */
void fluid_queue_link(struct flows *f, int link); /* its level is to be computed */
void fluid_solve(struct flows *f);
double fluid_other_level(const struct flows *f, const int *links, int n, int except); /* least of the others */

/* fluid_clock.c */
void fluid_sync(struct flows *f, int link); /* brings its clock up to now */
void fluid_touch(struct flows *f, int link);
void fluid_hold(struct flows *f, int bundle); /* by the lowest link on its way */
void fluid_refresh(struct flows *f);          /* next ends of the links touched */
double fluid_next_end(const struct flows *f);
double fluid_served(const struct flows *f, int bundle); /* payload to each of its flows, by now */
void fluid_find_ending(struct flows *f, double until); /* fills ending[] */

/* fluid_bundle.c */
void fluid_start(struct flows *f, const int *links, int n, double payload, int64_t tag);
void fluid_end(struct flows *f, int bundle, double key); /* of its flows up to the key, at least the first one */

/* fluid_meter.c */
void fluid_meter_bundle(struct flows *f, int bundle, double served);
double fluid_bin_end(const struct flows *f); /* INFINITY without bins */
void fluid_next_bin(struct flows *f);        /* at its end */

/* fluid_check.c: whether the rates of this moment are max-min fair; otherwise says in `why` where not. */
bool fluid_is_fair(const struct flows *f, char why[static 200]);

#endif
