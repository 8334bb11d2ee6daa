/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/matrix_report.h"

#include <stdlib.h>
#include <string.h>

#include "platforms/base/file.h"
#include "platforms/base/json.h"
#include "sim/report/table.h"

enum { MATRICES = 3 };

struct listed {
    const char *name;
    const struct matrix *matrix;
    double rho_in, rho_out;
};

static void list_matrices(const struct inputs *in, struct listed all[MATRICES]) {
    const struct traffic *t = in->traffic;
    const struct traffic_rho *rho = &in->drawn->rho;
    all[0] = (struct listed){"one_hop", &t->one_hop, rho->one_hop_in, rho->one_hop_out};
    all[1] = (struct listed){"hop_a", &t->hop_a[TIER_FAST], rho->hop_a_in, rho->hop_a_out};
    all[2] = (struct listed){"hop_b", &t->hop_b, rho->hop_b_in, rho->hop_b_out};
}

static enum rc write_both(const struct listed *m, const char *unit, const char *folder, struct err *e) {
    char *npy = mem_printf("%s/%s.npy", folder, m->name);
    char *csv = mem_printf("%s/%s.csv", folder, m->name);
    enum rc rc = matrix_write_npy(m->matrix, unit, npy, e);
    if (!rc)
        rc = matrix_write_csv(m->matrix, unit, csv, e);
    free(npy);
    free(csv);
    return rc;
}

enum rc matrix_write_files(const struct inputs *in, const char *folder, struct err *e) {
    const char *unit = in->traffic->unit == TRAFFIC_BYTES ? "bytes" : "rows";
    struct listed all[MATRICES];
    list_matrices(in, all);
    enum rc rc = file_make_folder(folder, e);
    for (int i = 0; i < MATRICES && !rc; i++)
        rc = write_both(&all[i], unit, folder, e);
    return rc;
}

void matrix_report_json(const struct inputs *in, int64_t seed, const char *folder, struct buf *out) {
    struct listed all[MATRICES];
    struct json j;
    list_matrices(in, all);
    json_init(&j, out, true);
    json_open(&j, '{');
    json_key_text(&j, "schema", "moesim/matrix/1");
    json_key_text(&j, "platform", in->platform->name);
    json_key_text(&j, "workload", in->workload->name);
    json_key_int(&j, "ranks", in->traffic->ranks);
    json_key_int(&j, "seed", seed);
    json_key_number_if(&j, "fan_out", in->traffic->fan_out > 0, in->traffic->fan_out);
    json_key_open(&j, "matrices", '[');
    for (int i = 0; i < MATRICES; i++) {
        json_open(&j, '{');
        json_key_text(&j, "name", all[i].name);
        char *path = mem_printf("%s/%s.npy", folder, all[i].name);
        json_key_text(&j, "npy", path);
        memcpy(path + strlen(path) - 3, "csv", 3);
        json_key_text(&j, "csv", path);
        free(path);
        json_key_text(&j, "dtype", all[i].matrix->whole ? "<i8" : "<f8");
        json_key_number(&j, "rows", matrix_total(all[i].matrix, true));
        json_key_number(&j, "rows_on_links", matrix_total(all[i].matrix, false));
        json_key_number_if(&j, "rho_max_in", all[i].rho_in >= 0, all[i].rho_in);
        json_key_number_if(&j, "rho_max_out", all[i].rho_out >= 0, all[i].rho_out);
        json_close(&j);
    }
    json_close(&j);
    json_close(&j);
    buf_text(out, "\n");
}

void matrix_report_text(const struct inputs *in, const char *folder, struct buf *out) {
    struct listed all[MATRICES];
    struct table t;
    list_matrices(in, all);
    table_init(&t, 5);
    static const char *const head[] = {"matrix", "rows", "on links", "rho_max in", "rho_max out"};
    for (int i = 0; i < 5; i++)
        table_cell(&t, "%s", head[i]);
    for (int i = 0; i < MATRICES; i++) {
        table_cell(&t, "%s/%s.npy, .csv", folder, all[i].name);
        table_cell(&t, "%.10g", matrix_total(all[i].matrix, true));
        table_cell(&t, "%.10g", matrix_total(all[i].matrix, false));
        const double rho[] = {all[i].rho_in, all[i].rho_out};
        for (int k = 0; k < 2; k++)
            if (rho[k] < 0)
                table_cell(&t, "-");
            else
                table_cell(&t, "%.3f", rho[k]);
    }
    table_write(&t, false, out);
    table_clear(&t);
    if (in->traffic->notes.n)
        buf_text(out, in->traffic->notes.text);
}
