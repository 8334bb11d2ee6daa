/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/cli/cli.h"

#include <stdlib.h>

#include "platforms/route_table.h"

/* --- machine: platform, links and library ---------------------------------------------------------- */

struct machine {
    struct platform *platform;
    struct topology *topology;
    struct implementation *implementation; /* NULL: not asked for */
};

static void machine_free(void *thing) {
    struct machine *m = thing;
    topo_free(m->topology);
    plat_free(m->platform);
    implementation_free(m->implementation);
    free(m);
}

static enum rc machine_fill(const struct options *o, bool implementation, struct machine *m, struct err *e) {
    enum rc rc = plat_load(o->platform ? o->platform : PLATFORM_DEFAULT, o->set_platform.items,
                           o->set_platform.n, &m->platform, e);
    if (!rc)
        m->topology = topo_build(m->platform);
    if (!rc && implementation)
        rc = implementation_load(o->implementation ? o->implementation : m->platform->implementation,
                                 o->set_implementation.items, o->set_implementation.n, &m->implementation, e);
    if (!rc)
        rc = implementation_apply(m->implementation, m->topology, e);
    return rc;
}

static enum rc machine_load(const struct options *o, bool implementation, struct machine **machine, struct err *e) {
    struct machine *m = mem_alloc(1, sizeof *m);
    enum rc rc = machine_fill(o, implementation, m, e);
    if (rc)
        machine_free(m);
    else
        *machine = m;
    return rc;
}

/* About what files, links and, once calls are made, the table of routes take. */
static size_t machine_bytes(const struct machine *m) {
    size_t ranks = (size_t)m->topology->ranks, pairs = ranks > ROUTE_TABLE_RANKS ? 0 : ranks * ranks;
    enum { FILES = 1 << 16, OF_PAIR = 32 };
    return FILES + (size_t)m->topology->n_links * sizeof(struct link) + pairs * OF_PAIR;
}

/* --- what comes from a name and settings ----------------------------------------------------------- */

static void add_key(struct buf *key, const char *name, const struct setting_list *settings) {
    buf_printf(key, "%s\n", name ? name : "");
    for (size_t i = 0; i < settings->n; i++)
        buf_printf(key, "%s=%s\n", settings->items[i].key, settings->items[i].value);
    buf_text(key, "\n");
}

static enum rc load_machine(const struct options *o, unsigned parts, struct inputs *in, struct err *e) {
    struct memo *memo = in->memo ? &in->memo->machines : NULL;
    struct buf key = {0};
    add_key(&key, o->platform, &o->set_platform);
    add_key(&key, o->implementation, &o->set_implementation);
    enum rc rc = RC_OK;
    struct machine *m = memo ? memo_find(memo, key.text) : NULL;
    if (!m) {
        rc = machine_load(o, parts & INPUT_IMPLEMENTATION, &m, e);
        if (!rc && memo)
            memo_keep(memo, key.text, m, machine_bytes(m), machine_free);
    }
    buf_clear(&key);
    if (rc)
        return rc;
    in->machine = m;
    in->platform = m->platform;
    in->topology = m->topology;
    in->implementation = m->implementation;
    return RC_OK;
}

static void release_workload(void *w) {
    workload_free(w);
}

static enum rc load_workload(const struct options *o, struct inputs *in, struct err *e) {
    enum { BYTES = 1 << 14 }; // about what its file takes
    struct memo *memo = in->memo ? &in->memo->workloads : NULL;
    struct buf key = {0};
    add_key(&key, o->workload, &o->set_workload);
    enum rc rc = RC_OK;
    in->workload = memo ? memo_find(memo, key.text) : NULL;
    if (!in->workload) {
        rc = workload_load(o->workload ? o->workload : WORKLOAD_DEFAULT, o->set_workload.items, o->set_workload.n,
                           &in->workload, e);
        if (!rc && memo)
            memo_keep(memo, key.text, in->workload, BYTES, release_workload);
    }
    buf_clear(&key);
    return rc;
}

/* --- what is drawn --------------------------------------------------------------------------------- */

static enum rc load_arrival(const struct options *o, struct inputs *in, struct err *e) {
    int ranks = plat_ranks(in->platform);
    bool skewed;
    double *enter_s = mem_alloc((size_t)ranks, sizeof *enter_s);
    enum rc rc = job_arrival(in->platform, in->workload, o->seed, enter_s, &skewed, e);
    if (!rc && skewed)
        in->enter_s = enter_s;
    else
        free(enter_s);
    return rc;
}

static void drawn_free(void *thing) {
    struct drawn *d = thing;
    traffic_free(d->traffic);
    free(d);
}

static enum rc drawn_load(const struct options *o, const struct inputs *in, struct drawn **drawn, struct err *e) {
    struct traffic *t;
    enum rc rc = traffic_build(in->platform, in->workload, o->seed, &t, e);
    if (rc)
        return rc;
    struct drawn *d = mem_alloc(1, sizeof *d);
    d->traffic = t;
    traffic_rho(t, &d->rho);
    d->same_per_rank = !(matrix_total(&t->one_hop_rank, false) < matrix_total(&t->one_hop, false));
    *drawn = d;
    return RC_OK;
}

static size_t traffic_bytes(const struct traffic *t) {
    const struct matrix *const all[] = {&t->one_hop, &t->one_hop_rank, &t->hop_b, &t->hop_b_rank};
    size_t entries = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        entries += all[i]->start[all[i]->ranks];
    for (int cut = 0; cut < TIER_MAX && t->hop_a[cut].start; cut++)
        entries += t->hop_a[cut].start[t->ranks];
    return entries * (sizeof *t->one_hop.dst + sizeof *t->one_hop.value);
}

static enum rc load_traffic(const struct options *o, struct inputs *in, struct err *e) {
    struct memo *memo = in->memo ? &in->memo->traffic : NULL;
    struct drawn *d = memo ? memo_find(memo, in->memo->traffic_key) : NULL;
    if (!d) {
        enum rc rc = drawn_load(o, in, &d, e);
        if (rc)
            return rc;
        if (memo)
            memo_keep(memo, in->memo->traffic_key, d, traffic_bytes(d->traffic), drawn_free);
    }
    in->drawn = d;
    in->traffic = d->traffic;
    return RC_OK;
}

/* --- all together ---------------------------------------------------------------------------------- */

enum rc inputs_load(const struct options *o, unsigned parts, struct inputs *in, struct err *e) {
    enum rc rc = RC_OK;
    if (parts & (INPUT_PLATFORM | INPUT_IMPLEMENTATION | INPUT_TRAFFIC))
        rc = load_machine(o, parts, in, e);
    if (!rc && (parts & (INPUT_WORKLOAD | INPUT_TRAFFIC)))
        rc = load_workload(o, in, e);
    if (!rc && (parts & INPUT_TRAFFIC))
        rc = load_arrival(o, in, e);
    if (!rc && (parts & INPUT_TRAFFIC))
        rc = load_traffic(o, in, e);
    return rc;
}

void inputs_clear(struct inputs *in) {
    free(in->enter_s);
    if (!in->memo) {
        if (in->drawn)
            drawn_free(in->drawn);
        workload_free(in->workload);
        if (in->machine)
            machine_free(in->machine);
    }
    *in = (struct inputs){0};
}

struct inputs_memo inputs_memo(void) {
    enum { MACHINES = 32 << 20, WORKLOADS = 2 << 20, TRAFFIC = 32 << 20 };
    return (struct inputs_memo){.machines.limit_bytes = MACHINES,
                                .workloads.limit_bytes = WORKLOADS,
                                .traffic.limit_bytes = TRAFFIC};
}

void inputs_memo_clear(struct inputs_memo *m) {
    memo_clear(&m->traffic);
    memo_clear(&m->workloads);
    memo_clear(&m->machines);
}
