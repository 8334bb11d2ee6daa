/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/child.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platforms/base/clock.h"
#include "platforms/base/file.h"
#include "platforms/base/process.h"

/* --- child ------------------------------------------------------------------------------------------ */

enum { STATUS_UNSENT = 1, STATUS_CRASH = 7, STATUS_NO_MEMORY = 71 };

/* Writes coverage counts, which _exit() would lose; present only in builds with --coverage. */
extern void __gcov_dump(void) __attribute__((weak));

/* Ends the child as a broken engine, or a machine in trouble, might: for tests of the error path. */
static void misbehave(const char *how) {
    fprintf(stderr, "asked to %s by MOESIM_ENGINE_CRASH\n", how);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "exit") == 0)
        _exit(STATUS_CRASH);
    if (strcmp(how, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(how, "exhaust") == 0)
        free(mem_alloc((size_t)1 << 62, 1));
    while (strcmp(how, "hang") == 0)
        pause();
    for (volatile uint64_t turns = 0; strcmp(how, "spin") == 0;)
        turns++;
}

static void end_without_memory(void) {
    _exit(STATUS_NO_MEMORY);
}

static _Noreturn void live(child_body_f body, void *context, int report_fd) {
    mem_on_exhaustion(end_without_memory);
    const char *how = getenv("MOESIM_ENGINE_CRASH");
    if (how)
        misbehave(how);
    struct buf report = {0};
    body(context, &report);
    bool sent = file_send(report_fd, report.text, report.n);
    buf_clear(&report);
    fflush(NULL);
    if (__gcov_dump)
        __gcov_dump();
    _exit(sent ? 0 : STATUS_UNSENT); // no exit handlers: they belong to the parent
}

/* --- parent ----------------------------------------------------------------------------------------- */

enum { REPORT, WORDS, STREAMS };
enum limit { LIMIT_NONE, LIMIT_CPU, LIMIT_WALL };

/* The child as its parent sees it. */
struct child {
    pid_t pid;
    int fd[STREAMS]; /* its report and its stderr; -1 once at the end */
    struct buf text[STREAMS];
    double begin_s, cpu_limit_s;
    double cpu_s, wall_s; /* used when last looked at */
};

static void child_read(struct child *c, int stream) {
    char data[65536];
    ssize_t n = read(c->fd[stream], data, sizeof data);
    if (n > 0) {
        buf_add(&c->text[stream], data, (size_t)n);
    } else if (n == 0 || errno != EINTR) {
        close(c->fd[stream]);
        c->fd[stream] = -1;
    }
}

/* Reads the clocks of the child and returns the limit that was reached. *wait_ms receives for how long neither limit
 * can be reached on one core, -1 for ever. */
static enum limit child_look(struct child *c, int *wait_ms) {
    enum { WAIT_MAX_MS = 60000 };
    *wait_ms = -1;
    if (!(c->cpu_limit_s > 0))
        return LIMIT_NONE;
    double cpu_s = process_cpu_s(c->pid);
    c->cpu_s = fmax(c->cpu_s, cpu_s);
    c->wall_s = clock_wall_s() - c->begin_s;
    double cpu_left_s = c->cpu_limit_s - c->cpu_s;
    double wall_left_s = CHILD_WALL_FACTOR * c->cpu_limit_s - c->wall_s;
    if (cpu_left_s <= 0)
        return LIMIT_CPU;
    if (wall_left_s <= 0)
        return LIMIT_WALL;
    *wait_ms = (int)fmin(ceil(fmin(cpu_left_s, wall_left_s) * 1e3), WAIT_MAX_MS);
    return LIMIT_NONE;
}

/* Reads until both streams end or a limit is reached, and returns that limit. */
static enum limit child_drain(struct child *c) {
    while (c->fd[REPORT] >= 0 || c->fd[WORDS] >= 0) {
        struct pollfd polled[STREAMS];
        for (int i = 0; i < STREAMS; i++)
            polled[i] = (struct pollfd){.fd = c->fd[i], .events = POLLIN};
        int wait_ms;
        enum limit limit = child_look(c, &wait_ms);
        if (limit)
            return limit;
        if (poll(polled, STREAMS, wait_ms) <= 0)
            continue;
        for (int i = 0; i < STREAMS; i++)
            if (c->fd[i] >= 0 && polled[i].revents)
                child_read(c, i);
    }
    return LIMIT_NONE;
}

/* Returns the end of what the child wrote to stderr, as one line. */
static const char *last_words(struct buf *words) {
    enum { LENGTH = 400 };
    while (words->n > 0 && words->text[words->n - 1] == '\n')
        words->text[--words->n] = '\0';
    if (words->n == 0)
        return "no message";
    char *text = words->n > LENGTH ? words->text + words->n - LENGTH : words->text;
    for (char *c = text; *c; c++)
        if (*c == '\n')
            *c = ' ';
    return text;
}

static void close_pipes(int pipes[STREAMS][2], int n) {
    for (int i = 0; i < n; i++) {
        close(pipes[i][0]);
        close(pipes[i][1]);
    }
}

/* Connects the child to its streams, and closes all other descriptors of its parent. */
static void take_streams(int pipes[STREAMS][2]) {
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0)
        dup2(null, STDOUT_FILENO);
    dup2(pipes[WORDS][1], STDERR_FILENO);
    process_close_others(&pipes[REPORT][1], 1);
}

static enum rc child_start(child_body_f body, void *context, struct child *c, struct err *e) {
    int pipes[STREAMS][2];
    for (int i = 0; i < STREAMS; i++)
        if (!process_pipe(pipes[i])) {
            int reason = errno;
            close_pipes(pipes, i);
            return err_set(e, RC_RESOURCE, "cannot make a pipe: %s", strerror(reason));
        }
    fflush(NULL); // or the child would write our buffered output once more
    c->begin_s = clock_wall_s();
    c->pid = process_fork();
    int reason = errno;
    if (c->pid == 0) {
        take_streams(pipes);
        live(body, context, pipes[REPORT][1]);
    }
    if (c->pid < 0) {
        close_pipes(pipes, STREAMS);
        return err_set(e, RC_RESOURCE, "cannot start a process: %s", strerror(reason));
    }
    for (int i = 0; i < STREAMS; i++) {
        close(pipes[i][1]);
        c->fd[i] = pipes[i][0];
    }
    return RC_OK;
}

static enum rc limit_error(const struct child *c, enum limit limit, struct err *e) {
    if (limit == LIMIT_CPU)
        return err_set(e, RC_TIMEOUT,
                       "the simulation was ended after %.3g s of CPU time (limit %g s; %.3g s of wall time)",
                       c->cpu_s, c->cpu_limit_s, c->wall_s);
    return err_set(e, RC_TIMEOUT,
                   "the simulation was ended after %.3g s of wall time (limit %g s, %d times that of CPU time; it used "
                   "%.3g s of CPU time)",
                   c->wall_s, CHILD_WALL_FACTOR * c->cpu_limit_s, CHILD_WALL_FACTOR, c->cpu_s);
}

static enum rc status_error(struct child *c, int status, struct err *e) {
    const char *words = last_words(&c->text[WORDS]);
    if (WIFSIGNALED(status)) {
        int number = WTERMSIG(status);
        return err_set(e, process_ended_from_outside(number) ? RC_RESOURCE : RC_ENGINE,
                       "the simulation was ended by signal %d (%s): %s", number, strsignal(number), words);
    }
    if (WEXITSTATUS(status) == STATUS_NO_MEMORY)
        return err_set(e, RC_RESOURCE, "the simulation found no memory: %s", words);
    if (WEXITSTATUS(status) != 0)
        return err_set(e, RC_ENGINE, "the simulation ended with status %d: %s", WEXITSTATUS(status), words);
    return RC_OK;
}

/* Waits for the child, which has closed its streams or is killed here, and fills in the error that its end means. */
static enum rc child_finish(struct child *c, struct err *e) {
    enum limit limit = child_drain(c);
    if (limit)
        kill(c->pid, SIGKILL);
    for (int i = 0; i < STREAMS; i++)
        if (c->fd[i] >= 0)
            close(c->fd[i]);
    int status = 0;
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return limit ? limit_error(c, limit, e) : status_error(c, status, e);
}

enum rc child_run(child_body_f body, void *context, double cpu_limit_s, struct buf *report, struct err *e) {
    struct child c = {.cpu_limit_s = cpu_limit_s};
    enum rc rc = child_start(body, context, &c, e);
    if (rc)
        return rc;
    rc = child_finish(&c, e);
    if (rc == RC_OK)
        *report = c.text[REPORT];
    else
        buf_clear(&c.text[REPORT]);
    buf_clear(&c.text[WORDS]);
    return rc;
}
