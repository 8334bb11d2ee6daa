/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/report/page.h"

static void event(json_t *events, const char *phase, const char *name, size_t call, size_t track, double at_s) {
    json_t *e = json_pack("{s:s, s:s, s:I, s:I, s:f}", "ph", phase, "name", name, "pid", (json_int_t)call + 1, "tid",
                          (json_int_t)track, "ts", 1e6 * at_s);
    json_array_append_new(events, e);
}

static json_t *last(json_t *events) {
    return json_array_get(events, json_array_size(events) - 1);
}

static void name_track(json_t *events, const char *what, size_t call, size_t track, const char *name) {
    event(events, "M", what, call, track, 0);
    json_object_set_new(last(events), "args", json_pack("{s:s}", "name", name));
}

static void span(json_t *events, const char *name, size_t call, size_t track, const double at_s[2]) {
    event(events, "X", name, call, track, at_s[0]);
    json_object_set_new(last(events), "dur", json_real(1e6 * (at_s[1] - at_s[0])));
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
        json_object_set_new(last(events), "args",
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

static void write_links(json_t *events, const json_t *call, size_t index) {
    const json_t *links = page_get(call, "links");
    for (size_t i = 0; i < json_array_size(links); i++) {
        const json_t *link = json_array_get(links, i), *bins = page_get(link, "utilisation_over_time");
        struct page_number bin = page_number(link, "bin_s");
        for (size_t b = 0; bin.known && b < json_array_size(bins); b++) {
            event(events, "C", page_text(link, "name"), index, 0, (double)b * bin.value);
            json_object_set_new(last(events), "args",
                                json_pack("{s:f}", "utilisation", json_number_value(json_array_get(bins, b))));
        }
    }
}

static void write_notes(const json_t *result, json_t *notes) {
    const json_t *calls = page_get(result, "calls");
    size_t ranks = json_array_size(page_get(json_array_get(calls, 0), "ranks"));
    char text[120];
    snprintf(text, sizeof text, "%zu of %zu ranks have a track; links: the busiest ones only; no single messages",
             ranks < TIMELINE_RANKS ? ranks : (size_t)TIMELINE_RANKS, ranks);
    json_object_set_new(notes, "left_out", json_string(text));
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
