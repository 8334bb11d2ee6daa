/* SPDX-License-Identifier: BSD-3-Clause */
/* A binary tree stands over the experts (padded with experts of probability 0 to a power of two). Draw
 * every expert on its own with probability p = odds / (1 + odds): a node's chance[j] is then the
 * probability that j of its experts are drawn, the convolution of its children's. Conditioned on k at the
 * root this is the conditional Poisson distribution, and no number leaves 0..1: sums of positive terms
 * only, no scaling. chance is kept up to j = k. rest[j] of a node is the probability that k - j are drawn
 * outside it. */
#include "workloads/draw/sampler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"

/* Inclusion probabilities come as fractions of counts: their sum is this exact, and one this near to 1 is
 * 1. */
static const double sum_tolerance = 1e-9, certain_tolerance = 1e-12;

struct sampler {
    int n, k;
    int leaves;
    double *inclusion; /* as asked, [n] */
    int *most; /* per node: min(k, leaves below), the last entry of its chance */
    size_t *at; /* per node: where its chance starts */
    double *chance;
    double
        *left_of_one; /* per inner node: if one is drawn below, the chance that it is on the left */
};

/* What is needed only until the odds are found. */
struct solver {
    struct sampler *s;
    double *target; /* the inclusion with sum exactly k, [leaves] */
    double *odds; /* [leaves], infinite for certain experts */
    double *rest; /* laid out as chance */
};

static double *chance(const struct sampler *s, int node) {
    return s->chance + s->at[node];
}

/* out[j] for j up to most: j experts below two children. split() adds the terms in the same order. */
static void combine(const double *left, const double *right, int most_child, double *out,
                    int most) {
    for (int j = 0; j <= most; j++) {
        double sum = 0;
        for (int x = j > most_child ? j - most_child : 0; x <= j && x <= most_child; x++)
            sum += left[x] * right[j - x];
        out[j] = sum;
    }
}

static void sweep_up(const struct solver *v) {
    const struct sampler *s = v->s;
    for (int i = 0; i < s->leaves; i++) {
        double *leaf = chance(s, s->leaves + i), odds = v->odds[i];
        leaf[0] = 1 / (1 + odds);
        leaf[1] = isinf(odds) ? 1 : odds / (1 + odds);
    }
    for (int node = s->leaves - 1; node >= 1; node--)
        combine(chance(s, 2 * node), chance(s, 2 * node + 1), s->most[2 * node], chance(s, node),
                s->most[node]);
}

static void sweep_down(const struct solver *v) {
    const struct sampler *s = v->s;
    v->rest[s->at[1] + (size_t)s->k] =
        1; // nothing is drawn outside the root; its other entries stay 0
    for (int node = 2; node < 2 * s->leaves; node++) {
        const double *sibling = chance(s, node ^ 1), *above = v->rest + s->at[node / 2];
        int most = s->most[node], most_above = s->most[node / 2];
        for (int j = 0; j <= most; j++) {
            double sum = 0;
            for (int x = 0; x <= most && j + x <= most_above; x++)
                sum += sibling[x] * above[j + x];
            v->rest[s->at[node] + (size_t)j] = sum;
        }
    }
}

/* Moves the odds towards the target, by Newton's step times a factor with only the diagonal of the covariance. Returns
 * the largest error of an inclusion probability before the move. */
static double improve(const struct solver *v, double step) {
    const struct sampler *s = v->s;
    double all = chance(s, 1)[s->k], worst = 0;
    for (int i = 0; i < s->leaves; i++) {
        if (!(v->odds[i] > 0) || isinf(v->odds[i]))
            continue;
        const double *leaf = chance(s, s->leaves + i), *rest = v->rest + s->at[s->leaves + i];
        double in = leaf[1] * rest[1] / all, out = leaf[0] * rest[0] / all;
        double ratio = v->target[i] * out / ((1 - v->target[i]) * in);
        if (!(ratio > 0) || isinf(ratio))
            return INFINITY; // below what a double holds
        worst = fmax(worst, fabs(in - v->target[i]));
        v->odds[i] *= step < 1 ? pow(ratio, step) : ratio;
    }
    return worst;
}

/* The eigenvalues of covariance / diagonal lie in 0..2 (draws without replacement are negatively associated): near 1
 * for many experts, where whole steps come to rest in a few rounds, 2 for two of them, where they never do. Steps of
 * 2/3 are right for both, and are taken once a whole one has gained little. */
static enum rc solve(const struct solver *v, struct err *e) {
    enum { ROUNDS = 200 }; // hard cases of three experts take 27
    double worst = INFINITY, before = INFINITY, step = 1;
    for (int round = 0; round < ROUNDS && worst > SAMPLER_TOLERANCE; round++) {
        sweep_up(v);
        sweep_down(v);
        worst = improve(v, step);
        if (worst > before / 4)
            step = 2.0 / 3;
        before = worst;
    }
    return worst <= SAMPLER_TOLERANCE
               ? RC_OK
               : err_set(e, RC_RANGE,
                         "no distribution of %d out of %d experts found for these probabilities "
                         "(off by %.3g)",
                         v->s->k, v->s->n, worst);
}

/* Fills target and odds. */
static enum rc check_inclusion(const struct solver *v, struct err *e) {
    const struct sampler *s = v->s;
    double sum = 0, open = 0;
    int certain = 0;
    for (int i = 0; i < s->n; i++) {
        double p = s->inclusion[i];
        if (!(p >= 0 && p <= 1 + certain_tolerance))
            return err_set(e, RC_RANGE, "probability %.17g of expert %d is outside 0..1", p, i);
        sum += p;
        if (p >= 1 - certain_tolerance)
            certain++;
        else
            open += p;
    }
    if (!(fabs(sum - s->k) <= sum_tolerance * s->k))
        return err_set(e, RC_RANGE, "probabilities sum to %.17g, expected %d", sum, s->k);
    // certain experts and rounding take nothing from the others: these sum to what is left of k
    double scale = open > 0 ? (s->k - certain) / open : 0;
    for (int i = 0; i < s->n; i++) {
        double p = s->inclusion[i];
        v->target[i] = p >= 1 - certain_tolerance ? 1 : fmin(p * scale, 1 - certain_tolerance);
        v->odds[i] = v->target[i] < 1 ? v->target[i] / (1 - v->target[i]) : INFINITY;
    }
    return RC_OK;
}

static void sampler_lay_out(struct sampler *s) {
    size_t nodes = 2 * (size_t)s->leaves, used = 0;
    s->most = mem_alloc(nodes, sizeof *s->most);
    s->at = mem_alloc(nodes, sizeof *s->at);
    for (int node = 1, below = s->leaves; node < 2 * s->leaves; node++) {
        s->most[node] = s->k < below ? s->k : below;
        s->at[node] = used;
        used += (size_t)s->most[node] + 1;
        if ((node & (node + 1)) == 0) // the last one of its level
            below /= 2;
    }
    s->chance = mem_alloc(used, sizeof *s->chance);
    s->left_of_one = mem_alloc((size_t)s->leaves, sizeof *s->left_of_one);
}

static void tabulate(struct sampler *s) {
    for (int node = 1; node < s->leaves; node++) {
        const double *left = chance(s, 2 * node), *right = chance(s, 2 * node + 1);
        double on_left = left[1] * right[0], on_right = left[0] * right[1];
        s->left_of_one[node] = on_left > 0 ? on_left / (on_left + on_right) : 0;
    }
}

enum rc sampler_build(const double *inclusion, int n, int k, struct sampler **sampler,
                      struct err *e) {
    if (k < 1 || k > n)
        return err_set(e, RC_RANGE, "cannot draw %d distinct experts of %d", k, n);
    struct sampler *s = mem_alloc(1, sizeof *s);
    *s = (struct sampler){.n = n, .k = k, .leaves = 1};
    while (s->leaves < n)
        s->leaves *= 2;
    s->inclusion = mem_alloc((size_t)n, sizeof *s->inclusion);
    memcpy(s->inclusion, inclusion, (size_t)n * sizeof *s->inclusion);
    sampler_lay_out(s);
    int last = 2 * s->leaves - 1;
    struct solver v = {.s = s,
                       .target = mem_alloc((size_t)s->leaves, sizeof *v.target),
                       .odds = mem_alloc((size_t)s->leaves, sizeof *v.odds),
                       .rest = mem_alloc(s->at[last] + (size_t)s->most[last] + 1, sizeof *v.rest)};
    enum rc rc = check_inclusion(&v, e);
    if (!rc)
        rc = solve(&v, e);
    free(v.target);
    free(v.odds);
    free(v.rest);
    if (rc) {
        sampler_free(s);
    } else {
        tabulate(s);
        *sampler = s;
    }
    return rc;
}

void sampler_free(struct sampler *s) {
    if (!s)
        return;
    free(s->inclusion);
    free(s->most);
    free(s->at);
    free(s->chance);
    free(s->left_of_one);
    free(s);
}

/* --- drawing ------------------------------------------------------------------------------------ */

/* Draws how many of `want` experts below a node are on its left. */
static int split(const struct sampler *s, int node, int want, struct rng *r) {
    const double *left = chance(s, 2 * node), *right = chance(s, 2 * node + 1);
    int most = s->most[2 * node], x = want > most ? want - most : 0, possible = x;
    double u = rng_unit(r) * chance(s, node)[want], sum = 0;
    for (; x <= want && x <= most; x++) {
        double term = left[x] * right[want - x];
        sum += term;
        if (u < sum)
            return x;
        if (term > 0)
            possible = x;
    }
    return possible; // u was rounded up to the whole sum
}

void sampler_draw(const struct sampler *s, struct rng *r, int *ids) {
    enum { DEPTH = 32 }; // levels of the tree; an int numbers its nodes
    struct {
        int node, want;
    } later[DEPTH];
    int n_later = 0, node = 1, want = s->k;
    for (int n = 0; n < s->k;) {
        while (want > 1) {
            int left = split(s, node, want, r);
            node *= 2;
            if (left == 0) {
                node++;
            } else {
                if (left < want) {
                    later[n_later].node = node + 1;
                    later[n_later++].want = want - left;
                }
                want = left;
            }
        }
        while (node < s->leaves)
            node = 2 * node + (rng_unit(r) >= s->left_of_one[node]);
        ids[n++] = node - s->leaves;
        if (n_later) {
            node = later[--n_later].node;
            want = later[n_later].want;
        }
    }
}

/* --- missing a place ---------------------------------------------------------------------------- */

/* Experts that may be lost on a place: expert[i] stays with probability keep[i]. */
struct place_of {
    const int *expert;
    const double *keep;
    int n;
};

/* First entry that is not below an expert. */
static int lower(const struct place_of *p, int expert) {
    int low = 0, high = p->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (p->expert[middle] < expert)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the number of levels above a node. */
static int node_depth(int node) {
    int depth = 0;
    for (; node > 1; node /= 2)
        depth++;
    return depth;
}

/* out[j]: chance that j experts are drawn below the node, each weighted with what it keeps. The node holds
 * leaf experts from .. from + size - 1. scratch holds two tables of k + 1 for each level. */
static void keep_below(const struct sampler *s, int node, int from, const struct place_of *p,
                       double *scratch, double *out) {
    int size = s->leaves >> node_depth(node), most = s->most[node], i = lower(p, from);
    bool outside = i == p->n || p->expert[i] >= from + size;
    if (outside || size == 1)
        memcpy(out, chance(s, node), ((size_t)most + 1) * sizeof *out);
    if (outside)
        return;
    if (size == 1) {
        out[1] *= p->keep[i];
        return;
    }
    double *left = scratch, *right = left + s->k + 1;
    keep_below(s, 2 * node, from, p, right + s->k + 1, left);
    keep_below(s, 2 * node + 1, from + size / 2, p, right + s->k + 1, right);
    combine(left, right, s->most[2 * node], out, most);
}

double sampler_keep(const struct sampler *s, const int *experts, const double *keep, int n) {
    size_t levels = 1, table = (size_t)s->k + 1;
    for (int leaves = s->leaves; leaves > 1; leaves /= 2)
        levels++;
    double *scratch = mem_alloc((2 * levels + 1) * table, sizeof *scratch);
    struct place_of p = {experts, keep, n};
    keep_below(s, 1, 0, &p, scratch + table, scratch);
    double kept = scratch[s->k] / chance(s, 1)[s->k];
    free(scratch);
    return kept;
}
