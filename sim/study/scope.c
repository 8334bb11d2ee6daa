/* SPDX-License-Identifier: BSD-3-Clause */
/* What a question is about, for the gates. */
#include "sim/study/scope.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/stat.h"
#include "workloads/strategy.h"

/* Returns whether settings change how many ranks there are only, not what one of them can do. */
static bool only_shape(const struct question_input *input) {
    static const char *const shape[] = {"groups", "ranks_per_group"};
    for (size_t i = 0; i < input->n; i++)
        if (strcmp(input->settings[i].key, shape[0]) != 0 && strcmp(input->settings[i].key, shape[1]) != 0)
            return false;
    return true;
}

static void widen(double range[2], double value, bool first) {
    range[0] = first ? value : fmin(range[0], value);
    range[1] = first ? value : fmax(range[1], value);
}

/* Widens a scope by the bytes that ranks send in a stage, local ones included, and by the skew on its links. */
static void widen_by_stage(const struct matrix *m, bool first, struct gate_scope *asked) {
    size_t ranks = (size_t)m->ranks;
    double *out = mem_alloc(ranks, sizeof *out), *in = mem_alloc(ranks, sizeof *in);
    for (int src = 0; src < m->ranks; src++) {
        double sent = 0, on_links = 0;
        for (size_t i = m->start[src]; i < m->start[src + 1]; i++) {
            sent += m->value[i];
            if (m->dst[i] == src)
                continue;
            on_links += m->value[i];
            in[m->dst[i]] += m->value[i];
        }
        out[src] = on_links;
        widen(asked->bytes, sent, first && src == 0);
    }
    asked->rho_max = fmax(asked->rho_max, stat_max_over_mean(out, ranks));
    asked->rho_max = fmax(asked->rho_max, stat_max_over_mean(in, ranks));
    free(out);
    free(in);
}

void scope_of_call(const struct question *q, const struct inputs *in, const struct call *call,
                   struct gate_scope *asked) {
    static const char changed[] = "changed by --set", imitation[] = "not the shipped file";
    const struct platform *p = call->platform;
    const struct implementation *m = call->implementation;
    *asked = (struct gate_scope){
        .machine = p->name,
        .constants_sha256 = only_shape(&q->platform) ? in->constants_sha256 : changed,
        .implementation = q->implementation.n ? changed : in->imitation ? imitation : m->name,
        // the corpora hold dispatch-like calls of a host that runs ahead; the rest was measured by nobody
        .strategy = call->phase == PHASE_DISPATCH && q->host == HOST_ALONE ? strategy_name(call->strategy)
                                                              : "another phase or host regime",
        .rho_max = 1};
    int n_worlds = 0;
    for (int i = 0; i < call->n_stages; i++) {
        const struct stage *s = &call->stages[i];
        if (s->world > 1) // a world of 1 exchanges nothing
            widen(asked->world, s->world, n_worlds++ == 0);
        widen_by_stage(&s->bytes, i == 0, asked);
    }
    bool several = call->traffic && call->traffic->job && call->traffic->job->n_groups > 1;
    if (call->enter_s || several) // ranks that come late, and several EP groups at once, were measured by nobody
        asked->rho_max = INFINITY;
}
