/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/build.h"

#include "platforms/base/mem.h"

static struct stage *fill_stage(struct call *s, struct stage *stage, struct matrix *rows) {
    const struct implementation *m = s->implementation;
    bool rows_known = s->traffic->unit == TRAFFIC_ROWS; // in a matrix of bytes a pair is one message
    stage->unit_bytes = m->message == UNIT_ROW     ? (rows_known ? s->row_bytes : 0)
                        : m->message == UNIT_CHUNK ? m->chunk_bytes.value
                                                   : 0;
    if (s->phase == PHASE_COMBINE) {
        struct matrix back;
        matrix_transpose(rows, &back);
        matrix_clear(rows);
        *rows = back;
    }
    stage->bytes = *rows;
    stage->bytes.whole = false;
    for (size_t i = 0; i < rows->start[rows->ranks]; i++)
        stage->bytes.value[i] *= s->row_bytes;
    return stage;
}

struct stage *build_stage(struct call *s, const char *name, struct matrix *rows) {
    return fill_stage(s, call_add_stage(s, name), rows);
}

struct stage *build_round(struct call *s, const char *name, struct matrix *rows) {
    return fill_stage(s, call_add_round(s, name), rows);
}

void build_chain(struct call *s, struct stage *stage, struct matrix *pairs) {
    if (s->phase == PHASE_DISPATCH && s->traffic->unit == TRAFFIC_BYTES) {
        stage->splits = s->implementation->alpha_calls == ALPHA_PER_HOP; // rows are not known
    } else if (s->phase == PHASE_DISPATCH) {
        stage->splits = s->implementation->alpha_calls == ALPHA_PER_HOP;
        stage->pairs = mem_alloc((size_t)plat_ranks(s->platform), sizeof *stage->pairs);
        matrix_sums(pairs, true, true, stage->pairs);
    }
    matrix_clear(pairs);
}

void build_collective(const struct call *s, struct stage *stage, int world, enum tier span,
                           int64_t collectives) {
    stage->world = stage->peers = world;
    stage->span = span;
    stage->collectives = s->phase == PHASE_DISPATCH ? (int)collectives : 1;
}

void build_reach(struct stage *stage, enum tier inside, int index) {
    stage->inside = inside;
    stage->index = index;
}

enum dedup build_dedup(const struct call *s, enum dedup on_the_way_out, enum dedup at_forwarder) {
    if (s->phase == PHASE_DISPATCH)
        return on_the_way_out;
    switch ((enum reduce)s->implementation->reduce) {
    case REDUCE_NONE:
        return DEDUP_NONE;
    case REDUCE_EXPERT_RANK:
        return DEDUP_RANK;
    case REDUCE_FORWARDER:
        break;
    }
    return at_forwarder;
}
