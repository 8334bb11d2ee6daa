/* SPDX-License-Identifier: BSD-3-Clause */
/* report: a page, or CSV, from records. */
#include "sim/cli/cli.h"
#include "sim/cli/sweep_main.h"

enum rc sweep_csv(const char *path, struct buf *out, struct err *e) {
    (void)path; (void)out; (void)e;
    return RC_OK;
}
enum rc cmd_report(const struct options *o, struct buf *out, struct err *e) {
    return sweep_csv(o->words[0], out, e);
}
