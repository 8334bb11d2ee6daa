/* SPDX-License-Identifier: BSD-3-Clause */
/* Which constants a result rests on, and how well they are known. */
#include "sim/study/constants.h"

#include <stdio.h>

static void weigh(struct result *r, const char *constant, enum status status) {
    struct result_weakest *w = &r->weakest;
    if (status_weakness(status) == status_weakness(STATUS_ASSUMED))
        buf_printf(&r->assumed, "%s\n", constant);
    if (*w->constant && status_weakness(status) <= status_weakness(w->status))
        return;
    snprintf(w->constant, sizeof w->constant, "%s", constant);
    w->status = status;
}

static void weigh_given(struct result *r, const char *constant, const struct quantity *q) {
    if (q->given)
        weigh(r, constant, q->status);
}

static void weigh_carried(struct result *r, const char *constant, const struct quantity *q, const struct platform *p) {
    if (q->given)
        weigh(r, constant, implementation_status(q, p));
}

static void weigh_tiers(const struct platform *p, struct result *r) {
    char name[48];
    for (int tier = p->n_tiers - 1; tier >= 0; tier--) {
        const struct plat_tier *t = &p->tier[tier];
        const struct {
            const char *key;
            const struct quantity *q;
        } all[] = {{"bandwidth", &t->bandwidth_Bps},
                   {"x_half", &t->x_half_bytes},
                   {"message_cost", &t->message_cost_s},
                   {"oversubscription", &t->oversubscription},
                   {"latency", &t->latency_s}};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            snprintf(name, sizeof name, "platform.%s.%s", p->tier[tier].name, all[i].key);
            weigh_given(r, name, all[i].q);
        }
        struct plat_fabric fabric = t->fabric;
        char key[FABRIC_CONSTANT];
        const struct quantity *q;
        for (size_t i = 0; (q = fabric_constant(&fabric, i, key)); i++) {
            snprintf(name, sizeof name, "platform.%s.%.30s", p->tier[tier].name, key);
            weigh_given(r, name, q);
        }
    }
}

/* Orders, windows and pieces: no source states one, so they are assumed, whoever wrote them down. */
static void weigh_implementation(const struct implementation *m, const struct platform *p, struct result *r) {
    const struct chain_constant *chain = chain_constant((enum chain_preset)m->chain.preset);
    weigh_carried(r, "implementation.efficiency.slow", &m->efficiency.slow, p);
    weigh_carried(r, "implementation.efficiency.fast", &m->efficiency.fast, p);
    weigh_carried(r, "implementation.message_cost.slow", &m->message_cost_s.slow, p);
    weigh_carried(r, "implementation.message_cost.fast", &m->message_cost_s.fast, p);
    if (chain->s_per_pair > 0)
        weigh(r, "implementation.chain", chain_status(chain, p));
    weigh_carried(r, "implementation.chain.floor", &m->chain.floor_s, p);
    weigh_carried(r, "implementation.chunk_size", &m->chunk_bytes, p);
    weigh(r, "implementation.window", STATUS_ASSUMED);
    weigh(r, "implementation.order", STATUS_ASSUMED);
}

void constants_weigh(const struct inputs *in, struct result *r) {
    const struct platform *p = in->platform;
    struct alpha_answer alpha;
    const struct job *job = in->traffic ? in->traffic->job : NULL;
    plat_alpha(p, in->implementation->name, job ? job->ep : plat_ranks(p),
               plat_widest(job ? job->groups[0].platform : p), REGIME_AHEAD, &alpha);
    weigh_tiers(p, r);
    weigh_given(r, "platform.port_bandwidth", &p->port_bandwidth_Bps);
    weigh_given(r, "platform.copy_bandwidth", &p->copy_bandwidth_Bps);
    if (alpha.known)
        weigh(r, "platform.alpha", alpha.status);
    weigh_given(r, "platform.splits_sync", &p->splits_sync_s);
    weigh_implementation(in->implementation, p, r);
}
