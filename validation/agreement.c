/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/agreement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"

void agreement_case_close(struct agreement_case *c) {
    bench_close(&c->bench);
}

/* One engine's answer to a case. */
struct answer {
    struct outcome outcomes[AGREEMENT_CALLS];
    size_t n;
};

static void answer_clear(struct answer *a) {
    for (size_t i = 0; i < a->n; i++)
        outcome_clear(&a->outcomes[i]);
}

static int by_ends(const void *a, const void *b) {
    const struct outcome_message *x = a, *y = b;
    int stage = strcmp(x->stage, y->stage);
    if (stage != 0)
        return stage;
    return x->src != y->src ? (x->src > y->src) - (x->src < y->src) : (x->dst > y->dst) - (x->dst < y->dst);
}

/* Puts the messages into an order that times do not change. */
static enum rc sort_messages(struct answer *a, struct err *e) {
    for (size_t i = 0; i < a->n; i++) {
        struct outcome *o = &a->outcomes[i];
        if (o->left_messages > 0)
            return err_set(e, RC_UNSUPPORTED, "an engine does not tell when each message ends");
        if (o->n_messages > 0)
            qsort(o->messages, o->n_messages, sizeof *o->messages, by_ends);
    }
    return RC_OK;
}

static enum rc ask(const struct agreement_engines *engines, const struct simulator *s, const struct agreement_case *c,
                   struct answer *a, struct err *e) {
    struct call calls[AGREEMENT_CALLS];
    size_t n = c->n_calls ? c->n_calls : 1;
    enum rc rc = RC_OK;
    for (size_t i = 0; i < n; i++)
        calls[i] = c->bench.call;
    *a = (struct answer){.n = 0};
    if (c->n_calls == 0)
        rc = s->run(calls, c->costs, 1, s->context, a->outcomes, e);
    else if (engines->sequence)
        rc = engines->sequence(calls, c->costs, n, c->host, s->context, a->outcomes, e);
    else
        rc = err_set(e, RC_UNSUPPORTED, "no engine plays calls in sequence");
    if (rc)
        return rc;
    a->n = n;
    rc = sort_messages(a, e);
    if (rc)
        answer_clear(a);
    return rc;
}

static double apart(double a_s, double b_s) {
    double larger_s = fmax(fabs(a_s), fabs(b_s));
    return larger_s > 0 ? fabs(a_s - b_s) / larger_s : 0;
}

static double end_s(const struct answer *a) {
    double last_s = 0;
    for (size_t i = 0; i < a->n; i++)
        last_s = fmax(last_s, a->outcomes[i].begin_s + a->outcomes[i].time_s);
    return last_s;
}

/* The largest difference of an end, from the start of all on; INFINITY when the messages are not the same. */
static double difference(const struct answer *a, const struct answer *b, size_t *messages) {
    double worst = 0;
    for (size_t i = 0; i < a->n; i++) {
        const struct outcome *x = &a->outcomes[i], *y = &b->outcomes[i];
        if (x->n_messages != y->n_messages)
            return INFINITY;
        for (size_t k = 0; k < x->n_messages; k++) {
            const struct outcome_message *m = &x->messages[k], *n = &y->messages[k];
            if (by_ends(m, n) != 0)
                return INFINITY;
            worst = fmax(worst, apart(x->begin_s + m->end_s, y->begin_s + n->end_s));
        }
        *messages += x->n_messages;
    }
    return worst;
}

/* The smallest flow of a call. */
static double least_bytes(const struct call *call) {
    double least = INFINITY;
    struct route *route = mem_alloc(1, sizeof *route);
    for (int s = 0; s < call->n_stages; s++)
        for (int src = 0; src < call->topology->ranks; src++) {
            const struct matrix *m = &call->stages[s].bytes;
            for (size_t i = m->start[src]; i < m->start[src + 1]; i++)
                if (m->dst[i] != src && m->value[i] > 0)
                    least = fmin(least, m->value[i] * call_way(call, src, m->dst[i], route).share / call->chunks);
        }
    free(route);
    return least;
}

/* Adds one unit to each flow: the smallest one is 2^40 to 2^41 of them, as engines count. */
static void lengthen(struct call *call) {
    double least = least_bytes(call);
    int exponent = 0;
    if (isinf(least))
        return;
    frexp(least, &exponent);
    struct route *route = mem_alloc(1, sizeof *route);
    for (int s = 0; s < call->n_stages; s++)
        for (int src = 0; src < call->topology->ranks; src++) {
            const struct matrix *m = &call->stages[s].bytes;
            for (size_t i = m->start[src]; i < m->start[src + 1]; i++)
                if (m->dst[i] != src && m->value[i] > 0)
                    m->value[i] += ldexp(call->chunks / call_way(call, src, m->dst[i], route).share, exponent - 41);
        }
    free(route);
}

static enum rc ask_longer(const struct agreement_engines *engines, const struct agreement_case *c, struct answer *a,
                          struct err *e) {
    struct agreement_case longer = *c;
    call_copy(&c->bench.call, &longer.bench.call);
    lengthen(&longer.bench.call);
    enum rc rc = ask(engines, engines->first, &longer, a, e);
    call_clear(&longer.bench.call);
    return rc;
}

enum rc agreement_compare(const struct agreement_engines *engines, const struct agreement_case *c,
                          struct agreement_result *result, struct err *e) {
    struct answer a, b = {.n = 0}, longer = {.n = 0};
    size_t ignored = 0;
    enum rc rc = ask(engines, engines->first, c, &a, e);
    if (rc)
        return rc;
    rc = ask(engines, engines->second, c, &b, e);
    struct agreement_result r = {.times_s = {end_s(&a), end_s(&b)}};
    r.difference = rc ? 0 : difference(&a, &b, &r.messages);
    r.makespan = apart(r.times_s[0], r.times_s[1]);
    if (!rc)
        rc = ask_longer(engines, c, &longer, e);
    if (longer.n > 0)
        r.own = difference(&a, &longer, &ignored);
    r.chaotic = r.own > AGREEMENT_EXACT;
    if (!rc)
        *result = r;
    answer_clear(&a);
    answer_clear(&b);
    answer_clear(&longer);
    return rc;
}
