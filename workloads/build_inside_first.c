/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds two-hop-inside-first: inside the group to the rank with the destination's index, then across to the
 * destination. [M14] */
#include "workloads/build.h"
#include "workloads/hops.h"

void build_inside_first(struct call *s) {
    static const char *const names[] = {"inside", "across"};
    const struct platform *p = s->platform;
    const struct implementation *m = s->implementation;
    int groups = p->domains[s->cut].n;
    struct matrix rows[2], pairs;
    hops_inside_first(p, s->cut, hops_direct_of(s->traffic, DEDUP_NONE), rows);
    matrix_scale(&rows[1], 1, &pairs);
    for (int i = 0; i < 2; i++) {
        bool inside = (s->phase == PHASE_DISPATCH) == (i == 0);
        struct stage *stage = build_stage(s, names[inside ? 0 : 1], &rows[inside ? 0 : 1]);
        enum tier span = inside ? plat_widest_in(p, s->cut) : plat_widest(p);
        build_collective(s, stage, inside ? plat_span(p, s->cut) : groups, span,
                         inside ? m->collectives.hop_b : m->collectives.hop_a);
        build_reach(stage, span, inside ? -1 : (int)s->cut);
        if (i == 1)
            build_chain(s, stage, &pairs);
    }
}
