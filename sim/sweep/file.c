/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/sweep/file.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int by_key(const void *a, const void *b) {
    return strcmp(a, b);
}

/* Orders records by key, those of one key by their lines. */
static int by_key_and_line(const void *a, const void *b) {
    const struct sweep_found *x = a, *y = b;
    int order = strcmp(x->key, y->key);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* Returns whether an error of a record is one of circumstance, by the text of its code. */
static bool is_circumstance(const char *kind) {
    static const enum rc codes[] = {
#define FILE_CODE(code, text) code,
        RC_LIST(FILE_CODE)
#undef FILE_CODE
    };
    for (size_t i = 0; kind && i < sizeof codes / sizeof *codes; i++)
        if (rc_is_circumstance(codes[i]) && strcmp(kind, rc_text(codes[i])) == 0)
            return true;
    return false;
}

enum rc sweep_file_parse(const char *text, size_t n, struct sweep_found *found, struct err *e) {
    json_error_t why;
    json_t *record = json_loadb(text, n, JSON_REJECT_DUPLICATES, &why);
    const char *schema = json_string_value(json_object_get(record, "schema"));
    const char *key = json_string_value(json_object_get(record, "key"));
    const char *status = json_string_value(json_object_get(record, "status"));
    const char *kind = json_string_value(json_object_get(json_object_get(record, "error"), "kind"));
    enum rc rc = RC_OK;
    if (!record)
        rc = err_set(e, RC_SYNTAX, "%s", why.text);
    else if (!schema || strcmp(schema, "moesim/sweep-record/1") != 0)
        rc = err_set(e, RC_SYNTAX, "not a record of schema moesim/sweep-record/1");
    else if (!key || strlen(key) != HASH_TEXT - 1)
        rc = err_set(e, RC_SYNTAX, "the record has no key");
    if (!rc) {
        *found = (struct sweep_found){.failed = status && strcmp(status, "error") == 0};
        found->by_circumstance = found->failed && is_circumstance(kind);
        memcpy(found->key, key, HASH_TEXT);
    }
    json_decref(record);
    return rc;
}

static enum rc read_line(struct sweep_file *f, const char *text, size_t n, int line, struct err *e) {
    struct sweep_found found;
    struct err why;
    const struct place at = {f->path, line, 0};
    if (sweep_file_parse(text, n, &found, &why))
        return err_at(e, RC_SYNTAX, &at, "%s; repair or remove this line, or write to another file", why.text);
    found.line = line;
    MEM_GROW(f->keys, f->n_keys, f->room);
    f->keys[f->n_keys++] = found;
    return RC_OK;
}

/* Sorts what was found; of each key the last record stays. */
static void sort_keys(struct sweep_file *f) {
    size_t n = 0;
    if (f->n_keys)
        qsort(f->keys, f->n_keys, sizeof *f->keys, by_key_and_line);
    for (size_t i = 0; i < f->n_keys; i++)
        if (i + 1 == f->n_keys || strcmp(f->keys[i].key, f->keys[i + 1].key) != 0)
            f->keys[n++] = f->keys[i];
    f->n_keys = n;
}

/* Returns whether a line without its end can be a record of ours that was cut off: it begins as one does. */
static bool is_cut_record(const char *text, size_t n) {
    static const char head[] = "{\"schema\": \"moesim/sweep-record/1\"";
    size_t length = sizeof head - 1;
    return memcmp(text, head, n < length ? n : length) == 0;
}

static enum rc read_lines(struct sweep_file *f, FILE *in, struct err *e) {
    char *text = NULL;
    size_t room = 0;
    enum rc rc = RC_OK;
    ssize_t n;
    for (int line = 1; !rc && (n = getline(&text, &room, in)) > 0; line++) {
        if (text[n - 1] != '\n' && !is_cut_record(text, (size_t)n)) {
            const struct place at = {f->path, line, 0};
            rc = err_at(e, RC_SYNTAX, &at,
                        "not a record of a sweep, so the file is left as it is; write to another file");
            break;
        }
        if (text[n - 1] != '\n') {
            f->repaired = true;
            break;
        }
        rc = read_line(f, text, (size_t)n, line, e);
        f->bytes += n;
    }
    if (!rc && ferror(in))
        rc = err_set(e, RC_IO, "%s: cannot read: %s", f->path, strerror(errno));
    free(text);
    sort_keys(f);
    return rc;
}

enum rc sweep_file_look(const char *path, struct sweep_file *f, struct err *e) {
    *f = (struct sweep_file){.path = path, .fd = -1};
    FILE *in = fopen(path, "rbe");
    if (!in)
        return errno == ENOENT ? RC_OK : err_set(e, RC_IO, "%s: cannot open: %s", path, strerror(errno));
    enum rc rc = read_lines(f, in, e);
    fclose(in);
    return rc;
}

enum rc sweep_file_open(const char *path, struct sweep_file *f, struct err *e) {
    *f = (struct sweep_file){.path = path, .fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666)};
    if (f->fd < 0)
        return err_set(e, RC_IO, "%s: cannot open: %s", path, strerror(errno));
    struct stat st;
    if (fstat(f->fd, &st) != 0 || !S_ISREG(st.st_mode))
        return err_set(e, RC_IO, "%s: not a regular file, which a sweep needs to continue", path);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(f->fd, F_SETLK, &lock) != 0 && (errno == EACCES || errno == EAGAIN))
        return err_set(e, RC_IO, "%s: another sweep is writing to it", path);
    // closing any descriptor of the file drops the lock: this one reads, and stays open
    FILE *in = fdopen(f->fd, "r+b");
    if (!in)
        return err_set(e, RC_IO, "%s: cannot open: %s", path, strerror(errno));
    f->stream = in;
    enum rc rc = read_lines(f, in, e);
    if (!rc && ftruncate(f->fd, f->bytes) != 0)
        rc = err_set(e, RC_IO, "%s: cannot truncate: %s", path, strerror(errno));
    return rc;
}

const struct sweep_found *sweep_file_find(const struct sweep_file *f, const char *key) {
    return f->n_keys ? bsearch(key, f->keys, f->n_keys, sizeof *f->keys, by_key) : NULL;
}

enum rc sweep_file_check(const struct sweep_file *f, struct err *e) {
    struct stat own, there;
    if (fstat(f->fd, &own) != 0)
        return err_set(e, RC_IO, "%s: cannot be looked at: %s", f->path, strerror(errno));
    if (stat(f->path, &there) != 0 || there.st_dev != own.st_dev || there.st_ino != own.st_ino)
        return err_set(e, RC_IO, "%s: was removed or replaced while the sweep wrote to it", f->path);
    return own.st_size == f->bytes
               ? RC_OK
               : err_set(e, RC_IO, "%s: has %lld bytes, but %lld were written: something else writes to it or has cut "
                         "it", f->path, (long long)own.st_size, (long long)f->bytes);
}

enum rc sweep_file_add(struct sweep_file *f, const char *record, size_t n, struct err *e) {
    size_t done = 0;
    enum rc rc = sweep_file_check(f, e);
    if (rc)
        return rc;
    while (done < n) {
        ssize_t k = pwrite(f->fd, record + done, n - done, f->bytes + (off_t)done);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0) {
            int reason = k < 0 ? errno : ENOSPC;
            if (ftruncate(f->fd, f->bytes) != 0) {
                // the next run takes the rest of the line away
            }
            return err_set(e, RC_IO, "%s: cannot write: %s", f->path, strerror(reason));
        }
        done += (size_t)k;
    }
    f->bytes += (int64_t)n;
    return RC_OK;
}

void sweep_file_close(struct sweep_file *f) {
    if (f->stream)
        fclose(f->stream);
    else if (f->fd >= 0)
        close(f->fd);
    free(f->keys);
    *f = (struct sweep_file){.fd = -1};
}
