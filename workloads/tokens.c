/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/tokens.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/file.h"
#include "platforms/base/rng.h"

/* Reads digits up to TOKENS_MAX and moves *p behind them; returns false where there are none, or a larger number. */
static bool tokens_read_count(const char **p, int64_t *value) {
    const char *start = *p;
    *value = 0;
    for (; **p >= '0' && **p <= '9' && *value <= TOKENS_MAX; ++*p)
        *value = *value * 10 + (**p - '0');
    return *p > start && *value <= TOKENS_MAX;
}

enum rc tokens_parse(const char *text, const char *name, int64_t *tokens, int n, int *count,
                     struct err *e) {
    static const char between[] = ", \t\r\n";
    int used = 0;
    for (const char *p = text + strspn(text, between); *p; p += strspn(p, between)) {
        const char *start = p;
        int64_t value, times = 1;
        bool good = tokens_read_count(&p, &value);
        if (good && *p == 'x') {
            p++;
            good = tokens_read_count(&p, &times);
        }
        if (!good || (*p && !strchr(between, *p)))
            return err_set(
                e, RC_SYNTAX,
                "%s: '%.20s': expected numbers of tokens up to %d such as 4096, or 4096x7 to "
                "repeat one",
                name, start, TOKENS_MAX);
        for (int64_t i = 0; i < times; i++, used++)
            if (used < n)
                tokens[used] = value;
            else if (used == INT32_MAX)
                return err_set(e, RC_RANGE, "%s: more than %d numbers", name, INT32_MAX);
    }
    *count = used;
    return RC_OK;
}

static enum rc take_list(const struct tokens_ask *a, const char *text, const char *name,
                         int64_t *tokens, struct err *e) {
    int count;
    enum rc rc = tokens_parse(text, name, tokens, a->ranks, &count, e);
    if (!rc && count != a->ranks)
        rc = err_set(e, RC_SHAPE, "%s: tokens of %d ranks, but there are %d ranks", name, count,
                     a->ranks);
    return rc;
}

static void spread(const struct tokens_ask *a, int64_t *tokens) {
    double sigma = sqrt(log(1 + a->cv * a->cv));
    struct rng r;
    rng_init(&r, a->seed, "tokens", 0);
    for (int i = 0; i < a->ranks && a->cv > 0; i++) {
        double x = (double)a->each * exp(sigma * rng_normal(&r) - sigma * sigma / 2);
        tokens[i] = (int64_t)fmin(round(x), TOKENS_MAX);
    }
    int idle = (int)lround(a->idle * a->ranks);
    int *rank = mem_alloc((size_t)a->ranks, sizeof *rank);
    for (int i = 0; i < a->ranks; i++)
        rank[i] = i;
    for (int i = 0; i < idle; i++) {
        int other = i + (int)rng_below(&r, (uint64_t)(a->ranks - i)), picked = rank[other];
        rank[other] = rank[i];
        tokens[picked] = 0;
    }
    free(rank);
}

enum rc tokens_fill(const struct tokens_ask *a, int64_t *tokens, struct buf *notes, struct err *e) {
    for (int i = 0; i < a->ranks; i++)
        tokens[i] = a->each;
    if (a->list)
        return take_list(a, a->list, "tokens_list", tokens, e);
    if (a->path) {
        enum { BYTES = 1 << 24 };
        char *text;
        size_t n;
        enum rc rc = file_read(a->path, BYTES, &text, &n, e);
        if (!rc && strlen(text) != n)
            rc = err_set(e, RC_SYNTAX, "%s: a zero byte, expected numbers of tokens", a->path);
        else if (!rc)
            rc = take_list(a, text, a->path, tokens, e);
        else
            return rc;
        free(text);
        return rc;
    }
    if (a->cv > 0 || a->idle > 0) {
        spread(a, tokens);
        buf_printf(notes,
                   "tokens per rank: mean %lld, cv %g (log-normal), %g %% of the ranks idle\n",
                   (long long)a->each, a->cv, 100 * a->idle);
    }
    return RC_OK;
}
