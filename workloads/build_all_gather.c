/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds all-gather: every rank gets the tokens of all ranks, and combine is a reduce-scatter of as many rows. [M13] */
#include "workloads/build.h"

#include <stdlib.h>

#include "platforms/base/mem.h"

/* Appends `rows` to src -> dst of a matrix that is filled sender after sender. */
static void append_after(struct matrix *m, size_t *room, int src, int dst, double rows) {
    m->start[src + 1] = m->start[src];
    matrix_append(m, room, src, dst, rows);
}

/* Builds the direct form: one stage from every rank straight to every other. */
static void build_direct(struct call *s) {
    const struct platform *p = s->platform;
    int ranks = plat_ranks(p);
    struct matrix rows;
    size_t room = 0;
    matrix_init(&rows, ranks, 0, true);
    for (int src = 0; src < ranks; src++) {
        rows.start[src + 1] = rows.start[src];
        for (int dst = 0; dst < ranks; dst++)
            matrix_append(&rows, &room, src, dst, (double)s->traffic->tokens[src]);
    }
    struct stage *stage = build_stage(s, "all_gather", &rows);
    build_collective(s, stage, ranks, plat_widest(p), 1);
    build_reach(stage, plat_widest(p), -1);
}

/* Rings that run side by side: member j of ring i is rank i apart + j stride, and starts with a block. */
struct rings {
    int n, members; /* rings, and members of each */
    int apart, stride;
    double *block; /* rows of each rank's block at the start, [ranks] */
};

/* Fills the rows of one round of all rings: member j sends on the block that was member (j - round)'s at the start. */
static void fill_round(const struct platform *p, const struct rings *r, int round, struct matrix *rows) {
    int ranks = plat_ranks(p);
    size_t room = 0;
    int *next = mem_alloc((size_t)ranks, sizeof *next);
    double *sent = mem_alloc((size_t)ranks, sizeof *sent);
    for (int ring = 0; ring < r->n; ring++)
        for (int j = 0; j < r->members; j++) {
            int base = ring * r->apart, rank = base + j * r->stride;
            next[rank] = base + (j + 1) % r->members * r->stride;
            sent[rank] = r->block[base + (j - round + r->members) % r->members * r->stride];
        }
    matrix_init(rows, ranks, 0, true);
    for (int rank = 0; rank < ranks; rank++)
        append_after(rows, &room, rank, next[rank], sent[rank]);
    free(next);
    free(sent);
}

/* Appends the rounds of rings. In a combine the last round comes first, and blocks go the other way round. */
static void build_rings(struct call *s, const char *name, const struct rings *r, enum tier span, int index) {
    int n = r->members - 1;
    for (int i = 0; i < n; i++) {
        struct matrix rows;
        fill_round(s->platform, r, s->phase == PHASE_DISPATCH ? i : n - 1 - i, &rows);
        struct stage *stage = i == 0 ? build_stage(s, name, &rows) : build_round(s, name, &rows);
        if (i == 0)
            build_collective(s, stage, r->members, span, 1);
        build_reach(stage, span, index);
        stage->permutation = true;
        stage->peers = 2;
        stage->span = span;
    }
}

static double *own_blocks(const struct call *s) {
    int ranks = plat_ranks(s->platform);
    double *block = mem_alloc((size_t)ranks, sizeof *block);
    for (int rank = 0; rank < ranks; rank++)
        block[rank] = (double)s->traffic->tokens[rank];
    return block;
}

static void build_ring(struct call *s) {
    struct rings all = {1, plat_ranks(s->platform), 1, 1, own_blocks(s)};
    build_rings(s, "all_gather", &all, plat_widest(s->platform), -1);
    free(all.block);
}

/* Builds two levels of rings: rings of ranks with one index between the groups, then rings inside each group, whose
 * blocks are what the first rings brought; a combine takes the inner rings first. Each level pays alpha of its own
 * world. */
static void build_two_rings(struct call *s) {
    const struct platform *p = s->platform;
    int groups = (int)p->groups, each = (int)p->ranks_per_group;
    struct rings across = {each, groups, 1, each, own_blocks(s)},
                 inside = {groups, each, each, 1, own_blocks(s)};
    for (int rank = 0; rank < groups * each; rank++) {
        inside.block[rank] = 0;
        for (int g = 0; g < groups; g++)
            inside.block[rank] += across.block[g * each + rank % each];
    }
    if (s->phase == PHASE_DISPATCH)
        build_rings(s, "across", &across, plat_widest(p), TIER_FAST);
    build_rings(s, "inside", &inside, TIER_FAST, -1);
    if (s->phase == PHASE_COMBINE)
        build_rings(s, "across", &across, plat_widest(p), TIER_FAST);
    free(across.block);
    free(inside.block);
}

void build_all_gather(struct call *s) {
    switch ((enum gather_by)s->implementation->all_gather) {
    case GATHER_DIRECT:
        build_direct(s);
        break;
    case GATHER_RING:
        build_ring(s);
        break;
    case GATHER_TWO_RINGS:
        build_two_rings(s);
        break;
    }
    if (s->n_stages == 0) // nobody to send to
        build_direct(s);
}
