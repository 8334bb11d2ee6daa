/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum rc load_arrival(const struct options *o, struct inputs *in, struct err *e) {
    int ranks = plat_ranks(in->platform);
    bool skewed;
    double *enter_s = mem_alloc((size_t)ranks, sizeof *enter_s);
    enum rc rc = workload_arrival(in->workload, ranks, o->seed, enter_s, &skewed, e);
    if (!rc && skewed)
        in->enter_s = enter_s;
    else
        free(enter_s);
    return rc;
}

static enum rc load_traffic(const struct options *o, struct inputs *in, struct err *e) {
    struct traffic_memo *m = in->memo;
    if (!m)
        return traffic_build(in->platform, in->workload, o->seed, &in->traffic, e);
    if (!m->traffic || strcmp(m->key, m->asked) != 0) {
        traffic_free(m->traffic);
        m->traffic = NULL;
        enum rc rc = traffic_build(in->platform, in->workload, o->seed, &m->traffic, e);
        if (rc)
            return rc;
        snprintf(m->key, sizeof m->key, "%s", m->asked);
    }
    in->traffic = m->traffic;
    return RC_OK;
}

enum rc inputs_load(const struct options *o, unsigned parts, struct inputs *in, struct err *e) {
    enum rc rc = RC_OK;
    if (parts & (INPUT_PLATFORM | INPUT_IMPLEMENTATION | INPUT_TRAFFIC)) {
        rc = plat_load(o->platform ? o->platform : PLATFORM_DEFAULT, o->set_platform.items,
                       o->set_platform.n, &in->platform, e);
        if (!rc)
            in->topology = topo_build(in->platform);
    }
    if (!rc && (parts & (INPUT_WORKLOAD | INPUT_TRAFFIC)))
        rc = workload_load(o->workload ? o->workload : WORKLOAD_DEFAULT, o->set_workload.items,
                           o->set_workload.n, &in->workload, e);
    if (!rc && (parts & INPUT_IMPLEMENTATION))
        rc = implementation_load(o->implementation ? o->implementation : in->platform->implementation,
                                 o->set_implementation.items, o->set_implementation.n,
                                 &in->implementation, e);
    if (!rc && in->topology)
        rc = implementation_apply(in->implementation, in->topology, e);
    if (!rc && (parts & INPUT_TRAFFIC))
        rc = load_arrival(o, in, e);
    if (!rc && (parts & INPUT_TRAFFIC))
        rc = load_traffic(o, in, e);
    return rc;
}

void inputs_clear(struct inputs *in) {
    if (!in->memo)
        traffic_free(in->traffic);
    topo_free(in->topology);
    free(in->enter_s);
    plat_free(in->platform);
    workload_free(in->workload);
    implementation_free(in->implementation);
    *in = (struct inputs){0};
}
