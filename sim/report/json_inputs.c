/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/json_parts.h"

void json_fabric(struct json *j, const struct plat_fabric *f) {
    json_key_text(j, "kind", fabric_kinds[f->kind]);
    if (f->kind == FABRIC_DRAGONFLY)
        json_key_text(j, "routing", fabric_routings[f->routing]);
    if (f->kind == FABRIC_RAIL)
        json_key_text(j, "cross_rail", fabric_cross_rails[f->cross_rail]);
}

void json_platform(struct json *j, const struct result *r) {
    const struct platform *p = r->in.platform;
    json_key_open(j, "platform", '{');
    json_key_text(j, "name", p->name);
    json_key_int(j, "groups", p->groups);
    json_key_int(j, "ranks_per_group", p->ranks_per_group);
    json_key_int(j, "ranks", plat_ranks(p));
    if (p->group_sizes)
        json_key_text(j, "group_sizes", p->group_sizes);
    json_key_open(j, "tiers", '[');
    for (int tier = 0; tier < p->n_tiers; tier++) {
        json_open(j, '{');
        json_key_text(j, "name", p->tier[tier].name);
        json_key_int(j, "domains", p->domains[tier].n);
        json_key_number(j, "bandwidth_Bps", p->tier[tier].bandwidth_Bps.value);
        json_fabric(j, &p->tier[tier].fabric);
        json_close(j);
    }
    json_close(j);
    claim_json_key(j, "hierarchy_ratio", r->hierarchy_ratio);
    if (plat_no_ratio(p))
        json_key_text(j, "hierarchy_ratio_reason", plat_no_ratio(p));
    if (p->ratio_probed.given)
        json_key_number(j, "ratio_probed", p->ratio_probed.value);
    json_close(j);
}

void json_rho(struct json *j, const struct traffic_rho *rho) {
    json_key_open(j, "rho_max", '{');
    const struct {
        const char *key;
        double value;
    } all[] = {{"rank", rho->rank},           {"expert", rho->expert},
               {"one_hop_in", rho->one_hop_in}, {"one_hop_out", rho->one_hop_out},
               {"hop_a_in", rho->hop_a_in},   {"hop_a_out", rho->hop_a_out},
               {"hop_b_in", rho->hop_b_in},   {"hop_b_out", rho->hop_b_out}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        json_key_number_if(j, all[i].key, all[i].value >= 0, all[i].value);
    json_close(j);
}

void json_workload(struct json *j, const struct result *r) {
    const struct workload *w = r->in.workload;
    const struct traffic_rho *rho = &r->in.drawn->rho;
    json_key_open(j, "workload", '{');
    json_key_text(j, "name", w->name);
    json_key_int(j, "tokens_per_rank", w->tokens_per_rank);
    json_key_int(j, "hidden", w->hidden);
    json_key_text(j, "dtype", workload_dtype_name(w));
    json_key_int(j, "experts", w->experts);
    json_key_int(j, "top_k", w->top_k);
    json_key_number_if(j, "group_limit", w->group_limit > 0, (double)w->group_limit);
    json_key_number_if(j, "fan_out", r->in.traffic->fan_out > 0, r->in.traffic->fan_out); // none without tokens
    json_rho(j, rho);
    json_close(j);
}


/* Writes a constant with its status, or null where the file has none. */
static void write_quantity(struct json *j, const char *key, const struct quantity *q, const struct platform *p) {
    json_key(j, key);
    if (!q->given) {
        json_put_null(j);
        return;
    }
    json_open(j, '{');
    json_key_number(j, "value", q->value);
    json_key_text(j, "status", status_name(implementation_status(q, p)));
    json_close(j);
}

static void write_pair(struct json *j, const char *key, const struct tier_factors *f,
                       const struct platform *p) {
    json_key_open(j, key, '{');
    write_quantity(j, "fast", &f->fast, p);
    write_quantity(j, "slow", &f->slow, p);
    json_close(j);
}

static void write_dedup(struct json *j, const struct dedup_keys *d) {
    json_key_open(j, "dedup", '{');
    json_key_text(j, "one_hop", dedup_name(d->one_hop));
    json_key_text(j, "hop_a", dedup_name(d->hop_a));
    json_key_text(j, "hop_b", dedup_name(d->hop_b));
    json_close(j);
}

void json_window(struct json *j, int64_t window) {
    json_key(j, "window");
    if (window)
        json_int(j, window);
    else
        json_text(j, "all");
}

void json_implementation(struct json *j, const struct implementation *m, const struct platform *p) {
    const struct chain_constant *chain = chain_constant((enum chain_preset)m->chain.preset);
    json_key_open(j, "implementation", '{');
    json_key_text(j, "name", m->name);
    json_key_text(j, "order", order_name(m->order));
    json_window(j, m->window);
    json_key(j, "receive_window");
    if (m->receive_window)
        json_int(j, m->receive_window);
    else
        json_text(j, "all");
    json_key_text(j, "start", start_name(m->start));
    json_key_text(j, "hops", hops_name(m->hops));
    json_key_text(j, "reduce", reduce_name(m->reduce));
    json_key_text(j, "intra_group_path", path_name(m->intra_group_path));
    json_key_text(j, "cut", m->cut ? m->cut : "fast");
    write_dedup(j, &m->dedup);
    write_pair(j, "efficiency", &m->efficiency, p);
    write_pair(j, "message_cost_s", &m->message_cost_s, p);
    write_quantity(j, "chunk_bytes", &m->chunk_bytes, p);
    json_key_open(j, "collectives", '{');
    json_key_int(j, "one_hop", m->collectives.one_hop);
    json_key_int(j, "hop_a", m->collectives.hop_a);
    json_key_int(j, "hop_b", m->collectives.hop_b);
    json_close(j);
    json_key_open(j, "chain", '{');
    json_key_text(j, "preset", chain->name);
    json_key_number(j, "s_per_pair", chain->s_per_pair);
    json_key_text(j, "status", status_name(chain_status(chain, p)));
    json_key_number_if(j, "floor_s", m->chain.floor_s.given, m->chain.floor_s.value);
    json_close(j);
    json_close(j);
}
