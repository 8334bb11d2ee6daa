/* SPDX-License-Identifier: BSD-3-Clause */
/* router.h - the router of a model: which experts a token takes by their scores, within groups of experts.
 *
 * The router's groups are n_group equal blocks of consecutive logical experts, whatever machine they lie on. A token
 * has a score for every expert, scores every group by its experts, keeps the topk_group best groups, and takes its
 * best experts there. A machine limit may follow: of what is left, only the best `limit` of `machine_groups` blocks.
 * Scores: w u / (1 - u + w u) with u uniform, that is the sigmoid of ln w + logistic noise, independent per token and
 * expert; w is the popularity, with mean 1. Formulas: [M9], [M16], [M10].
 * Source: top2-sum: DeepSeek-V3 (arXiv:2412.19437, topk_method noaux_tc of its config.json); max: DeepSeek-V2
 * (arXiv:2405.04434, group_limited_greedy). The noise is our assumption.
 * Units: counts; scores lie in 0..1.
 * Errors: RC_RANGE when groups do not divide the experts or leave fewer than top_k of them.
 * Ownership: selection_free() releases; everything else is borrowed.
 * Edges: n_group 0 or 1, or topk_group equal to n_group: there is nothing to choose among, and the router does not
 * act. */
#ifndef WORKLOADS_DRAW_ROUTER_H
#define WORKLOADS_DRAW_ROUTER_H

#include <stdbool.h>

#include "platforms/base/err.h"
#include "platforms/base/rng.h"

enum group_score { GROUP_TOP2_SUM, GROUP_MAX };

struct router {
    int n_group, topk_group; /* as config.json names them; 0: not given */
    int group_score;         /* enum group_score */
};

/* Returns whether a router keeps a token from some experts. */
bool router_acts(const struct router *r);

/* Checks the groups of a router against the experts; a router that is not given passes. */
enum rc router_check(const struct router *r, int experts, int top_k, struct err *e);

/* Returns the fewest experts that a token is left with by the router and then by the best `limit` of machine_groups
 * equal blocks, limit >= 1; the router must have passed router_check(). */
int router_least(const struct router *r, int experts, int machine_groups, int limit);

/* Returns the most of the experts first .. end - 1 that the groups of one token can hold. */
int router_most(const struct router *r, int experts, int first, int end);

struct selection_ask {
    int experts, top_k;
    struct router router;
    int machine_groups, limit; /* limit 0: the machine sets none */
    const double *weight;      /* popularities [experts], any positive multiple; 0 is allowed, all 0 is not */
};

/* Tokens of one router, drawn one after the other. */
struct selection;
/* Returns the selection of a router with its machine limit. */
struct selection *selection_build(const struct selection_ask *ask);
void selection_free(struct selection *s); /* NULL is allowed */

/* Draws the top_k distinct experts of one token into ids, the best first. */
void selection_draw(struct selection *s, struct rng *r, int *ids);

#endif
