/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/calibrate_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/file.h"
#include "platforms/base/mem.h"
#include "validation/gate_run.h"

/* --- files -------------------------------------------------------------------------------------- */

static enum rc put(const char *folder, const char *name, const struct buf *text, struct err *e) {
    char *path = mem_printf("%s/%s", folder, name);
    enum rc rc = file_write(path, text->text, text->n, e);
    free(path);
    return rc;
}

static enum rc put_platform(const struct calibration *c, const struct yaml_node *skeleton, const char *folder,
                            const char *verdict, struct err *e) {
    struct buf text = {0};
    calibration_platform(c, skeleton, verdict, &text);
    enum rc rc = put(folder, "platform.yaml", &text, e);
    buf_clear(&text);
    return rc;
}

/* The corpus and its gate; *any: something was held back. */
static enum rc put_gate(const struct calibration *c, const char *folder, bool *any, struct err *e) {
    struct buf corpus = {0}, gate = {0};
    char sha256[HASH_TEXT];
    enum rc rc = RC_OK;
    *any = calibration_corpus(c, &corpus);
    if (*any) {
        hash_bytes(corpus.text, corpus.n, sha256);
        calibration_gate(c, sha256, "platform.yaml", &gate);
        rc = put(folder, "held_back.yaml", &corpus, e);
        if (!rc)
            rc = put(folder, "held_back_gate.yaml", &gate, e);
    }
    buf_clear(&corpus);
    buf_clear(&gate);
    return rc;
}

static void say(const struct gate_result *r, struct buf *verdict) {
    bool passed = r->state == GATE_PASSED;
    buf_printf(verdict, "gate %s: %s%s%s\n", r->gate->id, gate_state_name(r->state), passed ? "" : ": ", r->reason);
    for (size_t i = 0; i < r->evidence.n_metrics; i++)
        buf_printf(verdict, "  %s %.3g\n", r->evidence.metrics[i].name, r->evidence.metrics[i].value);
    const struct gate_scope *s = &r->gate->scope;
    buf_printf(verdict, "%s: call_time, absolute_time (one hop of %s, %.0f to %.0f ranks, %.4g to %.4g B a rank)\n",
               passed ? "earned" : "not earned", s->implementation, s->world[0], s->world[1], s->bytes[0], s->bytes[1]);
}

static enum rc evaluate(const char *folder, struct buf *verdict, struct err *e) {
    struct gate_files files = {0};
    const struct estimand_tools none = {0};
    enum rc rc = gate_files_load(folder, &files, e);
    for (size_t i = 0; i < files.n && !rc; i++) {
        struct gate_result r = {0};
        gate_evaluate(&files.gates[i], folder, &none, &r);
        say(&r, verdict);
        gate_result_clear(&r);
    }
    gate_files_clear(&files);
    return rc;
}

enum rc calibrate_write(const struct calibration *c, const struct yaml_node *skeleton, const char *folder,
                        struct buf *verdict, struct err *e) {
    bool any = false;
    enum rc rc = put_platform(c, skeleton, folder, NULL, e);
    if (!rc)
        rc = put_gate(c, folder, &any, e);
    if (!rc && any)
        rc = evaluate(folder, verdict, e);
    else if (!rc)
        buf_text(verdict, "no size of calls that run ahead was held back: there is no gate, and nothing is earned\n");
    return rc ? rc : put_platform(c, skeleton, folder, verdict->text, e);
}
