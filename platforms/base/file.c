/* SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700 // realpath()
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

/* --- pipes: what they hold is there once ------------------------------------------------------------ */

/* A pipe that was read to its end, and the unlinked file that holds what came out of it. */
struct spool {
    dev_t device;
    ino_t inode;
    FILE *copy;
};

enum { SPOOLS_MAX = 64 };
static struct spool spools[SPOOLS_MAX];
static int n_spools;

/* Opens an open file once more, from its start, even where it has no name any more. */
static FILE *open_again(FILE *copy) {
    enum { NAME = 40 };
    char name[NAME];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fileno(copy));
    return fopen(name, "rbe");
}

static bool copy_all(int from, FILE *to) {
    char block[65536];
    for (ssize_t n; (n = read(from, block, sizeof block)) != 0;) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || fwrite(block, 1, (size_t)n, to) != (size_t)n)
            return false;
    }
    return fflush(to) == 0;
}

/* Reads a pipe to its end, once, and opens what came out of it. */
static FILE *open_pipe(const char *path, const struct stat *st) {
    for (int i = 0; i < n_spools; i++)
        if (spools[i].device == st->st_dev && spools[i].inode == st->st_ino)
            return open_again(spools[i].copy);
    int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    FILE *copy = fd >= 0 && n_spools < SPOOLS_MAX ? tmpfile() : NULL;
    bool ok = copy && copy_all(fd, copy);
    int reason = errno;
    if (fd >= 0)
        close(fd);
    if (ok)
        spools[n_spools++] = (struct spool){st->st_dev, st->st_ino, copy};
    else if (copy)
        fclose(copy);
    errno = reason;
    return ok ? open_again(copy) : NULL;
}

FILE *file_open(const char *path) {
    struct stat st;
    bool standard = strcmp(path, "-") == 0;
    if ((standard ? fstat(STDIN_FILENO, &st) : stat(path, &st)) != 0)
        return NULL;
    bool terminal = standard && S_ISCHR(st.st_mode) && isatty(STDIN_FILENO);
    if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || terminal)
        return open_pipe(path, &st);
    return fopen(standard ? "/dev/stdin" : path, "rbe");
}

enum rc file_read(const char *path, size_t max_bytes, char **data, size_t *n, struct err *e) {
    FILE *f = file_open(path);
    if (!f)
        return err_set(e, RC_IO, "%s: cannot open: %s", path, strerror(errno));
    enum rc rc = read_all(f, path, max_bytes, data, n, e);
    fclose(f);
    return rc;
}

/* Writes straight into a device, a pipe, or a link that leads to no file yet: there is nothing to rename over. */
static enum rc write_through(const char *path, const void *data, size_t n, struct err *e) {
    FILE *f = fopen(path, "wbe");
    bool ok = f && fwrite(data, 1, n, f) == n;
    int reason = errno;
    if (f && fclose(f) != 0) {
        ok = false;
        reason = errno;
    }
    return ok ? RC_OK : err_set(e, RC_IO, "%s: cannot write: %s", path, strerror(reason));
}

/* Writes a new file at a path, with the mode of the file that it is to replace (old NULL: none). */
static bool write_whole(const char *path, const struct stat *old, const void *data, size_t n) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    FILE *f = fd >= 0 ? fdopen(fd, "wb") : NULL;
    bool ok = f && fwrite(data, 1, n, f) == n && fflush(f) == 0;
    if (ok && old)
        ok = fchmod(fd, old->st_mode & 07777) == 0;
    int reason = errno;
    if (f && fclose(f) != 0 && ok) {
        ok = false;
        reason = errno;
    }
    if (!ok && fd >= 0)
        unlink(path);
    errno = reason;
    return ok;
}

enum rc file_write(const char *path, const void *data, size_t n, struct err *e) {
    struct stat st, link;
    bool there = stat(path, &st) == 0;
    char *real = there ? realpath(path, NULL) : NULL;
    if ((there && !S_ISREG(st.st_mode)) || (!there && lstat(path, &link) == 0)) {
        free(real);
        return write_through(path, data, n, e);
    }
    const char *target = real ? real : path; // a link stays, what it leads to is replaced
    char *temporary = mem_printf("%s.tmp-%ld", target, (long)getpid());
    bool ok = write_whole(temporary, there ? &st : NULL, data, n);
    int reason = errno;
    if (ok && rename(temporary, target) != 0) {
        ok = false;
        reason = errno;
        unlink(temporary);
    }
    free(temporary);
    free(real);
    return ok ? RC_OK : err_set(e, RC_IO, "%s: cannot write: %s", path, strerror(reason));
}

void file_open_standard(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY); // takes the lowest number, fd
}

bool file_exists(const char *path) {
    return strcmp(path, "-") == 0 || access(path, R_OK) == 0;
}

/* Writes the folder of a path, "." where it names none, and returns the name in it. */
static const char *split(const char *path, struct buf *folder) {
    const char *slash = strrchr(path, '/');
    if (slash)
        buf_add(folder, path, (size_t)(slash - path + 1));
    else
        buf_text(folder, ".");
    return slash ? slash + 1 : path;
}

/* Returns whether two names of files that are not there yet would make one file. */
static bool same_new(const char *a, const char *b) {
    struct buf folders[2] = {{0}};
    struct stat x, y;
    const char *in_a = split(a, &folders[0]), *in_b = split(b, &folders[1]);
    bool same = strcmp(in_a, in_b) == 0 && stat(folders[0].text, &x) == 0 && stat(folders[1].text, &y) == 0 &&
                x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    buf_clear(&folders[0]);
    buf_clear(&folders[1]);
    return same || strcmp(a, b) == 0;
}

bool file_same(const char *a, const char *b) {
    struct stat x, y;
    if (stat(a, &x) != 0)
        return stat(b, &y) != 0 && same_new(a, b);
    return S_ISREG(x.st_mode) && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

char *file_beside(const char *path, const char *name) {
    const char *slash = strrchr(path, '/');
    if (name[0] == '/' || !slash || strcmp(name, "-") == 0)
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
