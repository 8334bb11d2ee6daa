/* SPDX-License-Identifier: BSD-3-Clause */
/* platform.h - one machine: groups of ranks, a fast tier inside a group and a slow tier between groups.
 *
 * Units: SI; every bandwidth is one direction, per rank.
 * Ranks are numbered group by group: rank = group * ranks_per_group + local index.
 * Errors: RC_IO, RC_SYNTAX, RC_SCHEMA, RC_UNIT, RC_RANGE; outputs untouched on failure.
 * Ownership: plat_load() returns a platform that plat_free() releases with all its texts and lists. */
#ifndef PLATFORMS_PLATFORM_H
#define PLATFORMS_PLATFORM_H

#include <stdint.h>

#include "platforms/fabric.h"

#define PLATFORM_SCHEMA "moesim/platform/1"
#define PLATFORM_DEFAULT "dgx-h100"

enum tier { TIER_FAST, TIER_SLOW, TIER_COUNT };
const char *tier_name(enum tier tier); /* "fast", "slow" */

enum regime { REGIME_AHEAD, REGIME_OBSERVED };
const char *regime_name(enum regime regime); /* "ahead", "observed" */
enum alpha_phase { ALPHA_ANY, ALPHA_DISPATCH, ALPHA_COMBINE };
enum span { SPAN_ANY, SPAN_FAST, SPAN_SLOW }; /* widest tier that a collective reaches */

struct plat_tier {
    struct quantity bandwidth_Bps;
    struct quantity latency_s;
    struct quantity x_half_bytes;     /* half-performance message size, FORMULAS.md [F2] */
    struct quantity message_cost_s;   /* per-message cost o; given instead of x_half */
    struct quantity oversubscription; /* slow tier: a group's (or leaf's) ports over its uplink, >= 1 */
    struct plat_fabric fabric;
};

struct plat_alpha_entry {
    int64_t world;
    int span; /* enum span */
    struct quantity time_s;
};

/* Fixed cost of one collective, of one implementation on this machine. */
struct plat_alpha {
    const char *implementation;
    const char *borrow;   /* take the table of this built-in platform instead of own entries */
    const char *includes; /* what the times contain, in words */
    int regime;           /* enum regime */
    int phase;            /* enum alpha_phase: which direction the times belong to */
    struct key_list entries; /* struct plat_alpha_entry, by rising world once loaded */
};

/* A named assumption about the fixed cost where it is not known. */
struct plat_treatment {
    const char *name;
    const char *borrow;      /* the table of this built-in platform */
    struct key_list entries; /* or own entries; neither: 0 */
};

/* A link that does not do what the tiers say; the name is one of topology.h, or "rank-N" for all of a rank's. */
struct plat_degraded {
    const char *link;
    struct quantity factor; /* of the capacity, 0 < factor <= 1 */
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
    int64_t ranks_per_group;
    struct quantity ratio;        /* slow bandwidth = fast bandwidth / ratio, instead of slow.bandwidth */
    struct quantity ratio_probed; /* a measured ratio, for information */
    struct plat_tier tier[TIER_COUNT];
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

/* Settings are paths such as "slow.bandwidth": --set with the leading "platform." taken off.
 * Loads a built-in platform by name, or a file by its path (anything with a slash or ending in .yaml). */
enum rc plat_load(const char *name_or_path, const struct setting *settings, size_t n_settings,
                  struct platform **platform, struct err *e);
void plat_free(struct platform *p); /* NULL is allowed */

int plat_ranks(const struct platform *p);
int plat_group_of(const struct platform *p, int rank);
int plat_local_of(const struct platform *p, int rank);

/* Per-message cost o of a tier, seconds: message_cost, or x_half / bandwidth. FORMULAS.md [F2] */
double plat_message_cost_s(const struct platform *p, enum tier tier);

/* Widest tier that a collective over `groups_spanned` groups reaches. */
enum tier plat_widest(const struct platform *p, int groups_spanned);

/* Bandwidth that the closed form charges a one-hop call with. */
double plat_collective_bandwidth_Bps(const struct platform *p);

/* Fast over slow bandwidth per rank as the file states them; -1 where there is none, with the reason. */
double plat_hierarchy_ratio(const struct platform *p);
const char *plat_no_ratio(const struct platform *p); /* NULL: there is one */

/* --- fixed cost ---------------------------------------------------------------------------- */

struct alpha_answer {
    bool known;         /* a listed world, or between two listed ones */
    bool interpolated;
    double time_s;      /* meaningless unless known */
    enum status status; /* weakest of the entries used */
    char reason[200];   /* why it is not known, or between which worlds it was interpolated */
};

/* Looks up alpha of an implementation for a collective of `world` ranks. A world of 1 costs nothing: there is
 * no exchange. Low-confidence entries are outside the coverage. FORMULAS.md [F3] */
void plat_alpha(const struct platform *p, const char *implementation, int world, enum tier span,
                enum regime regime, struct alpha_answer *answer);

/* The same for one direction; a table that names its direction goes before one that does not. */
void plat_alpha_phase(const struct platform *p, const char *implementation, enum alpha_phase phase,
                      int world, enum tier span, enum regime regime, struct alpha_answer *answer);

/* True when the table that answers says that its times contain `what` ("latency", "counts"). */
bool plat_alpha_includes(const struct platform *p, const char *implementation, enum alpha_phase phase,
                         enum regime regime, const char *what);

/* The same under the treatment of index i (0 .. alpha_treatments.n - 1): always a number, clamped. */
double plat_treatment_alpha_s(const struct platform *p, size_t i, int world, enum tier span);

/* The paper's rule: piecewise linear in the world, clamped at both ends, all entries used. [F3] */
double plat_alpha_clamped_s(const struct plat_alpha_entry *entries, size_t n, int world, enum tier span);

#endif
