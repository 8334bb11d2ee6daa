/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/turns.h"

#include <stdlib.h>
#include <string.h>

#include "platforms/base/file.h"
#include "platforms/base/mem.h"

enum { FILE_BYTES_MAX = 64 << 20, RANK_MAX = 65535, ROUNDS_MAX = 8192 };

static int by_turn(const void *a, const void *b) {
    const struct turn *x = a, *y = b;
    if (x->src != y->src)
        return x->src - y->src;
    if (x->round != y->round)
        return x->round - y->round;
    return x->number < y->number ? -1 : x->number > y->number;
}

struct turns *turns_make(struct turn *all, size_t n, int ranks) {
    struct turns *t = mem_alloc(1, sizeof *t);
    *t = (struct turns){.ranks = ranks,
                        .start = mem_alloc((size_t)ranks + 1, sizeof *t->start),
                        .dst = mem_alloc(n, sizeof *t->dst),
                        .round = mem_alloc(n, sizeof *t->round)};
    if (n)
        qsort(all, n, sizeof *all, by_turn);
    for (size_t i = 0; i < n; i++) {
        t->dst[i] = all[i].dst;
        t->round[i] = all[i].round;
        t->n_rounds = all[i].round + 1 > t->n_rounds ? all[i].round + 1 : t->n_rounds;
        t->start[all[i].src + 1]++;
    }
    for (int rank = 0; rank < ranks; rank++)
        t->start[rank + 1] += t->start[rank];
    return t;
}

struct turns *turns_copy(const struct turns *t) {
    if (!t)
        return NULL;
    struct turns *copy = mem_alloc(1, sizeof *copy);
    size_t ranks = (size_t)t->ranks + 1, n = t->start[t->ranks];
    *copy = *t;
    copy->start = mem_alloc(ranks, sizeof *copy->start);
    copy->dst = mem_alloc(n, sizeof *copy->dst);
    copy->round = mem_alloc(n, sizeof *copy->round);
    memcpy(copy->start, t->start, ranks * sizeof *copy->start);
    memcpy(copy->dst, t->dst, n * sizeof *copy->dst);
    memcpy(copy->round, t->round, n * sizeof *copy->round);
    return copy;
}

void turns_free(struct turns *t) {
    if (!t)
        return;
    free(t->start);
    free(t->dst);
    free(t->round);
    free(t);
}

/* --- files ------------------------------------------------------------------------------------------ */

/* A file as it is read. */
struct reading {
    const char *name, *at, *end;
    int line;
    struct turn *all;
    size_t n, room;
    int ranks, rounds;
    bool lists, barriers;
    bool *seen; /* [2 * (RANK_MAX + 1)] in this line: named as a receiver; as a sender */
};

static void skip_blanks(struct reading *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == ','))
        r->at++;
    if (r->at < r->end && *r->at == '#')
        while (r->at < r->end && *r->at != '\n')
            r->at++;
}

static bool at_line_end(const struct reading *r) {
    return r->at == r->end || *r->at == '\n';
}

static enum rc read_rank(struct reading *r, int *rank, struct err *e) {
    const char *start = r->at;
    for (*rank = 0; r->at < r->end && *r->at >= '0' && *r->at <= '9' && *rank <= RANK_MAX; r->at++)
        *rank = *rank * 10 + (*r->at - '0');
    if (r->at == start)
        return err_set(e, RC_SYNTAX,
                       "%s:%d: expected a rank with its destinations such as '3: 0 1 2', or pairs of a round such as "
                       "'0>1 1>0'",
                       r->name, r->line);
    if (*rank > RANK_MAX)
        return err_set(e, RC_RANGE, "%s:%d: a rank above %d", r->name, r->line, RANK_MAX);
    r->ranks = *rank >= r->ranks ? *rank + 1 : r->ranks;
    return RC_OK;
}

static enum rc add_turn(struct reading *r, int src, int dst, struct err *e) {
    bool *receives = &r->seen[2 * dst], *sends = &r->seen[2 * src + 1];
    if (src == dst)
        return err_set(e, RC_RANGE, "%s:%d: rank %d sends to itself", r->name, r->line, src);
    if (*receives || (*sends && !r->lists))
        return err_set(e, RC_RANGE, "%s:%d: rank %d %s twice", r->name, r->line, *receives ? dst : src,
                       r->lists ? "is a destination" : *receives ? "receives" : "sends");
    *receives = *sends = true;
    MEM_GROW(r->all, r->n, r->room);
    r->all[r->n] = (struct turn){src, dst, r->lists ? 0 : r->rounds, r->n};
    r->n++;
    return RC_OK;
}

/* Reads destinations behind "3:". */
static enum rc read_list(struct reading *r, int src, struct err *e) {
    enum rc rc = RC_OK;
    for (skip_blanks(r); !rc && !at_line_end(r); skip_blanks(r)) {
        int dst;
        rc = read_rank(r, &dst, e);
        if (!rc)
            rc = add_turn(r, src, dst, e);
    }
    return rc;
}

/* Reads pairs; the first sender has been read. */
static enum rc read_round(struct reading *r, int src, struct err *e) {
    enum rc rc = RC_OK;
    while (!rc) {
        int dst;
        if (r->at == r->end || *r->at != '>')
            return err_set(e, RC_SYNTAX, "%s:%d: expected '>' behind rank %d", r->name, r->line, src);
        r->at++;
        rc = read_rank(r, &dst, e);
        if (!rc)
            rc = add_turn(r, src, dst, e);
        skip_blanks(r);
        if (rc || at_line_end(r))
            break;
        rc = read_rank(r, &src, e);
    }
    if (!rc && ++r->rounds > ROUNDS_MAX)
        rc = err_set(e, RC_RANGE, "%s:%d: more than %d rounds", r->name, r->line, ROUNDS_MAX);
    return rc;
}

/* Forgets who was named in a line. */
static void forget(struct reading *r, size_t first) {
    for (size_t i = first; i < r->n; i++)
        r->seen[2 * r->all[i].dst] = r->seen[2 * r->all[i].src + 1] = false;
}

static enum rc read_line(struct reading *r, struct err *e) {
    static const char word[] = "barriers";
    const size_t length = sizeof word - 1;
    int src;
    skip_blanks(r);
    if (at_line_end(r))
        return RC_OK;
    if ((size_t)(r->end - r->at) >= length && memcmp(r->at, word, length) == 0 && r->n == 0) {
        r->at += length;
        r->barriers = true;
        return RC_OK;
    }
    enum rc rc = read_rank(r, &src, e);
    if (rc)
        return rc;
    skip_blanks(r);
    bool list = r->at < r->end && *r->at == ':';
    if (r->n && list != r->lists)
        return err_set(e, RC_SYNTAX, "%s:%d: destinations of ranks and pairs of rounds do not go together", r->name,
                       r->line);
    r->lists = list;
    r->at += list;
    size_t first = r->n;
    rc = list ? read_list(r, src, e) : read_round(r, src, e);
    forget(r, first);
    return rc;
}

static int by_pair(const void *a, const void *b) {
    const struct turn *x = a, *y = b;
    return x->src != y->src ? x->src - y->src : x->dst - y->dst;
}

/* A pair is served once. */
static enum rc check_pairs(struct reading *r, struct err *e) {
    if (r->n)
        qsort(r->all, r->n, sizeof *r->all, by_pair);
    for (size_t i = 1; i < r->n; i++)
        if (by_pair(&r->all[i - 1], &r->all[i]) == 0)
            return err_set(e, RC_RANGE, "%s: rank %d sends to rank %d twice", r->name, r->all[i].src, r->all[i].dst);
    return RC_OK;
}

enum rc turns_parse(const char *text, size_t n, const char *name, struct turns **turns, struct err *e) {
    struct reading r = {.name = name, .at = text, .end = text + n, .line = 1};
    r.seen = mem_alloc(2 * ((size_t)RANK_MAX + 1), sizeof *r.seen);
    enum rc rc = RC_OK;
    while (!rc && r.at < r.end) {
        rc = read_line(&r, e);
        skip_blanks(&r);
        if (!rc && !at_line_end(&r))
            rc = err_set(e, RC_SYNTAX, "%s:%d: '%c' found, expected the end of the line", name, r.line,
                         *r.at >= ' ' && *r.at <= '~' ? *r.at : '?');
        r.at += r.at < r.end;
        r.line++;
    }
    if (!rc && r.barriers && r.lists)
        rc = err_set(e, RC_SYNTAX, "%s: barriers are for rounds of pairs", name);
    if (!rc)
        rc = check_pairs(&r, e);
    if (!rc) {
        *turns = turns_make(r.all, r.n, r.ranks);
        (*turns)->barriers = r.barriers;
    }
    free(r.all);
    free(r.seen);
    return rc;
}

enum rc turns_load(const char *path, struct turns **turns, struct err *e) {
    char *text;
    size_t n;
    enum rc rc = file_read(path, FILE_BYTES_MAX, &text, &n, e);
    if (rc)
        return rc;
    rc = turns_parse(text, n, path, turns, e);
    free(text);
    return rc;
}
