/* SPDX-License-Identifier: BSD-3-Clause */
/* workload.h - what one MoE layer asks of the network: geometry and routing.
 *
 * Units: counts; hidden is elements. Errors: RC_IO, RC_SYNTAX, RC_SCHEMA, RC_UNIT, RC_RANGE.
 * Ownership: workload_load() returns what workload_free() releases, texts included.
 * Edges: what a file does not give has its default; NULL, 0 or `given` false where there is none. */
#ifndef WORKLOADS_WORKLOAD_H
#define WORKLOADS_WORKLOAD_H

#include "platforms/platform.h"
#include "workloads/draw/choice.h"

#define WORKLOAD_SCHEMA "moesim/workload/1"
#define WORKLOAD_DEFAULT "olmoe-github"

enum routing_source { SOURCE_UNIFORM, SOURCE_TRACE, SOURCE_SYNTHETIC };
enum routing_draw { DRAW_SAMPLED, DRAW_EXPECTED };
enum routing_assign { ASSIGN_BLOCKS, ASSIGN_ROUND_ROBIN, ASSIGN_REQUEST };
enum routing_fill { FILL_EXACT, FILL_REPEAT };
enum routing_preset { PRESET_NONE, PRESET_MIXED_WEB, PRESET_ONE_DOMAIN, PRESET_BAD_LAYER };

struct routing_keys {
    int source;        /* enum routing_source */
    int mode;          /* enum routing_mode */
    int mode_written;  /* as the file says: `full` or `quota_only` may have become global_topk, see router.h */
    int64_t n_group, topk_group; /* of the model's router; 0: none */
    int group_score;   /* enum group_score */
    int draw;          /* enum routing_draw */
    const char *trace; /* path; relative to the workload's file, or to the current folder after --set */
    int record;        /* enum record_as, record_data.h */
    const char *model; /* long CSV with several sets: which one */
    const char *corpus;
    int64_t layer;     /* layer number as the trace names it */
    bool layer_given;
    /* synthetic: one target and the family that meets it, skew.h */
    int family;
    bool family_given;
    struct quantity rho_max, cv, exponent, hot_ratio;
    int64_t rho_ep; /* 0 = the platform's ranks */
    int preset;     /* enum routing_preset */
    struct quantity drift;
    struct quantity pair_sigma;
    /* token-level records, routes.h */
    int assign; /* enum routing_assign */
    int fill;   /* enum routing_fill */
    int suspected, zero_weight; /* 0 keep, 1 drop */
    int64_t router_experts; /* 0 = experts */
    int64_t batch;
    int64_t batch_rows, batch_valid; /* 0 = all rows count */
};

/* When ranks enter a call: late_rank says how much later one rank does. */
struct late_rank {
    int64_t rank;
    struct quantity by_s;
};
struct arrival_keys {
    struct quantity sigma_s; /* each rank enters |normal| x sigma late, drawn with the seed */
    struct key_list late;    /* struct late_rank, on top */
};

struct workload {
    const char *schema;
    const char *model; /* config.json that the geometry comes from, model_config.h; NULL: none */
    const char *name;
    const char *description;
    int64_t tokens_per_rank;
    int64_t experts;
    int64_t top_k;
    int64_t group_limit; /* M; 0 = none */
    int64_t hidden;
    int dtype;
    struct routing_keys routing;
    int placement;           /* enum placement_kind */
    int placement_remainder; /* enum remainder */
    int placement_packing;   /* enum packing */
    int64_t expert_groups;   /* eplb: 0 = n_group, otherwise the groups of ranks */
    int replica_choice;      /* enum replica_choice, replicas.h */
    struct quantity replica_cap;
    int shared_experts;      /* enum shared_experts, shared.h */
    int64_t placement_slots; /* 0 = no replicas beyond what fills the ranks evenly */
    const char *placement_file;
    const char *tokens_list; /* instead of tokens_per_rank for all, tokens.h */
    const char *tokens_file;
    struct quantity tokens_cv, tokens_idle;
    struct quantity capacity_factor; /* not given: no capacity */
    int capacity_policy;             /* 0 drop, 1 pad */
    int capacity_rounding;           /* 0 floor, 1 ceil */
    struct arrival_keys arrival;
    int64_t ep;               /* ranks of an EP group; 0 = all of the job, job.h */
    const char *ep_layout;
    const char *senders;      /* ranks of an EP group that have tokens; NULL: all */
    const char *expert_ranks; /* ranks of an EP group that hold experts; NULL: all */

    struct buf model_notes; /* what was read from `model`, one line each */
    char *placement_path, *tokens_path; /* resolved; NULL when not given */
    char *trace_path; /* resolved; NULL when the source is not a trace */
    struct yaml_doc *doc;
};

extern const struct key workload_keys[];

/* Loads a built-in workload by name or a file by its path, with the values of --set, and checks it. */
enum rc workload_load(const char *name_or_path, const struct setting *settings, size_t n_settings,
                      struct workload **workload, struct err *e);
void workload_free(struct workload *w); /* NULL is allowed */

/* Fills enter_s[ranks] and sets *skewed to whether ranks do not all enter at 0. RC_RANGE for a late rank above the
 * highest one. Where the job is not the whole machine, job_arrival() does this. */
enum rc workload_arrival(const struct workload *w, int ranks, uint64_t seed, double *enter_s, bool *skewed,
                         struct err *e);

/* Returns how many rows a token sends before any de-duplication: top_k, and one for shared experts that are sent. */
int64_t workload_slots(const struct workload *w);

/* Return the word of the element type, and its bytes. */
const char *workload_dtype_name(const struct workload *w);
double workload_element_bytes(const struct workload *w);

#endif
