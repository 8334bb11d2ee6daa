/* SPDX-License-Identifier: BSD-3-Clause */
/* platform.h - one machine: groups of ranks, a fast tier inside a group and a slow tier between groups; between
 * these two there may be more.
 *
 * Units: SI; every bandwidth is one direction, per rank.
 * Tiers are numbered from the inside; which ranks they join: domains.h. Fixed costs: alpha.h.
 * Errors: RC_IO, RC_SYNTAX, RC_SCHEMA, RC_UNIT, RC_RANGE; outputs untouched on failure.
 * Ownership: plat_load() returns a platform that plat_free() releases with all its texts and lists. */
#ifndef PLATFORMS_PLATFORM_H
#define PLATFORMS_PLATFORM_H

#include <stdint.h>

#include "platforms/domains.h"
#include "platforms/fabric.h"

#define PLATFORM_SCHEMA "moesim/platform/1"
#define PLATFORM_DEFAULT "dgx-h100"

struct plat_tier {
    const char *name; /* "fast", "slow", or what the file says */
    int64_t joins;    /* of a tier in between: domains of the tier below in one of its own */
    int counts_as;    /* enum plat_class */
    struct quantity bandwidth_Bps;
    struct quantity latency_s;
    struct quantity x_half_bytes;     /* half-performance message size, FORMULAS.md [F2] */
    struct quantity message_cost_s;   /* per-message cost o; given instead of x_half */
    struct quantity oversubscription; /* slow tier: a group's (or leaf's) ports over its uplink, >= 1 */
    struct plat_fabric fabric;
};

/* What a library makes of a tier: which of its two efficiencies and message costs hold there. */
enum plat_class { CLASS_FAST, CLASS_SLOW };

/* A link that does not do what the tiers say; the name is one of topology.h, or "rank-N" for all of a rank's. */
struct plat_degraded {
    const char *link;
    struct quantity factor; /* of the capacity, 0 <= factor <= 1; 0: failed */
};
struct plat_background {
    const char *link;
    struct quantity rate_Bps; /* taken by others, all the time */
};

struct platform {
    const char *schema;
    const char *name;
    const char *description;
    const char *implementation; /* default of --implementation */
    int64_t groups;
    int64_t ranks_per_group;      /* of the largest group */
    const char *group_sizes;      /* NULL: all groups are of one size */
    struct quantity ratio;        /* slow bandwidth = fast bandwidth / ratio, instead of slow.bandwidth */
    struct quantity ratio_probed; /* a measured ratio, for information */
    int n_tiers;
    struct plat_tier tier[TIER_MAX]; /* the first n_tiers, from the inside */
    struct key_list middle;          /* struct plat_tier: those between fast and slow */
    struct plat_domains domains[TIER_MAX];
    struct quantity port_bandwidth_Bps;       /* given: both tiers share one port of this rate each way */
    struct quantity copy_bandwidth_Bps;       /* given: all that a rank sends and receives, in sum */
    struct quantity collective_bandwidth_Bps; /* one hop in the closed form; default: the widest tier's */
    struct quantity splits_sync_s;            /* host readback of split sizes between the hops */
    struct key_list alpha;                    /* struct plat_alpha */
    struct key_list alpha_treatments;         /* struct plat_treatment */
    struct key_list degraded;                 /* struct plat_degraded */
    struct key_list background;               /* struct plat_background */

    struct yaml_doc *doc;
};

extern const struct key platform_keys[];
extern const struct key plat_tier_keys[]; /* struct plat_tier */
extern const struct key plat_edge_keys[]; /* struct plat_edge */

/* Settings are paths such as "slow.bandwidth": --set with the leading "platform." taken off.
 * Loads a built-in platform by name, or a file by its path (anything with a slash or ending in .yaml). */
enum rc plat_load(const char *name_or_path, const struct setting *settings, size_t n_settings,
                  struct platform **platform, struct err *e);
void plat_free(struct platform *p); /* NULL is allowed */

/* Works out again what follows from other constants: the slow bandwidth of a platform that states `ratio`. */
void plat_settle(struct platform *p);

/* Per-message cost o of a tier, seconds: message_cost, or x_half / bandwidth. FORMULAS.md [F2] */
double plat_message_cost_s(const struct platform *p, enum tier tier);

/* "16 groups x 8 ranks", "4 racks x 4 groups x 8 ranks", "3 groups of ranks 2x8 1x4". */
void plat_shape(const struct platform *p, struct buf *out);

/* Widest tier that joins anything; the same up to a tier. */
enum tier plat_widest(const struct platform *p);
enum tier plat_widest_in(const struct platform *p, enum tier tier);
/* The map of a tier in the file. */
const struct yaml_node *plat_tier_node(const struct platform *p, enum tier tier);
/* Finds a tier by name, or -1. */
int plat_find_tier(const struct platform *p, const char *name);

/* Bandwidth that the closed form charges a one-hop call with. */
double plat_collective_bandwidth_Bps(const struct platform *p);

/* Fast over slow bandwidth per rank as the file states them; -1 where there is none, with the reason. */
double plat_hierarchy_ratio(const struct platform *p);
const char *plat_no_ratio(const struct platform *p); /* NULL: there is one */

#endif
