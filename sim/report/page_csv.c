/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/page_csv.h"

#include <stdlib.h>
#include <string.h>

#include "platforms/base/json.h"
#include "sim/report/call_fields.h"
#include "sim/report/page_json.h"
#include "sim/report/page_records.h"

enum { COLUMNS = 23 };

static const struct {
    const char *column; /* unit at its end */
    const char *path;   /* in the call, or in the record */
    bool of_record;
} columns[COLUMNS] = {
    {"time_s", "time_s", false},
    {"band_low_s", "time_band_s 0", false},
    {"band_high_s", "time_band_s 1", false},
    {"wire_s", "wire_s", false},
    {"bound_s", "bound_s", false},
    {"slack_ratio", "slack", false},
    {"analytic_s", "analytic_s", false},
    {"analytic_wire_s", "analytic_wire_s", false},
    {"relative_error_frac", "relative_error", false},
    {"basis", "basis", false},
    {"busiest_link", "busiest_link name", false},
    {"busiest_utilisation_frac", "busiest_link utilisation", false},
    {"straggler_rank", "straggler rank", false},
    {"gain_dispatch_ratio", "gain dispatch", true},
    {"gain_combine_ratio", "gain combine", true},
    {"gain_round_trip_ratio", "gain round_trip", true},
    {"gain_wire_dispatch_ratio", "gain wire dispatch", true},
    {"gain_analytic_dispatch_ratio", "gain analytic dispatch", true},
    {"hierarchy_ratio", "platform hierarchy_ratio", true},
    {"ranks", "platform ranks", true},
    {"rho_max_one_hop_in_ratio", "workload rho_max one_hop_in", true},
    {"withdrawn", "withdrawn time_s", false},
    {"error", "error message", true},
};

static void value(struct buf *out, const json_t *node) {
    char text[JSON_NUMBER];
    if (json_is_number(node))
        buf_text(out, json_format(json_number_value(node), text));
    else if (json_is_string(node))
        buf_csv_field(out, json_string_value(node));
}

struct csv {
    struct buf *out;
    char **axes; /* of the first record */
    size_t n_axes, room;
    bool begun;
};

static void begin(struct csv *c, const json_t *record) {
    const char *key;
    json_t *unused;
    c->begun = true;
    buf_text(c->out, "number,seed,status");
    json_object_foreach((json_t *)(uintptr_t)page_get(record, "point"), key, unused) {
        MEM_GROW(c->axes, c->n_axes, c->room);
        c->axes[c->n_axes++] = mem_copy(key);
        buf_text(c->out, ",");
        buf_csv_field(c->out, key);
    }
    buf_text(c->out, ",strategy,phase");
    for (int i = 0; i < COLUMNS; i++)
        buf_printf(c->out, ",%s", columns[i].column);
    call_csv_head(c->out);
    buf_text(c->out, "\n");
}

static void row(struct csv *c, const json_t *record, const json_t *call) {
    const char *status = page_text(record, "status");
    buf_printf(c->out, "%lld,%lld,%s", (long long)json_integer_value(page_get(record, "number")),
               (long long)json_integer_value(page_get(record, "seed")), *status ? status : "ok");
    for (size_t i = 0; i < c->n_axes; i++) {
        buf_text(c->out, ",");
        value(c->out, json_object_get(page_get(record, "point"), c->axes[i]));
    }
    buf_text(c->out, ",");
    buf_csv_field(c->out, page_text(call, "strategy"));
    buf_text(c->out, ",");
    buf_csv_field(c->out, page_text(call, "phase"));
    for (int i = 0; i < COLUMNS; i++) {
        buf_text(c->out, ",");
        value(c->out, page_get(columns[i].of_record ? record : call, columns[i].path));
    }
    for (size_t i = 0; i < call_fields_n; i++)
        if (call_fields[i].csv) {
            buf_text(c->out, ",");
            value(c->out, page_get(call, call_fields[i].key));
        }
    buf_text(c->out, "\n");
}

static enum rc page_csv_add(json_t *record, void *context, struct err *e) {
    struct csv *c = context;
    (void)e;
    if (!c->begun)
        begin(c, record);
    const json_t *calls = page_get(record, "calls");
    size_t n = json_array_size(calls);
    for (size_t i = 0; i < n; i++)
        row(c, record, json_array_get(calls, i));
    if (n == 0)
        row(c, record, NULL);
    return RC_OK;
}

enum rc page_csv(const char *path, struct buf *out, bool *truncated, struct err *e) {
    struct csv c = {.out = out};
    *truncated = false;
    enum rc rc = page_each(path, page_csv_add, &c, truncated, e);
    if (!rc && !c.begun)
        rc = page_empty(path, e);
    for (size_t i = 0; i < c.n_axes; i++)
        free(c.axes[i]);
    free(c.axes);
    return rc;
}
