/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/study/constants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/effect.h"
#include "model/model.h"
#include "platforms/base/mem.h"
#include "sim/study/altered.h"

enum { CASES = RESULT_TREATMENTS + 1, VALUES = 3 };
#define MORE 1.1 /* of a constant: a tenth more, a tenth less */
#define LESS 0.9

/* What is known of a constant after the calls that were weighed. */
struct weight {
    char *name;
    enum status status;
    size_t order;
    double effect;
};

/* A machine with another value for one constant that links are made from: made once for all calls. */
struct kept {
    char *name;
    double value;
    struct altered *altered;
};

struct weights {
    struct weight *items; /* those used */
    size_t n, room;
    struct kept *kept;
    size_t n_kept, kept_room;
    bool simulated;
    bool pipelined; /* some call cuts its messages into a number of pieces that no source gives */
};

struct weights *weights_new(void) {
    return mem_alloc(1, sizeof(struct weights));
}

void weights_free(struct weights *w) {
    if (!w)
        return;
    for (size_t i = 0; i < w->n; i++)
        free(w->items[i].name);
    for (size_t i = 0; i < w->n_kept; i++) {
        free(w->kept[i].name);
        altered_free(w->kept[i].altered);
    }
    free(w->items);
    free(w->kept);
    free(w);
}

/* --- the constants of a call ----------------------------------------------------------------------------- */

struct candidate {
    char *name;
    enum status status;
    enum key_kind kind;
    double value;
    struct constant_place place;
};

struct candidates {
    const struct platform *platform;
    struct constant_place next; /* where the visitor is */
    struct candidate *items;
    size_t n, room;
};

static void candidates_add(struct candidates *all, const struct candidate *c) {
    MEM_GROW(all->items, all->n, all->room);
    all->items[all->n++] = *c;
}

/* Returns whether links are made from a constant: from rates, shares of them and cables, not from other times. */
static bool makes_links(const struct constant *c) {
    return c->kind == KEY_RATE || c->kind == KEY_NUMBER || strstr(c->name, ".links.");
}

static void collect_candidate(const struct constant *c, void *context) {
    struct candidates *all = context;
    struct constant_place *place = &all->next;
    bool own = place->of == OF_LIBRARY;
    place->links = makes_links(c);
    if (!c->derived)
        candidates_add(all, &(struct candidate){mem_printf("%s.%s", own ? "implementation" : "platform", c->name),
                                                own ? implementation_status(c->q, all->platform) : c->q->status,
                                                c->kind, c->q->value, *place});
    place->at++;
}

/* Fills in what the call asks of alpha: of the tables where they answer, otherwise of each treatment. */
static size_t find_asks(const struct asking *a, const struct call_run *run, struct alpha_ask *asks) {
    enum regime regime = a->q->host == HOST_OBSERVED ? REGIME_OBSERVED : REGIME_AHEAD;
    const struct cases *cases = &run->cases;
    size_t n = 0;
    for (int stage = 0; stage < run->call.n_stages; stage++) {
        if (run->call.stages[stage].launch < 0)
            continue;
        struct alpha_ask ask = costs_ask(&run->call, stage, regime);
        if (run->c->time_known)
            asks[n++] = ask;
        for (size_t i = cases->treatment; i < cases->n; i++) {
            ask.treatment = 1 + (int)(i - cases->treatment);
            asks[n++] = ask;
        }
    }
    return n;
}

static void candidates_find(const struct call *call, const struct alpha_ask *asks, size_t n_asks,
                            struct candidates *all) {
    struct platform platform = *call->platform; // the walks only read here
    struct implementation how = *call->implementation;
    const struct chain_constant *chain = chain_constant((enum chain_preset)how.chain.preset);
    *all = (struct candidates){.platform = call->platform,
                               .next = {.of = OF_PLATFORM, .asks = asks, .n_asks = n_asks}};
    constants_visit_used(&platform, asks, n_asks, collect_candidate, all);
    all->next = (struct constant_place){.of = OF_LIBRARY};
    constants_visit_keys(implementation_keys, &how, collect_candidate, all);
    if (chain->s_per_pair > 0)
        candidates_add(all, &(struct candidate){mem_copy("implementation.chain"), chain_status(chain, call->platform),
                                                KEY_TIME, chain->s_per_pair, {.of = OF_CHAIN}});
}

static void candidates_clear(struct candidates *all) {
    for (size_t i = 0; i < all->n; i++)
        free(all->items[i].name);
    free(all->items);
}

/* --- the call under another value ------------------------------------------------------------------------ */

/* Fills in the values that a constant is moved to: by a tenth to the side that makes calls longer where that is known,
 * otherwise to both. A constant of 0, which a tenth does not move, and a size, which may be a threshold, are tried with
 * one value more, which only tells whether anything rests on them. */
static int find_values(const struct candidate *c, double values[static VALUES]) {
    int n = 0;
    if (c->value == 0)
        values[n++] = c->kind == KEY_TIME ? 1e-6 : c->kind == KEY_NUMBER ? 0.5 : 1;
    if (c->value != 0 && c->kind != KEY_RATE)
        values[n++] = c->value * MORE;
    if (c->value != 0 && c->kind != KEY_TIME)
        values[n++] = c->value * LESS;
    if (c->value != 0 && (c->kind == KEY_SIZE || strstr(c->name, "background.")))
        values[n++] = c->kind == KEY_SIZE ? c->value / 2 : c->value * MORE;
    return n;
}

static bool is_tenth(const struct candidate *c, double value) {
    return c->value != 0 && fabs(value / c->value - 1) < 0.11;
}

/* A call as it is weighed. */
struct weighed {
    const struct asking *a;
    const struct call_run *run;
    struct weights *w;
    const struct effect_loads *loads; /* of the call; NULL: not kept */
    struct effect as_is[CASES];
    size_t n; /* cases of fixed costs that its time is made of */
};

/* One constant at one value. */
struct trial {
    const struct candidate *c;
    double value;
    struct altered *altered;
    bool kept;
};

static struct altered *find_kept(const struct weights *w, const struct candidate *c, double value) {
    for (size_t i = 0; i < w->n_kept; i++)
        if (w->kept[i].value == value && strcmp(w->kept[i].name, c->name) == 0)
            return w->kept[i].altered;
    return NULL;
}

/* Makes a trial; false where the machine cannot have the value. */
static bool trial_make(struct weighed *x, const struct candidate *c, double value, struct trial *t) {
    *t = (struct trial){.c = c, .value = value, .altered = find_kept(x->w, c, value), .kept = c->place.links};
    if (!t->altered) {
        t->altered = altered_make(&x->run->call, &c->place, value);
        if (t->altered && t->kept) {
            MEM_GROW(x->w->kept, x->w->n_kept, x->w->kept_room);
            x->w->kept[x->w->n_kept++] = (struct kept){mem_copy(c->name), value, t->altered};
        }
    }
    return t->altered;
}

static void trial_clear(struct trial *t) {
    if (!t->kept)
        altered_free(t->altered);
}

/* Fills in the costs of a call in one of the cases of fixed costs that its time is made of. */
static void weighed_costs(const struct weighed *x, const struct call *call, size_t i, struct costs *costs) {
    enum regime regime = x->a->q->host == HOST_OBSERVED ? REGIME_OBSERVED : REGIME_AHEAD;
    const struct cases *cases = &x->run->cases;
    char reason[200];
    if (x->run->c->time_known)
        costs_known(call, regime, costs, NULL, reason);
    else if (cases->n > cases->treatment)
        costs_treatment(call, i, costs);
    else
        costs_wire(call, costs);
}

/* Returns the bytes of a row over what they were: only headers are constants. */
static double row_factor(const struct call *other, const struct call *call) {
    bool back = call->phase == PHASE_COMBINE;
    const struct implementation *a = call->implementation, *b = other->implementation;
    double more = back ? b->combine_row.header_bytes.value - a->combine_row.header_bytes.value
                       : b->dispatch_row.header_bytes.value - a->dispatch_row.header_bytes.value;
    return call->traffic->unit == TRAFFIC_ROWS ? 1 + more / call->row_bytes : 1;
}

/* Returns whether messages have to be looked at again: other links or pieces. */
static bool moves_otherwise(const struct trial *t, const struct call *other, const struct call *call) {
    bool otherwise = !t->altered->same_links || other->chunks != call->chunks;
    for (int i = 0; i < call->n_stages; i++)
        otherwise = otherwise || other->stages[i].unit_bytes != call->stages[i].unit_bytes;
    return otherwise;
}

/* Fills the cases of a trial. Those whose messages move otherwise are worked out here, and the rest left to be worked
 * out together, which returns true. */
static bool trial_cases(const struct weighed *x, const struct trial *t, struct effect *cases) {
    const struct call *call = &x->run->call;
    struct stage *stages = mem_alloc((size_t)call->n_stages + 1, sizeof *stages);
    struct call other;
    altered_call(t->altered, call, stages, &other);
    bool otherwise = moves_otherwise(t, &other, call);
    for (size_t i = 0; i < x->n; i++) {
        weighed_costs(x, &other, i, &cases[i].costs);
        cases[i].costs.chain_s_per_pair *= t->altered->chain_factor;
        effect_as_is(&other, &cases[i]);
        cases[i].bytes_factor = row_factor(&other, call);
        cases[i].links = !otherwise && t->altered->topology ? t->altered->topology->links : NULL;
    }
    if (otherwise)
        effect_times(&other, NULL, cases, x->n);
    free(stages);
    return !otherwise;
}

/* --- what a constant weighs ------------------------------------------------------------------------------ */

static struct weight *find_weight(struct weights *w, const struct candidate *c) {
    for (size_t i = 0; i < w->n; i++)
        if (strcmp(w->items[i].name, c->name) == 0)
            return &w->items[i];
    MEM_GROW(w->items, w->n, w->room);
    w->items[w->n] = (struct weight){.name = mem_copy(c->name), .status = c->status, .order = w->n};
    return &w->items[w->n++];
}

/* Takes down that a time rests on a constant, and how far it moves with it. */
static void take_down(struct weights *w, const struct trial *t, double before_s, double after_s) {
    struct weight *weight = find_weight(w, t->c);
    if (is_tenth(t->c, t->value) && before_s > 0)
        weight->effect = fmax(weight->effect, fabs(after_s / before_s - 1));
}

/* Looks at what only the closed form uses, where it was asked for. */
static void weigh_closed(const struct weighed *x, const struct trial *t) {
    const struct call *call = &x->run->call;
    struct call other = *call;
    struct costs costs, before;
    struct outcome a, b;
    if (!x->a->q->compare || !model_covers(call))
        return;
    other.platform = t->altered->platform ? t->altered->platform : call->platform;
    other.implementation = &t->altered->how;
    weighed_costs(x, &other, 0, &costs);
    weighed_costs(x, call, 0, &before);
    model_call(call, &before, &a);
    model_call(&other, &costs, &b);
    if (a.time_s != b.time_s)
        take_down(x->w, t, a.time_s, b.time_s);
    outcome_clear(&a);
    outcome_clear(&b);
}

static void weigh_trial(const struct weighed *x, const struct trial *t, const struct effect *cases) {
    bool used = false;
    for (size_t i = 0; i < x->n; i++) {
        if (cases[i].all_s == x->as_is[i].all_s && cases[i].time_s == x->as_is[i].time_s)
            continue;
        used = true;
        take_down(x->w, t, x->as_is[i].time_s, cases[i].time_s);
    }
    if (!used)
        weigh_closed(x, t);
}

/* Trials of one call: first those whose messages move as in the call, which are worked out together. */
struct batch {
    struct trial *trials;
    struct effect *cases; /* first the call as it is, then x->n of each trial */
    size_t n, n_alone;
    size_t room;
};

/* Adds a trial at the front, or one that was worked out alone at the back. */
static void batch_add(struct weighed *x, const struct candidate *c, double value, struct batch *b) {
    struct trial t;
    if (!trial_make(x, c, value, &t))
        return;
    struct effect *cases = &b->cases[(1 + b->n) * x->n];
    if (trial_cases(x, &t, cases)) {
        b->trials[b->n++] = t;
        return;
    }
    size_t at = b->room - 1 - b->n_alone++;
    b->trials[at] = t;
    memmove(&b->cases[(1 + at) * x->n], cases, x->n * sizeof *cases);
}

static void batch_weigh(struct weighed *x, struct batch *b) {
    memcpy(b->cases, x->as_is, x->n * sizeof *b->cases);
    effect_times(&x->run->call, x->loads, b->cases, (1 + b->n) * x->n);
    memcpy(x->as_is, b->cases, x->n * sizeof *b->cases);
    for (size_t i = 0; i < b->room; i++)
        if (i < b->n || i >= b->room - b->n_alone) {
            weigh_trial(x, &b->trials[i], &b->cases[(1 + i) * x->n]);
            trial_clear(&b->trials[i]);
        }
}

/* Weighs those constants of a call that are known as badly as this, and are 0 or not; `all` in the visitor's order. */
static void weigh_known(struct weighed *x, const struct candidates *all, int weakness, bool zero) {
    struct batch b = {.room = all->n * VALUES};
    b.trials = mem_alloc(b.room + 1, sizeof *b.trials);
    b.cases = mem_alloc((b.room + 1) * x->n, sizeof *b.cases);
    for (size_t i = 0; i < all->n; i++) {
        const struct candidate *c = &all->items[i];
        double values[VALUES];
        int n = find_values(c, values);
        if (status_weakness(c->status) == weakness && (c->value == 0) == zero)
            for (int k = 0; k < n; k++)
                batch_add(x, c, values[k], &b);
    }
    if (b.n + b.n_alone)
        batch_weigh(x, &b);
    free(b.cases);
    free(b.trials);
}

/* Returns how weak the weakest constant is that was found to be used; -1: none yet. */
static int weakest_found(const struct weights *w) {
    int weakness = -1;
    for (size_t i = 0; i < w->n; i++)
        if (status_weakness(w->items[i].status) > weakness)
            weakness = status_weakness(w->items[i].status);
    return weakness;
}

/* Weighs from the weakest constants on, and no further than to those that can be the result's weakest. A record does
 * not list what is assumed, hence those of 0 count there only where no other is used. */
static void weigh_candidates(struct weighed *x, const struct candidates *all) {
    bool listed = x->a->q->detail != DETAIL_RECORD;
    for (int weakness = status_weakness(STATUS_ASSUMED); weakness >= 0 && weakness >= weakest_found(x->w); weakness--) {
        weigh_known(x, all, weakness, false);
        if (listed || weakest_found(x->w) < weakness)
            weigh_known(x, all, weakness, true);
    }
}

void weights_add(const struct asking *a, const struct call_run *run, struct weights *w) {
    struct alpha_ask asks[CALL_LAUNCHES * RESULT_TREATMENTS];
    struct weighed x = {.a = a, .run = run, .w = w, .n = 1};
    struct candidates all;
    const struct cases *cases = &run->cases;
    if (!run->c->time_known && cases->n > cases->treatment)
        x.n = cases->n - cases->treatment;
    for (size_t i = 0; i < x.n; i++) {
        weighed_costs(&x, &run->call, i, &x.as_is[i].costs);
        effect_as_is(&run->call, &x.as_is[i]);
    }
    candidates_find(&run->call, asks, find_asks(a, run, asks), &all);
    struct effect_loads *loads = effect_loads_new(&run->call);
    x.loads = loads;
    weigh_candidates(&x, &all);
    effect_loads_free(loads);
    candidates_clear(&all);
    const struct implementation *how = run->call.implementation;
    w->simulated = w->simulated || run->c->simulated;
    w->pipelined = w->pipelined || (run->call.pipelined && (how->chunks || !how->chunk_bytes.given));
}

/* --- the result ------------------------------------------------------------------------------------------ */

static int weakest_first(const void *a, const void *b) {
    const struct weight *x = a, *y = b;
    int dx = status_weakness(x->status), dy = status_weakness(y->status);
    if (dx != dy)
        return dy - dx;
    if (x->effect != y->effect)
        return x->effect < y->effect ? 1 : -1;
    return x->order < y->order ? -1 : 1;
}

/* Orders, windows and numbers of pieces: no source states one, so they are assumed, whoever wrote them down. */
static void list_choices(const struct weights *w, struct buf *choices) {
    if (w->simulated)
        buf_text(choices, "implementation.order\nimplementation.window\n");
    if (w->pipelined)
        buf_text(choices, "implementation.chunks\n");
}

void weights_conclude(struct weights *w, struct result *r) {
    qsort(w->items, w->n, sizeof *w->items, weakest_first);
    if (w->n)
        r->weakest = (struct result_weakest){arena_copy(&r->arena, w->items[0].name), w->items[0].status};
    for (size_t i = 0; i < w->n; i++)
        if (status_weakness(w->items[i].status) == status_weakness(STATUS_ASSUMED))
            buf_printf(&r->assumed, "%s\n", w->items[i].name);
    list_choices(w, &r->assumed_choices);
}
