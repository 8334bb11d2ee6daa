/* SPDX-License-Identifier: BSD-3-Clause */
/* records.h - routing records made by hand, and the traffic of a built-in workload with keys changed. */
#ifndef TESTS_SUPPORT_RECORDS_H
#define TESTS_SUPPORT_RECORDS_H

#include "tests/support/check.h"

#include <unistd.h>

#include "platforms/base/file.h"
#include "platforms/base/stat.h"
#include "workloads/records/record.h"
#include "workloads/draw/skew.h"
#include "workloads/traffic.h"

enum { RECORDS_PATH = 400 };

/* Path of a sample in tests/data/routing. */
static inline const char *sample(const char *name, char path[static RECORDS_PATH]) {
    snprintf(path, RECORDS_PATH, "%s/routing/%s", TEST_DATA_DIR, name);
    return path;
}

static inline struct record_ask asking(int experts, int top_k) {
    return (struct record_ask){.counts = {.experts = experts},
                               .routes = {.experts = experts, .top_k = top_k}};
}

static inline struct record *load_sample(const char *name, int experts, int top_k) {
    char path[RECORDS_PATH];
    struct record_ask ask = asking(experts, top_k);
    struct record *r = NULL;
    struct err e;
    assert_ok(record_load(sample(name, path), &ask, &r, &e), &e);
    return r;
}

static inline struct record *parse_text(const char *text, int experts, int top_k) {
    struct record_ask ask = asking(experts, top_k);
    struct record *r = NULL;
    struct err e;
    assert_ok(record_parse(text, strlen(text), "t.jsonl", &ask, &r, &e), &e);
    return r;
}

static inline void refuse_text(const char *text, int experts, int top_k, enum rc rc,
                               const char *message) {
    struct record_ask ask = asking(experts, top_k);
    struct record *r = NULL;
    struct err e;
    assert_fails(record_parse(text, strlen(text), "t.jsonl", &ask, &r, &e), rc, &e, message);
    assert_null(r);
}

/* One route line of a log. */
static inline void route_line(struct buf *b, const int *ids, int k) {
    buf_text(b, "{\"type\":\"route\",\"req_id\":\"a\",\"layer\":0,\"topk_ids\":[");
    for (int i = 0; i < k; i++)
        buf_printf(b, "%s%d", i ? "," : "", ids[i]);
    buf_text(b, "]}\n");
}

/* Writes a record to a file of its own; unlink() when done. */
static inline void write_record(const struct buf *b, char path[static RECORDS_PATH]) {
    struct err e;
    snprintf(path, RECORDS_PATH, "/tmp/moesim_record_%ld", (long)getpid());
    assert_ok(file_write(path, b->text, b->n, &e), &e);
}

struct asked {
    struct platform *p;
    struct workload *w;
    struct traffic *t;
};

/* Settings end with a NULL key. The base is uniform, sampled, 64 experts, top 8. */
static inline enum rc ask_traffic(const char *groups, const char *local, const struct setting *set,
                                  struct asked *a, struct err *e) {
    enum { MOST = 20 };
    struct setting shape[] = {{"groups", groups}, {"ranks_per_group", local}};
    struct setting all[MOST] = {{"experts", "64"},           {"top_k", "8"},
                                {"group_limit", "none"},     {"routing.mode", "global_topk"},
                                {"routing.draw", "sampled"}, {"tokens_per_rank", "256"}};
    size_t n = 6;
    for (; set->key; set++) {
        assert_true(n < MOST);
        all[n++] = *set;
    }
    *a = (struct asked){0};
    assert_ok(plat_load("dgx-h100", shape, 2, &a->p, e), e);
    enum rc rc = workload_load("terrace-reference", all, n, &a->w, e);
    return rc ? rc : traffic_build(a->p, a->w, 1, &a->t, e);
}

static inline void done(struct asked *a) {
    traffic_free(a->t);
    workload_free(a->w);
    plat_free(a->p);
}

static inline struct asked get_traffic(const char *groups, const char *local,
                                       const struct setting *set) {
    struct asked a;
    struct err e;
    assert_ok(ask_traffic(groups, local, set, &a, &e), &e);
    return a;
}

static inline void refuse_traffic(const char *groups, const char *local, const struct setting *set,
                                  enum rc rc, const char *message) {
    struct asked a;
    struct err e;
    assert_fails(ask_traffic(groups, local, set, &a, &e), rc, &e, message);
    done(&a);
}

#endif
