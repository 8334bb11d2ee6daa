/* SPDX-License-Identifier: BSD-3-Clause */
/* choice.h - how a token chooses its experts: the four routing modes over one draw, and the model's own router.
 *
 * Experts are split into n_groups groups of the machine, consecutive blocks of experts / n_groups. A token of mode
 *   global_topk    draws k of all experts;
 *   quota_only     draws k / n_groups in every group;
 *   full           draws M groups, then k / M experts in each;
 *   group_limited  has a score for every expert, takes the M groups with the best mean of their two highest scores,
 *                  then its k best experts there; it may end up in fewer than M groups.
 * Where the model's router acts (router.h: groups of logical experts, independent of the machine), global_topk takes
 * the k best scores in the router's groups, and group_limited chooses M groups among what the router leaves.
 * Model: without scores the draws are conditional Poisson (sampler.h) with exactly the inclusion probabilities asked
 * for [M4]. By scores: loads follow the weights, but are not proportional to them [M9], [M16].
 * Source: selection rules of the T-Route router (the paper and its artifact) and of DeepSeek's; the noise is our
 * assumption.
 * Units: counts and probabilities.
 * Errors: RC_RANGE when the mode's or the router's conditions do not hold.
 * Ownership: choice_free() releases.
 * Edges: router {0} stands for no router. */
#ifndef WORKLOADS_DRAW_CHOICE_H
#define WORKLOADS_DRAW_CHOICE_H

#include "platforms/base/err.h"
#include "platforms/base/rng.h"
#include "workloads/draw/router.h"

enum routing_mode { MODE_GLOBAL_TOPK, MODE_FULL, MODE_GROUP_LIMITED, MODE_QUOTA_ONLY, MODE_COUNT };

struct choice_shape {
    int mode; /* enum routing_mode */
    int experts, top_k;
    int n_groups;
    int group_limit; /* M; full and group_limited */
    struct router router; /* the model's own; global_topk and group_limited */
};

/* Returns whether tokens choose by scores: draws then take weights, and loads are measured. */
bool choice_by_scores(const struct choice_shape *s);

/* Checks the conditions of the mode and of the router. */
enum rc choice_check(const struct choice_shape *s, enum routing_mode mode, struct err *e);

/* Returns the most experts of one group, hence of one rank in it, that a token can choose. */
int choice_most_inside(const struct choice_shape *s);

/* Fills into[n] with min(1, c weight), c chosen so that they sum to k: the shares of experts of which a token has each
 * at most once. Every weight is positive, or at least k of them are. */
void choice_shares(const double *weight, int n, int k, double *into);

/* Fills into[experts] with the inclusion probability of each expert under these weights: exact without scores; by
 * scores measured on `tokens` tokens, which are drawn with a seed of their own. */
void choice_inclusion(const struct choice_shape *s, const double *weight, int tokens, double *into);

struct choice;

/* Builds a choice. inclusion[experts] is what choice_inclusion() gives (summing to k, and in each group to what the
 * mode takes there); for group_limited it holds the weights themselves. */
enum rc choice_build(const struct choice_shape *s, const double *inclusion, struct choice **choice,
                     struct err *e);
void choice_free(struct choice *c); /* NULL is allowed */

/* Draws one token's k distinct experts into ids. */
void choice_draw(struct choice *c, struct rng *r, int *ids);

/* Returns the probability that a token has no row on a place, where expert ids[i] (rising) has a row there with
 * probability 1 - keep[i]. For choices without scores only. */
double choice_miss(const struct choice *c, const int *ids, const double *keep, int n);

#endif
