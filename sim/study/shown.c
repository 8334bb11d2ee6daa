/* SPDX-License-Identifier: BSD-3-Clause */
/* What the run that is shown says of stages, ranks, links and messages: claims of the call time, or of the wire. */
#include "sim/study/shown.h"

#include <stdlib.h>
#include <string.h>

static struct claim *per_rank(const double *times_s, int ranks, const struct licence *l) {
    if (!times_s)
        return NULL;
    struct claim *claims = mem_alloc((size_t)ranks, sizeof *claims);
    for (int i = 0; i < ranks; i++)
        claims[i] = claim_make(l, times_s[i]);
    return claims;
}

/* Returns whether every exchange of a call is as good as uniform: a call of an even load that ends far above its bound
 * is the schedule's doing. */
static bool is_even(const struct outcome *o) {
    for (int i = 0; i < o->n_stages; i++)
        if (o->stages[i].rho_in > 1.02 || o->stages[i].rho_out > 1.02)
            return false;
    return true;
}

static void publish_stages(const struct outcome *o, int ranks, const struct licence *l, struct result_call *c) {
    c->n_stages = o->n_stages;
    for (int i = 0; i < c->n_stages; i++) {
        const struct outcome_stage *s = &o->stages[i];
        c->stages[i] = (struct result_stage){s->name,  claim_make(l, s->start_s), claim_make(l, s->end_s),
                                             s->bytes, s->messages,               s->rho_out,
                                             s->rho_in};
    }
    memcpy(c->critical_path, o->critical_path, sizeof c->critical_path);
    c->fairness = claim_if(o->fairness > 0, l, o->fairness);
    c->from_last = claim_make(l, o->from_last_s);
    c->send_end = per_rank(o->send_end_s, ranks, l);
    c->recv_end = per_rank(o->recv_end_s, ranks, l);
}

static void publish_groups(const struct outcome *o, const struct job *job, const struct licence *l,
                           struct result_call *c) {
    if (!job || !o->send_end_s)
        return;
    double *end_s = mem_alloc((size_t)job->n_groups, sizeof *end_s);
    job_times(job, o, end_s);
    c->n_groups = job->n_groups;
    c->groups = mem_alloc((size_t)job->n_groups, sizeof *c->groups);
    for (int g = 0; g < job->n_groups; g++) {
        c->groups[g] = (struct result_group){job->groups[g].machine_rank[0], job->ep, claim_make(l, end_s[g])};
        c->fastest = end_s[g] < end_s[c->fastest] ? g : c->fastest;
        c->slowest = end_s[g] > end_s[c->slowest] ? g : c->slowest;
    }
    free(end_s);
}

/* A link and how long it would be busy at its full rate. */
struct load {
    int link;
    double busy_s;
};

static int busier_first(const void *a, const void *b) {
    const struct load *x = a, *y = b;
    if (x->busy_s != y->busy_s)
        return x->busy_s > y->busy_s ? -1 : 1;
    return x->link - y->link;
}

static void publish_bins(const struct outcome *o, const struct load *load, const struct licence *l,
                         struct result_link *link) {
    size_t bins = (size_t)o->link_bins, first = (size_t)load->link * bins;
    link->bytes = o->link_bytes[load->link];
    link->utilisation = claim_make(l, load->busy_s / o->time_s);
    link->n_bins = o->link_bins < RESULT_BINS ? o->link_bins : RESULT_BINS;
    for (int b = 0; b < link->n_bins; b++)
        link->bins[b] = o->link_bin_bytes[first + (size_t)b] / (o->link_bin_s * link->link->capacity_Bps);
}

/* Lists the links that are busiest over the run that is shown, with their use over time. */
static void publish_links(const struct outcome *o, const struct topology *t, const struct licence *l, int64_t most,
                          struct result_call *c) {
    if (!o->link_bytes || !(o->time_s > 0))
        return;
    struct load *loads = mem_alloc((size_t)t->n_links, sizeof *loads);
    int n = 0;
    for (int i = 0; i < t->n_links; i++)
        if (o->link_bytes[i] > 0)
            loads[n++] = (struct load){i, o->link_bytes[i] / t->links[i].capacity_Bps};
    qsort(loads, (size_t)n, sizeof *loads, busier_first);
    c->n_links = n < most ? n : (int)most;
    c->links = mem_alloc((size_t)c->n_links + 1, sizeof *c->links);
    c->bin = claim_make(l, o->link_bin_s);
    for (int i = 0; i < c->n_links; i++) {
        c->links[i].link = &t->links[loads[i].link];
        publish_bins(o, &loads[i], l, &c->links[i]);
    }
    free(loads);
}

static void publish_messages(const struct outcome *o, const struct licence *l, struct result_messages *m) {
    if (!o->messages)
        return;
    *m = (struct result_messages){.items = mem_alloc(o->n_messages, sizeof *m->items),
                                  .left = o->left_messages,
                                  .left_bytes = o->left_bytes};
    for (; m->n < o->n_messages; m->n++) {
        const struct outcome_message *x = &o->messages[m->n];
        m->items[m->n] = (struct result_message){x->stage, x->src,   x->dst,
                                                 (enum tier)x->tier, x->bytes,
                                                 claim_make(l, x->start_s), claim_make(l, x->end_s)};
    }
}

void shown_publish(const struct outcome *o, const struct call_run *run, const struct question *q) {
    const struct topology *t = run->call.topology;
    struct result_call *c = run->c;
    c->even = is_even(o);
    publish_stages(o, t->ranks, run->shown, c);
    publish_groups(o, run->call.traffic->job, run->shown, c);
    publish_links(o, t, run->shown, q->links ? q->links : RESULT_LINKS, c);
    publish_messages(o, run->shown, &c->messages);
}

void shown_map(const struct call *call, struct result_call *c) {
    int ranks = call->topology->ranks;
    int each = (ranks + RESULT_MAP - 1) / RESULT_MAP, n = (ranks + each - 1) / each;
    c->map = mem_alloc((size_t)n * (size_t)n, sizeof *c->map);
    c->map_blocks = n;
    c->map_ranks = each;
    for (int i = 0; i < call->n_stages; i++) {
        const struct matrix *m = &call->stages[i].bytes;
        for (int src = 0; src < m->ranks; src++)
            for (size_t k = m->start[src]; k < m->start[src + 1]; k++)
                if (m->dst[k] != src)
                    c->map[src / each * n + m->dst[k] / each] += m->value[k];
    }
}
