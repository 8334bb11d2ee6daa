/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/unit.h"
#include "sim/report/page.h"

static void event(json_t *events, const char *phase, const char *name, size_t call, size_t track, double at_s) {
    json_t *e = json_pack("{s:s, s:s, s:I, s:I, s:f}", "ph", phase, "name", name, "pid", (json_int_t)call + 1, "tid",
                          (json_int_t)track, "ts", 1e6 * at_s);
    json_array_append_new(events, e);
}

static json_t *last_of(json_t *events) {
    return json_array_get(events, json_array_size(events) - 1);
}

static void name_track(json_t *events, const char *what, size_t call, size_t track, const char *name) {
    event(events, "M", what, call, track, 0);
    json_object_set_new(last_of(events), "args", json_pack("{s:s}", "name", name));
}

static void span(json_t *events, const char *name, size_t call, size_t track, const double at_s[2]) {
    event(events, "X", name, call, track, at_s[0]);
    json_object_set_new(last_of(events), "dur", json_real(1e6 * (at_s[1] - at_s[0])));
}

static void write_stages(json_t *events, const json_t *call, size_t index) {
    const json_t *stages = page_get(call, "stages");
    name_track(events, "thread_name", index, 0, "stages");
    for (size_t i = 0; i < json_array_size(stages); i++) {
        const json_t *stage = json_array_get(stages, i);
        struct page_number start = page_number(stage, "start_s"), end = page_number(stage, "end_s");
        if (!start.known || !end.known)
            continue;
        span(events, page_text(stage, "name"), index, 0, (double[]){start.value, end.value});
        json_object_set_new(last_of(events), "args",
                            json_pack("{s:f, s:f}", "bytes", page_number(stage, "bytes").value, "messages",
                                      page_number(stage, "messages").value));
    }
}

static void write_ranks(json_t *events, const json_t *call, size_t index) {
    const json_t *ranks = page_get(call, "ranks");
    static const struct {
        const char *key, *name;
    } ends[] = {{"send_end_s", "sends"}, {"recv_end_s", "receives"}};
    for (size_t r = 0; r < json_array_size(ranks) && r < TIMELINE_RANKS; r++) {
        char name[32];
        snprintf(name, sizeof name, "rank %zu", r);
        name_track(events, "thread_name", index, r + 1, name);
        for (size_t i = 0; i < 2; i++) {
            struct page_number end = page_number(json_array_get(ranks, r), ends[i].key);
            if (end.known && end.value > 0)
                span(events, ends[i].name, index, r + 1, (double[]){0, end.value});
        }
    }
}

/* Messages overlap, so each is a pair of asynchronous events; those of one name share a row: a row a rank and
 * fabric. */
static void write_messages(json_t *events, const json_t *call, size_t index) {
    const json_t *largest = page_get(call, "messages largest");
    for (size_t i = 0; i < json_array_size(largest); i++) {
        const json_t *m = json_array_get(largest, i);
        struct page_number start = page_number(m, "start_s"), end = page_number(m, "end_s");
        int from = (int)page_number(m, "from").value;
        if (!start.known || !end.known)
            continue;
        char name[80], id[48];
        snprintf(name, sizeof name, "rank %d sends, %.20s fabric", from, page_text(m, "tier"));
        snprintf(id, sizeof id, "%zu-%zu", index + 1, i);
        for (int last = 0; last < 2; last++) {
            event(events, last ? "e" : "b", name, index, (size_t)from + 1, last ? end.value : start.value);
            json_object_set_new(last_of(events), "cat", json_string("message"));
            json_object_set_new(last_of(events), "id", json_string(id));
        }
        json_object_set_new(json_array_get(events, json_array_size(events) - 2), "args",
                            json_pack("{s:s, s:f, s:f}", "stage", page_text(m, "stage"), "to",
                                      page_number(m, "to").value, "bytes", page_number(m, "bytes").value));
    }
}

static void write_links(json_t *events, const json_t *call, size_t index) {
    const json_t *links = page_get(call, "links");
    for (size_t i = 0; i < json_array_size(links); i++) {
        const json_t *link = json_array_get(links, i), *bins = page_get(link, "utilisation_over_time");
        struct page_number bin = page_number(link, "bin_s");
        for (size_t b = 0; bin.known && b < json_array_size(bins); b++) {
            event(events, "C", page_text(link, "name"), index, 0, (double)b * bin.value);
            json_object_set_new(last_of(events), "args",
                                json_pack("{s:f}", "utilisation", json_number_value(json_array_get(bins, b))));
        }
    }
}

static void note_messages(const json_t *call, struct buf *text) {
    const json_t *messages = page_get(call, "messages"), *largest = page_get(messages, "largest");
    size_t n = json_array_size(largest);
    char size[UNIT_TEXT], rest[UNIT_TEXT];
    double left = page_number(messages, "left_out").value;
    buf_printf(text, "; %.40s %.40s: ", page_text(call, "strategy"), page_text(call, "phase"));
    if (!messages)
        buf_text(text, "no single messages");
    else if (n && !page_number(json_array_get(largest, 0), "start_s").known)
        buf_text(text, "the times of messages are withheld");
    else if (left > 0)
        buf_printf(text, "the %zu largest messages, of %s and more; %.0f with %s in all are left out", n,
                   unit_format(page_number(json_array_get(largest, n - 1), "bytes").value, UNIT_SIZE, size), left,
                   unit_format(page_number(messages, "left_out_bytes").value, UNIT_SIZE, rest));
    else
        buf_printf(text, "all %zu messages", n);
}

static void write_notes(const json_t *result, json_t *notes) {
    const json_t *calls = page_get(result, "calls");
    size_t ranks = json_array_size(page_get(json_array_get(calls, 0), "ranks"));
    struct buf text = {0};
    buf_printf(&text, "%zu of %zu ranks have a track; links: the busiest ones only",
               ranks < TIMELINE_RANKS ? ranks : (size_t)TIMELINE_RANKS, ranks);
    for (size_t i = 0; i < json_array_size(calls); i++)
        note_messages(json_array_get(calls, i), &text);
    json_object_set_new(notes, "left_out", json_string(text.text));
    buf_clear(&text);
    json_object_set_new(notes, "platform", json_string(page_text(result, "platform name")));
    json_object_set_new(notes, "workload", json_string(page_text(result, "workload name")));
}

enum rc timeline_write(const char *text, size_t n, struct buf *out, struct err *e) {
    json_error_t why;
    json_t *result = json_loadb(text, n, 0, &why);
    if (!result)
        return err_set(e, RC_SYNTAX, "timeline: %s", why.text);
    json_t *events = json_array(), *notes = json_object();
    const json_t *calls = page_get(result, "calls");
    for (size_t i = 0; i < json_array_size(calls); i++) {
        const json_t *call = json_array_get(calls, i);
        char name[120];
        snprintf(name, sizeof name, "%.40s %.40s (%s)", page_text(call, "strategy"), page_text(call, "phase"),
                 strcmp(page_text(call, "stages_basis"), "time") == 0 ? "call time" : "wire");
        name_track(events, "process_name", i, 0, name);
        write_stages(events, call, i);
        write_ranks(events, call, i);
        write_messages(events, call, i);
        write_links(events, call, i);
    }
    write_notes(result, notes);
    json_t *trace = json_pack("{s:o, s:s, s:o}", "traceEvents", events, "displayTimeUnit", "ns", "otherData", notes);
    char *dump = json_dumps(trace, JSON_COMPACT | JSON_REAL_PRECISION(12));
    buf_text(out, dump ? dump : "");
    buf_text(out, "\n");
    free(dump);
    json_decref(trace);
    json_decref(result);
    return RC_OK;
}
