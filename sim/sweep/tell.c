/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/sweep/tell.h"

#include <math.h>

#include "platforms/base/json.h"
#include "platforms/base/unit.h"

/* Memory of a job, measured as its share where processes share (Pss): 4 MB with 8 ranks uniform, 13 MB with 128 (19,000
 * messages a run), 27 MB with 256 (75,000), and 30 MB once it keeps the inputs of many points. */
#define BYTES_PER_FLOW 400.0
#define BYTES_AT_MOST 32e6 /* beside them */

void sweep_describe(const struct sweep_job *job, const struct sweep_file *file, int jobs, struct buf *out) {
    const struct sweep_spec *spec = job->spec;
    size_t there = 0, refused = 0;
    double flows = 0, most = 0, seconds = 0;
    int ranks = 0;
    for (size_t i = 0; i < spec->n_points; i++) {
        const struct sweep_plan *p = &job->plans[i];
        if (sweep_is_done(job, sweep_file_find(file, p->key))) {
            there++;
            continue;
        }
        refused += p->rc != RC_OK;
        flows += p->flows;
        seconds += p->seconds;
        most = fmax(most, p->flows);
        ranks = p->ranks > ranks ? p->ranks : ranks;
    }
    char memory[UNIT_TEXT];
    buf_printf(out, "sweep    %s: %zu points over %zu axes\n", spec->name, spec->n_points, spec->n_axes);
    for (size_t i = 0; i < spec->n_axes; i++)
        buf_printf(out, "axis     %s: %zu values, %s to %s\n", spec->axes[i].key, spec->axes[i].n,
                   spec->axes[i].values[0], spec->axes[i].values[spec->axes[i].n - 1]);
    buf_printf(out, "to do    %zu (%zu are in the file", spec->n_points - there, there);
    buf_printf(out, refused ? ", %zu cannot run)\n" : ")\n", refused);
    buf_printf(out, "largest  %d ranks, %.3g messages a run\n", ranks, most);
    buf_printf(out, "memory   up to about %s with %d jobs\n",
               unit_format((BYTES_AT_MOST + BYTES_PER_FLOW * most) * jobs, UNIT_SIZE, memory), jobs);
    buf_printf(out, "time     about %.*f s with %d jobs, give or take a factor of 2", seconds < 10 * jobs,
               seconds / jobs, jobs);
    buf_printf(out, " (%.3g messages, each at least twice)\n", flows);
}

void sweep_conclude_json(const struct sweep_spec *spec, const struct sweep_tally *y, const char *path,
                         struct buf *out) {
    struct json j;
    json_init(&j, out, true);
    json_open(&j, '{');
    json_key_text(&j, "schema", "moesim/sweep-end/1");
    json_key_text(&j, "sweep", spec->name);
    json_key_text(&j, "file", path);
    json_key_int(&j, "points", (int64_t)y->points);
    json_key_int(&j, "new", (int64_t)y->done);
    json_key_int(&j, "were_there", (int64_t)y->there);
    json_key_int(&j, "failed", (int64_t)(y->failed + y->there_failed));
    json_close(&j);
    buf_text(out, "\n");
}

void sweep_conclude_text(const struct sweep_spec *spec, const struct sweep_tally *y, const char *path,
                         struct buf *out) {
    buf_printf(out, "%s: %zu points, %zu new, %zu were there, %zu failed; records in %s\n", spec->name, y->points,
               y->done, y->there, y->failed + y->there_failed, path);
    if (y->failed + y->there_failed)
        buf_text(out, "why points failed: under error in their records, or on the page of moesim report\n");
}
