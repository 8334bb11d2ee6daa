/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/estimate_report.h"

#include <stdio.h>
#include <unistd.h>

#include "platforms/base/json.h"
#include "platforms/base/unit.h"

static bool simulates(const struct estimate *x) {
    return x->engine != SIM_ENGINE_BOUND && x->all_flows > 0;
}

static const char *memory_text(const struct estimate *x, char text[static UNIT_TEXT]) {
    return unit_format(x->memory_bytes, UNIT_SIZE, text);
}

void estimate_show(const struct estimate *x) {
    const double long_s = 2;
    char memory[UNIT_TEXT];
    if (x->seconds < long_s || !isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "moesim: %.0f flows with %s: about %.2g s and %s\n", x->all_flows, sim_engine_name(x->engine),
            x->seconds, memory_text(x, memory));
}

void estimate_write_text(const struct estimate *x, struct buf *out) {
    char memory[UNIT_TEXT];
    if (!simulates(x)) {
        buf_text(out, "nothing would be simulated\n");
        return;
    }
    buf_printf(out, "engine   %s\n", sim_engine_name(x->engine));
    buf_printf(out, "flows    %.0f of the calls, %.0f with all that is asked beside; %.0f in the largest run\n",
               x->flows, x->all_flows, x->largest_flows);
    buf_printf(out, "memory   up to about %s\n", memory_text(x, memory));
    buf_printf(out, "time     about %.2g s of one core, give or take a factor of 3\n", x->seconds);
}

void estimate_write_json(const struct estimate *x, struct buf *out) {
    struct json j;
    json_init(&j, out, true);
    json_open(&j, '{');
    json_key_text(&j, "schema", "moesim/estimate/1");
    json_key_text(&j, "engine", x->engine == SIM_ENGINE_BOUND || simulates(x) ? sim_engine_name(x->engine) : NULL);
    json_key_number(&j, "flows", x->flows);
    json_key_number(&j, "all_flows", x->all_flows);
    json_key_number(&j, "largest_run_flows", x->largest_flows);
    json_key_number(&j, "cpu_s", x->seconds);
    json_key_number_if(&j, "peak_rss_bytes", simulates(x), x->memory_bytes);
    json_close(&j);
    buf_text(out, "\n");
}

void estimate_write_csv(const struct estimate *x, struct buf *out) {
    buf_text(out, "engine,flows,all_flows,largest_run_flows,cpu_s,peak_rss_bytes\n");
    buf_printf(out, "%s,%.0f,%.0f,%.0f,%.4g,", sim_engine_name(x->engine), x->flows, x->all_flows, x->largest_flows,
               x->seconds);
    if (simulates(x))
        buf_printf(out, "%.0f", x->memory_bytes);
    buf_text(out, "\n");
}
