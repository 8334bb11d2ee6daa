/* SPDX-License-Identifier: BSD-3-Clause */
/* The levels of links. A link whose inputs have changed is computed from scratch, so that nothing drifts, and those
 * that it matters to come after it; the lowest level goes first, since no higher one can change it. */
#include "sim/engine/fluid_parts.h"

#include <math.h>

#include "platforms/base/mem.h"

#define SAME 1e-13     /* relative change of a level that nobody is told of: rounding would go round for ever */
#define FULL_FROM 1e-12 /* a link is full when its flows want this share more than it has */
#define TO_FLOOR 0.97  /* share of it; with half, a fifth more is told, with 0.99 more links are computed */
#define ROUNDS_MOST 1000 /* computations of all links in one solution; a few are normal */

/* --- queue: a binary heap --------------------------------------------------------------------- */

void fluid_queue_link(struct flows *f, int link) {
    if (f->state[link] == FLUID_QUEUED)
        return;
    // a link that is not full cannot come below equal shares
    const struct fluid_link *q = &f->links[link];
    double key = f->state[link] == FLUID_FULL ? f->level[link] : q->capacity / fmax(q->flows, 1);
    f->state[link] = FLUID_QUEUED;
    f->floor[link] = INFINITY;
    int at = f->n_queue++;
    for (int up; at > 0 && f->queue[up = (at - 1) / 2].key > key; at = up)
        f->queue[at] = f->queue[up];
    f->queue[at] = (struct fluid_dirty){key, link};
}

static int take_lowest(struct flows *f) {
    int link = f->queue[0].link, at = 0;
    struct fluid_dirty last = f->queue[--f->n_queue];
    for (int child; (child = 2 * at + 1) < f->n_queue; at = child) {
        if (child + 1 < f->n_queue && f->queue[child + 1].key < f->queue[child].key)
            child++;
        if (f->queue[child].key >= last.key)
            break;
        f->queue[at] = f->queue[child];
    }
    f->queue[at] = last;
    return link;
}

/* --- one link --------------------------------------------------------------------------------- */

typedef double lanes __attribute__((vector_size(16), may_alias));
typedef int64_t masks __attribute__((vector_size(16), may_alias));

/* Flows whose rate is below x because of other links, and what they use together. */
struct below {
    double flows, sum;
};

static struct below sum_below(const double *others, int n, double x) {
    const lanes limit = {x, x}, one = {1, 1};
    lanes sum[2] = {{0, 0}, {0, 0}}, flows[2] = {{0, 0}, {0, 0}};
    for (int k = 0; k < n; k += 4)
        for (int half = 0; half < 2; half++) {
            const lanes c = *(const lanes *)(others + k + 2 * half);
            const masks under = c < limit;
            sum[half] += (lanes)((masks)c & under);
            flows[half] += (lanes)((masks)one & under);
        }
    return (struct below){flows[0][0] + flows[0][1] + flows[1][0] + flows[1][1],
                          sum[0][0] + sum[0][1] + sum[1][0] + sum[1][1]};
}

/* The same with bundles of several flows. */
static struct below sum_weighted(const double *others, const double *weight, int n, double x) {
    struct below below = {0, 0};
    for (int k = 0; k < n; k++) {
        double flows = others[k] < x ? weight[k] : 0;
        below.flows += flows;
        below.sum += flows > 0 ? flows * others[k] : 0;
    }
    return below;
}

static struct below below_of(const struct fluid_link *q, const double *others, double x) {
    return q->heavy ? sum_weighted(others, q->weight, q->n, x) : sum_below(others, q->n, x);
}

static void make_room(struct flows *f, int n) {
    if (n <= f->room_others)
        return;
    f->room_others = 2 * n;
    f->others = mem_resize(f->others, (size_t)f->room_others + 4, sizeof *f->others);
    f->picked = mem_resize(f->picked, (size_t)f->room_others + 4, sizeof *f->picked);
}

static inline double least(double a, double b) {
    return a < b ? a : b;
}

/* Fills others[k] with the least level among the other links of entry k, and ends in INFINITY up to a multiple of 4. */
static void find_others(struct flows *f, const struct fluid_link *q) {
    const double *level = f->level;
    const int *o = q->other;
    double *others = f->others;
    switch (q->width) {
    case 1:
        for (int k = 0; k < q->n; k++)
            others[k] = level[o[k]];
        break;
    case 3:
        for (int k = 0; k < q->n; k++, o += 3)
            others[k] = least(least(level[o[0]], level[o[1]]), level[o[2]]);
        break;
    default:
        for (int k = 0; k < q->n; k++, o += q->width) {
            others[k] = INFINITY;
            for (int i = 0; i < q->width; i++)
                others[k] = least(others[k], level[o[i]]);
        }
    }
    for (int k = q->n; k & 3; k++)
        others[k] = INFINITY;
}

/* The level x of a link: sum over its flows of min(x, others) = capacity. That sum is concave in x, so the first step
 * of Newton's method ends at or below the solution, and the next ones rise towards it until the set of flows that
 * others hold back stays the same. *wanted is what all flows would use when x is INFINITY. */
static double find_level(const struct flows *f, const struct fluid_link *q, double start, double *wanted) {
    double x = isfinite(start) ? start : q->capacity / q->flows, before = -1;
    struct below b = below_of(q, f->others, x);
    for (bool rising = false;; rising = true) {
        if (b.flows >= q->flows) {
            *wanted = b.sum;
            if (b.sum <= q->capacity * (1 + FULL_FROM))
                return INFINITY;
            if (rising)
                return x; // the sum equals the capacity but for rounding
            x = q->capacity / q->flows;
        } else {
            if (rising && b.flows <= before)
                return x;
            before = rising ? b.flows : -1;
            x = (q->capacity - b.sum) / (q->flows - b.flows);
        }
        b = below_of(q, f->others, x);
    }
}

/* A link that is not full is left alone while its budget lasts: nearly all of what it has to spare is given to flows
 * slower than the floor, which may speed up to it and nobody need say so; flows beyond the floor pay from the rest. */
static void set_budget(struct flows *f, int link, double wanted) {
    enum { PASSES = 4 };
    const struct fluid_link *q = &f->links[link];
    double aim = wanted + TO_FLOOR * (q->capacity - wanted), floor = aim / q->flows;
    struct below b = below_of(q, f->others, floor);
    for (int i = 0; i < PASSES && b.flows > 0; i++) {
        floor = (aim - (wanted - b.sum)) / b.flows;
        struct below next = below_of(q, f->others, floor);
        bool settled = next.flows == b.flows;
        b = next;
        if (settled)
            break;
    }
    double budget = q->capacity - (wanted - b.sum) - b.flows * floor;
    bool usable = budget >= 0 && floor >= 0;
    f->floor[link] = usable ? floor : 0;
    f->budget[link] = usable ? budget : q->capacity - wanted;
    if (q->repeated)
        f->budget[link] = -INFINITY; // others do not know how often their flows pass: every change counts
}

/* --- who must know ---------------------------------------------------------------------------- */

/* Flows over a link that has to know go from one rate to another. */
static void tell(struct flows *f, int link, double from, double to, double flows) {
    if (f->state[link] == FLUID_FULL) {
        fluid_queue_link(f, link);
        return;
    }
    double floor = f->floor[link];
    double more = (to > floor ? to : floor) - (from > floor ? from : floor);
    f->budget[link] -= more * flows;
    if (more > 0 && !(f->budget[link] >= 0))
        fluid_queue_link(f, link);
}

static void may_move(struct flows *f, int bundle) {
    if (f->bundles[bundle].moving)
        return;
    f->bundles[bundle].moving = true;
    fluid_list_add(&f->moving, bundle);
}

/* A level that changes. */
struct change {
    double from, to, low, high;
};

static inline void tell_entry(struct flows *f, const struct fluid_link *q, int k, const struct change *x) {
    const double c = f->others[k], from = least(c, x->from), to = least(c, x->to), higher = least(c, x->high);
    const double flows = q->repeated ? f->bundles[q->bundle[k]].n : q->weight[k];
    const int *o = q->other + (size_t)k * (size_t)q->width;
    for (int j = 0; j < q->width && c > x->low; j++)
        if (higher > f->floor[o[j]])
            tell(f, o[j], from, to, flows);
    // equal levels count too: the bundle then stays, or comes to the link whose level is the lower one
    if (q->end[k] < INFINITY ? c < x->to : c > x->to)
        may_move(f, q->bundle[k]);
}

/* Flows that other links hold back below both levels see nothing of the change. */
static void tell_all(struct flows *f, const struct fluid_link *q, const struct change *x) {
    int *picked = f->picked, n = 0;
    for (int k = 0; k < q->n; k++) { // without a branch: it would be a coin toss
        picked[n] = k;
        n += f->others[k] >= x->low;
    }
    for (int i = 0; i < n; i++)
        tell_entry(f, q, picked[i], x);
}

static void compute(struct flows *f, int link) {
    struct fluid_link *q = &f->links[link];
    const double old = f->level[link];
    double wanted = 0, x = INFINITY;
    f->cost.levels++;
    make_room(f, q->n);
    find_others(f, q);
    if (q->n > 0)
        x = find_level(f, q, old, &wanted);
    if (isinf(x)) {
        f->state[link] = FLUID_SPARE;
        f->floor[link] = 0;
        f->budget[link] = q->capacity;
        if (q->n > 0)
            set_budget(f, link, wanted);
        if (isinf(old))
            return;
    } else {
        f->state[link] = FLUID_FULL;
        f->floor[link] = -1;
        if (fabs(x - old) <= SAME * x)
            return;
    }
    fluid_sync(f, link);
    f->level[link] = x;
    fluid_touch(f, link);
    tell_all(f, q, &(struct change){old, x, least(old, x), old > x ? old : x});
}

void fluid_solve(struct flows *f) {
    uint64_t limit = f->cost.levels + (uint64_t)ROUNDS_MOST * (uint64_t)(f->n_links + 1);
    while (f->n_queue > 0) {
        compute(f, take_lowest(f));
        BUG_ON(f->cost.levels > limit);
    }
    for (int i = 0; i < f->moving.n; i++) {
        int bundle = f->moving.items[i];
        f->bundles[bundle].moving = false;
        if (f->bundles[bundle].n > 0)
            fluid_hold(f, bundle);
    }
    f->moving.n = 0;
    fluid_refresh(f);
}

double fluid_other_level(const struct flows *f, const int *links, int n, int except) {
    double c = INFINITY;
    for (int i = 0; i < n; i++)
        if (i != except)
            c = least(c, f->level[links[i]]);
    return c;
}
