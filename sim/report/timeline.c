/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/timeline.h"

#include <stdio.h>

#include "platforms/base/json.h"
#include "platforms/base/unit.h"

#define MICRO 1e6 /* the format counts microseconds */

/* Opens an event: what it is, and whose. */
static void timeline_begin(struct json *j, const char *phase, const char *name, int call, int track) {
    json_open(j, '{');
    json_key_text(j, "ph", phase);
    json_key_text(j, "name", name);
    json_key_int(j, "pid", call + 1);
    json_key_int(j, "tid", track);
}

static void name_track(struct json *j, const char *what, int call, int track, const char *name) {
    timeline_begin(j, "M", what, call, track);
    json_key_int(j, "ts", 0);
    json_key_open(j, "args", '{');
    json_key_text(j, "name", name);
    json_close(j);
    json_close(j);
}

static void timeline_write_stages(struct json *j, const struct result_call *c, int call) {
    name_track(j, "thread_name", call, 0, "stages");
    for (int i = 0; i < c->n_stages; i++) {
        const struct result_stage *s = &c->stages[i];
        if (!claim_known(s->start) || !claim_known(s->end))
            continue;
        timeline_begin(j, "X", s->name, call, 0);
        claim_json_scaled(j, "ts", s->start, MICRO);
        claim_json_span(j, "dur", s->start, s->end, MICRO);
        json_key_open(j, "args", '{');
        json_key_number(j, "bytes", s->bytes);
        json_key_number(j, "messages", s->messages);
        json_close(j);
        json_close(j);
    }
}

/* Writes an event of a rank from 0 to its last byte, where anything moves. */
static void write_end(struct json *j, const char *name, int call, int rank, struct claim end) {
    timeline_begin(j, "X", name, call, rank + 1);
    json_key_int(j, "ts", 0);
    claim_json_scaled(j, "dur", end, MICRO);
    json_close(j);
}

static void timeline_write_ranks(struct json *j, const struct result_call *c, int ranks, int call) {
    for (int r = 0; c->send_end && r < ranks && r < TIMELINE_RANKS; r++) {
        char name[32];
        snprintf(name, sizeof name, "rank %d", r);
        name_track(j, "thread_name", call, r + 1, name);
        if (claim_known(c->send_end[r]) && claim_known(c->port_end[3 * r]))
            write_end(j, "sends", call, r, c->send_end[r]);
        if (claim_known(c->recv_end[r]) && claim_known(c->port_end[3 * r + 1]))
            write_end(j, "receives", call, r, c->recv_end[r]);
    }
}

/* Writes the begin or the end of a message; what the message is stands at its begin. */
static void write_message(struct json *j, const struct result_message *m, const char *tier, int call, size_t number,
                          bool last) {
    char name[80], id[48];
    snprintf(name, sizeof name, "rank %d sends, %.20s fabric", m->src, tier);
    snprintf(id, sizeof id, "%d-%zu", call + 1, number);
    timeline_begin(j, last ? "e" : "b", name, call, m->src + 1);
    claim_json_scaled(j, "ts", last ? m->end : m->start, MICRO);
    json_key_text(j, "cat", "message");
    json_key_text(j, "id", id);
    if (!last) {
        json_key_open(j, "args", '{');
        json_key_text(j, "stage", m->stage);
        json_key_int(j, "to", m->dst);
        json_key_number(j, "bytes", m->bytes);
        json_close(j);
    }
    json_close(j);
}

/* Writes the messages. They overlap, so each is a pair of asynchronous events; those of one name share a row: a row a
 * rank and fabric. */
static void timeline_write_messages(struct json *j, const struct platform *p, const struct result_messages *all,
                                    int call) {
    for (size_t i = 0; i < all->n; i++) {
        const struct result_message *m = &all->items[i];
        if (!claim_known(m->start) || !claim_known(m->end))
            continue;
        write_message(j, m, p->tier[m->tier].name, call, i, false);
        write_message(j, m, p->tier[m->tier].name, call, i, true);
    }
}

static void timeline_write_links(struct json *j, const struct result_call *c, int call) {
    for (int i = 0; i < c->n_links && claim_known(c->bin); i++)
        for (int b = 0; b < c->links[i].n_bins; b++) {
            timeline_begin(j, "C", c->links[i].link->name, call, 0);
            claim_json_scaled(j, "ts", c->bin, MICRO * b);
            json_key_open(j, "args", '{');
            json_key_number(j, "utilisation", c->links[i].bins[b]);
            json_close(j);
            json_close(j);
        }
}

static void note_messages(const struct result_call *c, struct buf *text) {
    const struct result_messages *m = &c->messages;
    char size[UNIT_TEXT], rest[UNIT_TEXT];
    buf_printf(text, "; %.40s %.40s: ", result_call_name(c), c->phase);
    if (!m->items)
        buf_text(text, "no single messages");
    else if (m->n && !claim_known(m->items[0].start))
        buf_text(text, "the times of messages are withheld");
    else if (m->left > 0)
        buf_printf(text, "the %zu largest messages, of %s and more; %.0f with %s in all are left out", m->n,
                   unit_format(m->items[m->n - 1].bytes, UNIT_SIZE, size), m->left,
                   unit_format(m->left_bytes, UNIT_SIZE, rest));
    else
        buf_printf(text, "all %zu messages", m->n);
}

static void write_notes(struct json *j, const struct result *r) {
    int ranks = r->in.topology->ranks;
    struct buf text = {0};
    buf_printf(&text, "%d of %d ranks have a track; links: the busiest ones only",
               ranks < TIMELINE_RANKS ? ranks : TIMELINE_RANKS, ranks);
    for (int i = 0; i < r->n_calls; i++)
        note_messages(&r->calls[i], &text);
    json_key_open(j, "otherData", '{');
    json_key_text(j, "left_out", text.text);
    json_key_text(j, "platform", r->in.platform->name);
    json_key_text(j, "workload", r->in.workload->name);
    json_close(j);
    buf_clear(&text);
}

void timeline_write(const struct result *r, struct buf *out) {
    struct json j;
    json_init(&j, out, false);
    json_open(&j, '{');
    json_key_open(&j, "traceEvents", '[');
    for (int i = 0; i < r->n_calls; i++) {
        const struct result_call *c = &r->calls[i];
        char name[120];
        snprintf(name, sizeof name, "%.40s %.40s (%s)", result_call_name(c), c->phase,
                 c->time_known ? "call time" : "wire");
        name_track(&j, "process_name", i, 0, name);
        timeline_write_stages(&j, c, i);
        timeline_write_ranks(&j, c, r->in.topology->ranks, i);
        timeline_write_messages(&j, r->in.platform, &c->messages, i);
        timeline_write_links(&j, c, i);
    }
    json_close(&j);
    json_key_text(&j, "displayTimeUnit", "ns");
    write_notes(&j, r);
    json_close(&j);
    buf_text(out, "\n");
}
