/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/wire.h"

#include <string.h>

static const char magic[8] = "moerun4";

/* A report that is written or read: a field is appended to out, or taken from data. */
struct wire {
    struct buf *out; /* NULL: reading */
    const char *data;
    size_t n, at;
    bool short_of;
};

static void field(struct wire *w, void *value, size_t size) {
    if (w->out) {
        buf_add(w->out, value, size);
    } else if (w->short_of || size > w->n - w->at) {
        w->short_of = true;
        memset(value, 0, size);
    } else {
        memcpy(value, w->data + w->at, size);
        w->at += size;
    }
}

static void array_field(void *wire, void *data, size_t bytes) {
    field(wire, data, bytes);
}

static void play_fields(struct wire *w, const struct plan *plan, struct play *p) {
    play_each_array(p, plan, array_field, w);
    field(w, &p->bin_s, sizeof p->bin_s);
    field(w, &p->n_messages, sizeof p->n_messages);
    field(w, &p->left_messages, sizeof p->left_messages);
    field(w, &p->left_bytes, sizeof p->left_bytes);
    field(w, &p->flows, sizeof p->flows);
    field(w, &p->events, sizeof p->events);
    field(w, &p->levels, sizeof p->levels);
    field(w, &p->wall_s, sizeof p->wall_s);
    field(w, &p->cpu_s, sizeof p->cpu_s);
    field(w, &p->peak_rss_bytes, sizeof p->peak_rss_bytes);
}

void wire_encode(const struct plan *plan, enum rc rc, const struct err *error,
                 const struct play *plays, size_t n_plays, struct buf *out) {
    struct wire w = {.out = out};
    struct err report = {.code = rc};
    char word[sizeof magic];
    memcpy(word, magic, sizeof word);
    field(&w, word, sizeof word);
    if (rc)
        report = *error;
    field(&w, &report, sizeof report);
    for (size_t i = 0; i < n_plays && rc == RC_OK; i++) {
        struct play copy = plays[i];
        play_fields(&w, plan, &copy);
    }
}

enum rc wire_decode(const struct plan *plan, const void *data, size_t n, struct play *plays,
                    size_t n_plays, struct err *e) {
    struct wire w = {.data = data, .n = n};
    char word[sizeof magic];
    struct err report;
    field(&w, word, sizeof word);
    field(&w, &report, sizeof report);
    if (w.short_of || memcmp(word, magic, sizeof word) != 0)
        return err_set(e, RC_ENGINE, "the simulation process left no report (%zu bytes)", n);
    report.text[sizeof report.text - 1] = '\0';
    if (report.code != RC_OK)
        return err_set(e, report.code, "%s", report.text);
    for (size_t i = 0; i < n_plays; i++)
        play_fields(&w, plan, &plays[i]);
    if (w.short_of || w.at != n)
        return err_set(e, RC_ENGINE,
                       "the simulation process left a report of %zu bytes, expected %s", n,
                       w.short_of ? "more" : "fewer");
    return RC_OK;
}
