/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/freeze.h"

#include <stdlib.h>
#include <string.h>

#include "platforms/base/file.h"
#include "platforms/base/mem.h"
#include "validation/samples.h"

enum { MOST_BYTES = 1 << 28, DIGITS = HASH_TEXT - 1 };
static const char zeros[] = "0000000000000000000000000000000000000000000000000000000000000000";
static const char hash_key[] = "\"sha256\": \"";

/* --- keys ------------------------------------------------------------------------------------------- */

#define IN(field) offsetof(struct freeze_input, field)
static const struct key input_keys[] = {
    {"role", KEY_TEXT, IN(role), .required = true, .help = "platform, workload, samples, .."},
    {"path", KEY_TEXT, IN(path), .required = true, .help = "as it was opened"},
    {"sha256", KEY_TEXT, IN(sha256), .required = true, .help = "of the bytes that were read"},
    {0}};
#undef IN

#define IN(field) offsetof(struct prediction, field)
static const struct key prediction_keys[] = {
    {"id", KEY_TEXT, IN(id), .required = true, .help = "name of the prediction; the column `id` of measured times"},
    {"quantity", KEY_CHOICE, IN(quantity), .required = true, .choices = sampled_names, .help = "as in samples"},
    {"part", KEY_TEXT, IN(part), .help = "as in samples: file of the matrix"},
    {"regime", KEY_CHOICE, IN(regime), .choices = regime_names, .otherwise = "observed", .help = "as in samples"},
    {"world", KEY_COUNT, IN(world), .required = true, .min = 1, .help = "ranks that take part"},
    {"send_bytes", KEY_NUMBER, IN(send_bytes), .help = "send buffer of a rank, own part included; none: no sample is "
     "like it, and its time is given by `id`"},
    {"time_s", KEY_NUMBER, IN(time_s), .help = "of one call; none: see `reason`"},
    {"low_s", KEY_NUMBER, IN(low_s), .help = "band of 90 %"},
    {"high_s", KEY_NUMBER, IN(high_s), .help = "band of 90 %"},
    {"reason", KEY_TEXT, IN(reason), .help = "why there is no time"},
    {0}};
#undef IN

#define IN(field) offsetof(struct freeze, field)
const struct key freeze_keys[] = {
    {"schema", KEY_TEXT, IN(schema), .required = true, .help = "`" FREEZE_SCHEMA "`"},
    {"sha256", KEY_TEXT, IN(sha256), .required = true, .help = "of the file with these 64 digits as zeros"},
    {"version", KEY_TEXT, IN(version), .required = true, .help = "of the program"},
    {"git", KEY_TEXT, IN(git), .help = "state of its source"},
    {"arguments", KEY_NODE, IN(arguments), .help = "command line that predicted"},
    {"inputs", KEY_LIST, IN(inputs), .table = input_keys, .item_size = sizeof(struct freeze_input),
     .help = "every file that was read"},
    {"predictions", KEY_LIST, IN(predictions), .required = true, .table = prediction_keys,
     .item_size = sizeof(struct prediction), .help = "one for each call"},
    {0}};
#undef IN

/* --- reading ---------------------------------------------------------------------------------------- */

/* Returns the digits of the file's own hash: the first that are written under that key; NULL: there are none. */
static char *own_digits(char *text, size_t n) {
    char *at = strstr(text, hash_key);
    return at && (size_t)(at - text) + sizeof hash_key - 1 + DIGITS <= n ? at + sizeof hash_key - 1 : NULL;
}

static enum rc check_hash(const char *text, size_t n, const char *name, struct err *e) {
    char stated[HASH_TEXT] = "", found[HASH_TEXT];
    char *copy = mem_alloc(n + 1, 1);
    memcpy(copy, text, n);
    char *digits = own_digits(copy, n);
    if (digits) {
        memcpy(stated, digits, DIGITS);
        memcpy(digits, zeros, DIGITS);
    }
    hash_bytes(copy, n, found);
    free(copy);
    if (!digits)
        return err_set(e, RC_SCHEMA, "%s: no hash of the file itself found, expected a file of moesim freeze", name);
    if (strcmp(stated, found) != 0)
        return err_set(e, RC_SCHEMA, "%s: the file was changed after it was written: its bytes have hash %.12s.., it "
                       "states %.12s..", name, found, stated);
    return RC_OK;
}

static enum rc check_predictions(const struct freeze *f, const char *name, struct err *e) {
    const struct prediction *all = f->predictions.items;
    if (!f->predictions.n)
        return err_set(e, RC_SCHEMA, "%s: there is no prediction", name);
    for (size_t i = 0; i < f->predictions.n; i++) {
        const struct quantity *all_times[] = {&all[i].time_s, &all[i].low_s, &all[i].high_s};
        for (int k = 0; k < 3; k++)
            if (all_times[k]->given && !(all_times[k]->value > 0))
                return err_at(e, RC_RANGE, &all_times[k]->at, "%s: a time above 0 is expected", all[i].id);
        if (all[i].low_s.given != all[i].high_s.given || all[i].low_s.value > all[i].high_s.value)
            return err_set(e, RC_RANGE, "%s: %.80s: low_s and high_s are no band", name, all[i].id);
        for (size_t k = 0; k < i; k++)
            if (!strcmp(all[i].id, all[k].id))
                return err_set(e, RC_SCHEMA, "%s: id '%.80s' is there twice", name, all[i].id);
    }
    return RC_OK;
}

enum rc freeze_parse(const char *text, size_t n, const char *name, struct freeze **freeze, struct err *e) {
    struct freeze *f = mem_alloc(1, sizeof *f);
    enum rc rc = yaml_parse(text, n, name, &f->doc, e);
    if (!rc)
        rc = keys_schema(f->doc, FREEZE_SCHEMA, e);
    if (!rc)
        rc = keys_read(freeze_keys, f->doc->root, f->doc, f, e);
    if (!rc)
        rc = check_hash(text, n, name, e);
    if (!rc)
        rc = check_predictions(f, name, e);
    if (rc)
        freeze_free(f);
    else
        *freeze = f;
    return rc;
}

enum rc freeze_load(const char *path, struct freeze **freeze, struct err *e) {
    char *text;
    size_t n;
    enum rc rc = file_read(path, MOST_BYTES, &text, &n, e);
    if (rc)
        return rc;
    rc = freeze_parse(text, n, path, freeze, e);
    free(text);
    return rc;
}

void freeze_free(struct freeze *f) {
    if (!f)
        return;
    yaml_doc_free(f->doc);
    free(f);
}

/* --- writing ---------------------------------------------------------------------------------------- */

static void write_inputs(struct json *j, const struct manifest *files) {
    json_key_open(j, "inputs", '[');
    for (size_t i = 0; files && i < files->n; i++) {
        json_open(j, '{');
        json_key_text(j, "role", files->items[i].role);
        json_key_text(j, "path", files->items[i].path);
        json_key_text(j, "sha256", files->items[i].sha256);
        json_close(j);
    }
    json_close(j);
}

void freeze_begin(struct freeze_writer *w, const struct freeze_head *head, struct buf *out) {
    *w = (struct freeze_writer){.begin = out->n};
    json_init(&w->j, out, true);
    json_open(&w->j, '{');
    json_key_text(&w->j, "schema", FREEZE_SCHEMA);
    json_key_text(&w->j, "sha256", zeros);
    json_key_text(&w->j, "version", head->version);
    if (head->git && *head->git)
        json_key_text(&w->j, "git", head->git);
    json_key_open(&w->j, "arguments", '[');
    for (int i = 0; i < head->n_arguments; i++)
        json_text(&w->j, head->arguments[i]);
    json_close(&w->j);
    write_inputs(&w->j, head->files);
    json_key_open(&w->j, "predictions", '[');
}

void freeze_end(struct freeze_writer *w) {
    struct buf *out = w->j.out;
    char found[HASH_TEXT];
    json_close(&w->j);
    json_close(&w->j);
    buf_text(out, "\n");
    char *digits = own_digits(out->text + w->begin, out->n - w->begin);
    BUG_ON(!digits);
    hash_bytes(out->text + w->begin, out->n - w->begin, found);
    memcpy(digits, found, DIGITS);
}

void freeze_open_prediction(struct freeze_writer *w, const struct prediction *p) {
    json_open(&w->j, '{');
    json_key_text(&w->j, "id", p->id);
    json_key_text(&w->j, "quantity", sampled_name(p->quantity));
    if (p->part && *p->part)
        json_key_text(&w->j, "part", p->part);
    json_key_text(&w->j, "regime", regime_name((enum regime)p->regime));
    json_key_int(&w->j, "world", p->world);
    if (p->send_bytes.given)
        json_key_number(&w->j, "send_bytes", p->send_bytes.value);
}

void freeze_put(struct freeze_writer *w, const struct prediction *p) {
    const struct quantity *values[] = {&p->time_s, &p->low_s, &p->high_s};
    static const char *const names[] = {"time_s", "low_s", "high_s"};
    freeze_open_prediction(w, p);
    for (int i = 0; i < 3; i++)
        if (values[i]->given)
            json_key_number(&w->j, names[i], values[i]->value);
    if (!p->time_s.given)
        json_key_text(&w->j, "reason", p->reason);
    json_close(&w->j);
}
