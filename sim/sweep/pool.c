/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/sweep/pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platforms/base/file.h"
#include "platforms/base/process.h"

/* Lives as a worker: takes a point, gives the length of its record and the record. */
static _Noreturn void serve(const struct sweep_pool *pool, int from, int to) {
    int64_t point;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    while (file_receive(from, &point, sizeof point)) {
        struct buf record = {0};
        pool->work(pool->context, point, &record);
        uint64_t n = record.n;
        if (!file_send(to, &n, sizeof n) || !file_send(to, record.text, record.n))
            break;
        buf_clear(&record);
    }
    _exit(0);
}

static enum rc start(struct sweep_pool *pool, int worker, struct err *e) {
    struct sweep_worker *w = &pool->workers[worker];
    int in[2], out[2];
    if (!process_pipe(in))
        return err_set(e, RC_IO, "cannot start a worker: %s", strerror(errno));
    if (!process_pipe(out)) {
        close(in[0]);
        close(in[1]);
        return err_set(e, RC_IO, "cannot start a worker: %s", strerror(errno));
    }
    fflush(NULL); // or the worker would write our buffered output once more
    pid_t pid = process_fork();
    if (pid == 0) {
        setpgid(0, 0); // Ctrl-C is for the parent; what a worker starts ends with it
        process_close_others((int[]){in[0], out[1]}, 2);
        serve(pool, in[0], out[1]);
    }
    close(in[0]);
    close(out[1]);
    if (pid < 0) {
        close(in[1]);
        close(out[0]);
        return err_set(e, RC_IO, "cannot start a worker: %s", strerror(errno));
    }
    setpgid(pid, pid);
    *w = (struct sweep_worker){.pid = pid, .to = in[1], .from = out[0]};
    return RC_OK;
}

enum rc sweep_pool_open(sweep_work_f work, void *context, int n, struct sweep_pool *pool, struct err *e) {
    *pool = (struct sweep_pool){work, context, mem_alloc((size_t)n, sizeof(struct sweep_worker)), n};
    signal(SIGPIPE, SIG_IGN); // a worker that died is noticed on the other pipe
    enum rc rc = RC_OK;
    for (int i = 0; i < n && !rc; i++)
        rc = start(pool, i, e);
    if (rc)
        sweep_pool_close(pool, true);
    return rc;
}

enum rc sweep_pool_give(struct sweep_pool *pool, int worker, int64_t point, struct err *e) {
    struct sweep_worker *w = &pool->workers[worker];
    if (w->pid <= 0) {
        enum rc rc = start(pool, worker, e);
        if (rc)
            return rc;
    }
    w->busy = true;
    (void)file_send(w->to, &point, sizeof point);
    return RC_OK;
}

static void end(struct sweep_worker *w, bool by_force, int *status) {
    close(w->to);
    if (by_force)
        kill(-w->pid, SIGKILL);
    while (waitpid(w->pid, status, 0) < 0 && errno == EINTR)
        continue;
    close(w->from);
    buf_clear(&w->partial);
    *w = (struct sweep_worker){.pid = 0};
}

/* Ends all that a dead worker has left. */
static void bury(struct sweep_worker *w, int *signal_number) {
    int status = 0;
    end(w, true, &status);
    *signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* Returns whether a worker has died, without waiting for the end of its pipe. */
static bool is_dead(const struct sweep_worker *w) {
    siginfo_t info = {.si_pid = 0};
    return w->pid > 0 && waitid(P_PID, (id_t)w->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == w->pid;
}

/* Reads what a worker has written. Returns true when its record is complete or it has died (record empty). */
static bool receive(struct sweep_worker *w, struct buf *record, int *signal_number) {
    char block[1 << 16];
    ssize_t k = read(w->from, block, sizeof block);
    if (k < 0 && errno == EINTR)
        return false;
    if (k <= 0) {
        bury(w, signal_number);
        return true;
    }
    buf_add(&w->partial, block, (size_t)k);
    uint64_t n;
    if (w->partial.n < sizeof n)
        return false;
    memcpy(&n, w->partial.text, sizeof n);
    if (w->partial.n < sizeof n + n)
        return false;
    buf_add(record, w->partial.text + sizeof n, n);
    buf_clear(&w->partial);
    w->busy = false;
    return true;
}

int sweep_pool_take(struct sweep_pool *pool, int timeout_ms, struct buf *record, int *signal_number) {
    struct pollfd *fds = mem_alloc((size_t)pool->n, sizeof *fds);
    for (int i = 0; i < pool->n; i++)
        fds[i] = (struct pollfd){.fd = pool->workers[i].pid > 0 ? pool->workers[i].from : -1,
                                 .events = POLLIN};
    int found = -1;
    *signal_number = 0;
    if (poll(fds, (nfds_t)pool->n, timeout_ms) > 0)
        for (int i = 0; i < pool->n && found < 0; i++)
            if (fds[i].revents && receive(&pool->workers[i], record, signal_number))
                found = i;
    for (int i = 0; i < pool->n && found < 0; i++)
        if (!fds[i].revents && is_dead(&pool->workers[i])) {
            bury(&pool->workers[i], signal_number);
            found = i;
        }
    free(fds);
    return found;
}

void sweep_pool_close(struct sweep_pool *pool, bool by_force) {
    for (int i = 0; i < pool->n; i++)
        if (pool->workers[i].pid > 0) {
            int status;
            end(&pool->workers[i], by_force || pool->workers[i].busy, &status);
        }
    free(pool->workers);
    *pool = (struct sweep_pool){0};
}
