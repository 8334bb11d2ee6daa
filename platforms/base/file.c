/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platforms/base/mem.h"

static enum rc read_all(FILE *f, const char *path, size_t max_bytes, char **data, size_t *n,
                        struct err *e) {
    struct buf b = {0};
    char chunk[65536];
    size_t got;
    while ((got = fread(chunk, 1, sizeof chunk, f)) > 0) {
        if (got > max_bytes - b.n) {
            buf_clear(&b);
            return err_set(e, RC_IO, "%s: larger than %zu bytes", path, max_bytes);
        }
        buf_add(&b, chunk, got);
    }
    if (ferror(f)) {
        int reason = errno;
        buf_clear(&b);
        return err_set(e, RC_IO, "%s: cannot read: %s", path, strerror(reason));
    }
    buf_add(&b, "", 0);
    *data = b.text;
    *n = b.n;
    return RC_OK;
}

enum rc file_read(const char *path, size_t max_bytes, char **data, size_t *n, struct err *e) {
    FILE *f = fopen(path, "rbe");
    if (!f)
        return err_set(e, RC_IO, "%s: cannot open: %s", path, strerror(errno));
    enum rc rc = read_all(f, path, max_bytes, data, n, e);
    fclose(f);
    return rc;
}

enum rc file_write(const char *path, const void *data, size_t n, struct err *e) {
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        // a device or a pipe (/dev/stdout): there is nothing to rename over
        FILE *f = fopen(path, "wbe");
        bool ok = f && fwrite(data, 1, n, f) == n;
        int reason = errno;
        if (f && fclose(f) != 0) {
            ok = false;
            reason = errno;
        }
        return ok ? RC_OK : err_set(e, RC_IO, "%s: cannot write: %s", path, strerror(reason));
    }
    char *temporary = mem_printf("%s.tmp-%ld", path, (long)getpid());
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    FILE *f = fd >= 0 ? fdopen(fd, "wb") : NULL;
    bool ok = f && fwrite(data, 1, n, f) == n && fflush(f) == 0;
    int reason = errno;
    if (f && fclose(f) != 0 && ok) {
        ok = false;
        reason = errno;
    }
    if (ok && rename(temporary, path) != 0) {
        ok = false;
        reason = errno;
    }
    if (!ok && fd >= 0)
        unlink(temporary);
    free(temporary);
    return ok ? RC_OK : err_set(e, RC_IO, "%s: cannot write: %s", path, strerror(reason));
}

bool file_exists(const char *path) {
    return access(path, R_OK) == 0;
}

bool file_same(const char *a, const char *b) {
    struct stat x, y;
    if (stat(a, &x) != 0)
        return strcmp(a, b) == 0;
    return S_ISREG(x.st_mode) && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

char *file_beside(const char *path, const char *name) {
    const char *slash = strrchr(path, '/');
    if (name[0] == '/' || !slash)
        return mem_copy(name);
    return mem_printf("%.*s/%s", (int)(slash - path), path, name);
}

bool file_send(int fd, const void *data, size_t n) {
    for (const char *p = data; n > 0;) {
        ssize_t k = write(fd, p, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        p += k;
        n -= (size_t)k;
    }
    return true;
}

bool file_receive(int fd, void *into, size_t n) {
    for (char *p = into; n > 0;) {
        ssize_t k = read(fd, p, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        p += k;
        n -= (size_t)k;
    }
    return true;
}

enum rc file_make_folder(const char *path, struct err *e) {
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return RC_OK;
    return err_set(e, RC_IO, "%s: cannot make the folder: %s", path, strerror(errno));
}
