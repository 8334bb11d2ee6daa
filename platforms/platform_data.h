/* SPDX-License-Identifier: BSD-3-Clause */
/* platform_data.h - what is known of one machine: its tiers, which ranks they join, its constants.
 *
 * platform.h answers questions about it and loads it; which ranks a tier joins: domains.h; fixed costs: alpha.h.
 * Units: SI; every bandwidth is one direction, per rank.
 * Shapes: tier[] and domains[] hold n_tiers entries, from the inside.
 * Errors: none.
 * Ownership: all texts and lists belong to the document `doc`.
 * Edges: a text that the file does not give is NULL, a quantity has `given` false. */
#ifndef PLATFORMS_PLATFORM_DATA_H
#define PLATFORMS_PLATFORM_DATA_H

#include <stdint.h>

#include "platforms/fabric.h"

enum tier { TIER_FAST, TIER_MAX = 4 };
enum { RANKS_MAX = 16384 };

/* The domains of a tier. */
struct plat_domains {
    int n;
    int ends;     /* most domains of the tier below, or ranks, that one of them joins */
    int *first;   /* [n + 1] first rank */
    int *of_rank; /* [ranks] */
};

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

/* Which groups a job that is smaller than the machine runs on. */
enum plat_layout { LAYOUT_PACKED, LAYOUT_SPREAD };

/* A link that does not do what the tiers say. Its name is one that topology.h gives, "rank-N" for all links of a rank,
 * or "group-N". */
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
    int64_t used_groups;          /* groups that the job runs on; 0: all */
    int used_layout;              /* enum plat_layout: which ones */
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

extern const struct key platform_keys[];  /* struct platform */
extern const struct key plat_tier_keys[]; /* struct plat_tier */
extern const struct key plat_edge_keys[]; /* struct plat_edge */

#endif
