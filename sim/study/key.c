/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/study/key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct question_program question_program(const struct study *s) {
    return (struct question_program){study_version(), study_git(), study_engine(), s->run.results, s->run.n};
}

static void add_text(struct hash *h, const char *name, const char *text) {
    hash_add(h, name, strlen(name) + 1);
    hash_add(h, text ? text : "", text ? strlen(text) + 1 : 0);
}

static void add_count(struct hash *h, const char *name, int64_t value) {
    hash_add(h, name, strlen(name) + 1);
    hash_add(h, &value, sizeof value);
}

static void add_input(struct hash *h, const char *name, const struct question_input *input) {
    add_text(h, name, input->name);
    for (size_t i = 0; i < input->n; i++)
        add_text(h, input->settings[i].key, input->settings[i].value);
}

static void add_question(struct hash *h, const struct question *q) {
    char timeout[40];
    const int *strategies;
    int n = question_strategies(q, &strategies);
    add_input(h, "platform", &q->platform);
    add_input(h, "workload", &q->workload);
    add_input(h, "implementation", &q->implementation);
    for (int i = 0; i < n; i++)
        add_count(h, "strategy", strategies[i]);
    const struct {
        const char *name;
        int64_t value;
    } counts[] = {{"default strategies", !q->strategies.n},
                  {"phases", q->phases},
                  {"seed", q->seed},
                  {"host", q->host},
                  {"calls", q->calls},
                  {"batches", q->batches},
                  {"layers", q->all_layers},
                  {"draws", q->draws},
                  {"compare", q->compare},
                  {"analytic only", q->analytic_only},
                  {"causes", q->causes},
                  {"detail", q->detail},
                  {"links", q->links},
                  {"messages", q->messages},
                  {"engine", q->engine}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        add_count(h, counts[i].name, counts[i].value);
    snprintf(timeout, sizeof timeout, "%.17g", q->timeout_s);
    add_text(h, "timeout", timeout);
    add_text(h, "corpus", q->corpus);
}

static enum rc add_files(struct hash *h, const struct inputs *in, struct err *e) {
    struct manifest files = {0};
    enum rc rc = inputs_files(in, &files, e);
    for (size_t i = 0; i < files.n && !rc; i++)
        add_text(h, files.items[i].role, files.items[i].sha256);
    manifest_clear(&files);
    return rc;
}

enum rc question_key(const struct question *q, const struct question_program *program, const struct inputs *in,
                     const char *more, char key[static HASH_TEXT], struct err *e) {
    struct hash *h = hash_start();
    char text[HASH_TEXT];
    add_text(h, "version", program->version);
    add_text(h, "git", program->git);
    add_text(h, "engine version", program->engine_version);
    for (size_t i = 0; i < program->n_gates; i++)
        add_text(h, program->gates[i].gate->id, program->gates[i].hash);
    add_question(h, q);
    add_text(h, "more", more);
    enum rc rc = in ? add_files(h, in, e) : RC_OK;
    hash_end(h, text);
    if (!rc)
        memcpy(key, text, sizeof text);
    return rc;
}
