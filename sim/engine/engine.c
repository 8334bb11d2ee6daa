/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/engine.h"

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
#include "platforms/base/mem.h"
#include "sim/engine/answer.h"
#include "sim/engine/driver.h"
#include "sim/engine/flow.h"
#include "sim/engine/wire.h"

const char *sim_version(void) {
    static char text[40];
    int major, minor, patch;
    flow_version(&major, &minor, &patch);
    snprintf(text, sizeof text, "%d.%d.%d", major, minor, patch);
    return text;
}

static enum rc check_links_capacity(const struct topology *t, struct err *e) {
    for (int l = 0; l < t->n_links; l++) {
        const struct link *link = &t->links[l];
        if (!(link->capacity_Bps > 0 && isfinite(link->capacity_Bps)))
            return err_set(e, RC_RANGE, "link %s: capacity %g is not a rate", link->name,
                           link->capacity_Bps);
    }
    return RC_OK;
}

/* SimGrid aborts on what it does not accept; the readers let none of this through. */
static enum rc check_call(const struct call *call, struct err *e) {
    for (int s = 0; s < call->n_stages; s++) {
        const struct matrix *m = &call->stages[s].bytes;
        BUG_ON(m->ranks != call->topology->ranks);
        for (size_t i = 0; i < m->start[m->ranks]; i++)
            if (!(m->value[i] >= 0 && isfinite(m->value[i])))
                return err_set(e, RC_RANGE, "%s: %g bytes is not a size", call->stages[s].name,
                               m->value[i]);
    }
    for (int rank = 0; rank < call->topology->ranks && call->enter_s; rank++)
        if (!(call->enter_s[rank] >= 0 && isfinite(call->enter_s[rank])))
            return err_set(e, RC_RANGE, "rank %d enters the call at %g s, which is not a time",
                           rank, call->enter_s[rank]);
    return RC_OK;
}

static enum rc check_costs(const struct call *call, const struct costs *c, struct err *e) {
    double sum = c->splits_s + c->chain_s_per_pair + c->chain_floor_s;
    for (int s = 0; s < call->n_stages; s++)
        sum += c->alpha_s[s];
    for (int tier = 0; tier < TIER_MAX; tier++)
        sum += c->latency_s[tier];
    if (!(sum >= 0 && isfinite(sum)))
        return err_set(e, RC_RANGE, "fixed costs '%s' are not times", c->name);
    return RC_OK;
}

/* --- the runs that a list of cases needs ------------------------------------------------------ */

/* The cases of one call, or the one case of a sequence. */
struct runs {
    struct plan plan;
    const struct costs *costs; /* [case * n_calls + call] */
    size_t *of_case; /* [n_cases] */
    size_t *case_of; /* a case of each run */
    struct play *plays;
    size_t n;
};

static void runs_init(struct runs *r, const struct costs *costs, size_t n_cases) {
    r->costs = costs;
    r->of_case = mem_alloc(n_cases, sizeof *r->of_case);
    r->case_of = mem_alloc(n_cases, sizeof *r->case_of);
    r->plays = mem_alloc(n_cases, sizeof *r->plays);
    for (size_t i = 0; i < n_cases; i++) {
        size_t run = 0;
        while (run < r->n && !driver_same_run(r->plan.calls, &costs[i], &costs[r->case_of[run]]))
            run++;
        if (run == r->n) {
            play_init(&r->plays[run], &r->plan);
            r->case_of[r->n++] = i;
        }
        r->of_case[i] = run;
    }
}

static void runs_clear(struct runs *r) {
    for (size_t i = 0; i < r->n; i++)
        play_clear(&r->plays[i]);
    free(r->of_case);
    free(r->case_of);
    free(r->plays);
    plan_clear(&r->plan);
}

/* --- child ------------------------------------------------------------------------------------ */

/* Writes coverage counts, which _exit() would lose; present only in builds with --coverage. */
extern void __gcov_dump(void) __attribute__((weak));

/* For the tests of the error path: the child ends the way that a broken engine might. */
static void misbehave(const char *how) {
    fprintf(stderr, "asked to %s by MOESIM_ENGINE_CRASH\n", how);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "exit") == 0)
        _exit(7);
    while (strcmp(how, "hang") == 0)
        pause();
}

static _Noreturn void child(struct runs *r, int report_fd) {
    const char *how = getenv("MOESIM_ENGINE_CRASH");
    if (how)
        misbehave(how);
    struct err e = {0};
    struct driver *driver = NULL;
    enum rc rc = driver_open(&r->plan, &driver, &e);
    for (size_t i = 0; i < r->n && rc == RC_OK; i++)
        rc = driver_play(driver, &r->costs[r->case_of[i]], &r->plays[i], &e);
    struct buf report = {0};
    wire_encode(&r->plan, rc, &e, r->plays, r->n, &report);
    bool sent = file_send(report_fd, report.text, report.n);
    buf_clear(&report);
    driver_close(driver);
    fflush(NULL);
    if (__gcov_dump)
        __gcov_dump();
    _exit(sent ? 0 : 1); // no exit handlers: they belong to the parent
}

/* --- parent ----------------------------------------------------------------------------------- */

enum { REPORT, WORDS, STREAMS };

/* The child as its parent sees it. */
struct process {
    pid_t pid;
    int fd[STREAMS]; /* its report and its stderr; -1 once at the end */
    struct buf text[STREAMS];
};

static void read_some(struct process *p, int stream) {
    char data[65536];
    ssize_t n = read(p->fd[stream], data, sizeof data);
    if (n > 0) {
        buf_add(&p->text[stream], data, (size_t)n);
    } else if (n == 0 || errno != EINTR) {
        close(p->fd[stream]);
        p->fd[stream] = -1;
    }
}

/* Reads until both streams end. Returns false when the time is over before. */
static bool drain(struct process *p, double timeout_s) {
    double end_s = clock_wall_s() + timeout_s;
    while (p->fd[REPORT] >= 0 || p->fd[WORDS] >= 0) {
        struct pollfd polled[STREAMS];
        for (int i = 0; i < STREAMS; i++)
            polled[i] = (struct pollfd){.fd = p->fd[i], .events = POLLIN};
        double left_s = end_s - clock_wall_s();
        if (timeout_s > 0 && left_s <= 0)
            return false;
        int wait_ms = timeout_s > 0 ? (int)fmin(ceil(left_s * 1e3), 60e3) : -1;
        if (poll(polled, STREAMS, wait_ms) <= 0)
            continue;
        for (int i = 0; i < STREAMS; i++)
            if (p->fd[i] >= 0 && polled[i].revents)
                read_some(p, i);
    }
    return true;
}

/* The end of what the child wrote to stderr, as one line. */
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

static enum rc start(struct runs *r, struct process *p, struct err *e) {
    int pipes[STREAMS][2];
    for (int i = 0; i < STREAMS; i++)
        if (pipe(pipes[i])) {
            int reason = errno;
            while (i-- > 0) {
                close(pipes[i][0]);
                close(pipes[i][1]);
            }
            return err_set(e, RC_ENGINE, "cannot make a pipe: %s", strerror(reason));
        }
    fflush(NULL); // or the child would write our buffered output once more
    p->pid = fork();
    int reason = errno;
    if (p->pid == 0) {
        int null = open("/dev/null", O_WRONLY);
        if (null >= 0)
            dup2(null, STDOUT_FILENO);
        dup2(pipes[WORDS][1], STDERR_FILENO);
        child(r, pipes[REPORT][1]);
    }
    for (int i = 0; i < STREAMS; i++) {
        close(pipes[i][1]);
        p->fd[i] = pipes[i][0];
    }
    if (p->pid > 0)
        return RC_OK;
    for (int i = 0; i < STREAMS; i++)
        close(p->fd[i]);
    return err_set(e, RC_ENGINE, "cannot start a process: %s", strerror(reason));
}

/* Waits for the child, which has closed its streams or is killed here. */
static enum rc finish(struct process *p, double timeout_s, struct err *e) {
    bool in_time = drain(p, timeout_s);
    if (!in_time)
        kill(p->pid, SIGKILL);
    for (int i = 0; i < STREAMS; i++)
        if (p->fd[i] >= 0)
            close(p->fd[i]);
    int status = 0;
    while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (!in_time)
        return err_set(e, RC_TIMEOUT, "the simulation did not end within %g s", timeout_s);
    if (WIFSIGNALED(status))
        return err_set(e, RC_ENGINE, "the simulation was ended by signal %d (%s): %s",
                       WTERMSIG(status), strsignal(WTERMSIG(status)), last_words(&p->text[WORDS]));
    if (WEXITSTATUS(status) != 0)
        return err_set(e, RC_ENGINE, "the simulation ended with status %d: %s", WEXITSTATUS(status),
                       last_words(&p->text[WORDS]));
    return RC_OK;
}

static enum rc play_in_child(struct runs *r, double timeout_s, struct err *e) {
    struct process p = {0};
    enum rc rc = start(r, &p, e);
    if (rc)
        return rc;
    rc = finish(&p, timeout_s, e);
    if (rc == RC_OK)
        rc = wire_decode(&r->plan, p.text[REPORT].text, p.text[REPORT].n, r->plays, r->n, e);
    for (int i = 0; i < STREAMS; i++)
        buf_clear(&p.text[i]);
    return rc;
}

/* Messages of a plan, or more: pairs of ranks. */
static double most_messages(const struct plan *p) {
    double n = 0;
    for (int x = 0; x < p->n; x++)
        n += (double)p->exchanges[x].call->stages[p->exchanges[x].stage].bytes.start[p->ranks];
    return n;
}

static void choose_engine(const struct sim_options *options, struct plan *p) {
    enum sim_engine engine = options->engine;
    double flows = 0;
    for (int i = 0; i < p->n_calls && engine == SIM_ENGINE_AUTO; i++)
        flows += sim_flows(&p->calls[i]);
    if (engine == SIM_ENGINE_AUTO)
        engine = sim_engine_for(flows);
    p->engine = engine == SIM_ENGINE_FLUID ? &flow_fluid : &flow_simgrid;
    p->checked = options->checked;
    p->most_messages = (int)fmin(options->messages, most_messages(p));
}

enum rc sim_run(const struct call *call, const struct costs *cases, size_t n_cases,
                const struct sim_options *options, struct outcome *outcomes, struct err *e) {
    enum rc rc = check_links_capacity(call->topology, e);
    if (rc == RC_OK)
        rc = check_call(call, e);
    for (size_t i = 0; i < n_cases && rc == RC_OK; i++)
        rc = check_costs(call, &cases[i], e);
    if (rc)
        return rc;
    struct runs r = {0};
    plan_init(&r.plan, call);
    choose_engine(options, &r.plan);
    r.plan.times_only = options->times_only && options->link_bins == 0;
    r.plan.link_bins = options->link_bins;
    runs_init(&r, cases, n_cases);
    rc = play_in_child(&r, options->timeout_s, e);
    for (size_t i = 0; i < n_cases && rc == RC_OK; i++) {
        answer_from_play(&r.plan, 0, &cases[i], &r.plays[r.of_case[i]], &outcomes[i]);
        outcomes[i].run = (int)r.of_case[i];
    }
    runs_clear(&r);
    return rc;
}

enum rc sim_answer(const struct call *call, const struct costs *cases, size_t n_cases, void *options,
                   struct outcome *outcomes, struct err *e) {
    return sim_run(call, cases, n_cases, options, outcomes, e);
}

enum rc sim_run_sequence(const struct sim_sequence *s, const struct sim_options *options,
                         struct outcome *outcomes, double *total_s, struct err *e) {
    BUG_ON(s->n_calls < 1);
    enum rc rc = check_links_capacity(s->calls[0].topology, e);
    for (size_t i = 0; i < s->n_calls && rc == RC_OK; i++) {
        rc = check_call(&s->calls[i], e);
        if (rc == RC_OK)
            rc = check_costs(&s->calls[i], &s->costs[i], e);
    }
    if (rc)
        return rc;
    struct runs r = {0};
    plan_init_sequence(&r.plan, s->calls, s->n_calls, s->host);
    choose_engine(options, &r.plan);
    r.plan.times_only = options->times_only && options->link_bins == 0;
    r.plan.link_bins = options->link_bins;
    runs_init(&r, s->costs, 1);
    rc = play_in_child(&r, options->timeout_s, e);
    for (size_t i = 0; i < s->n_calls && rc == RC_OK; i++)
        answer_from_play(&r.plan, (int)i, s->costs, &r.plays[0], &outcomes[i]);
    if (rc == RC_OK)
        *total_s = answer_total_s(&r.plan, outcomes);
    runs_clear(&r);
    return rc;
}

enum rc sim_answer_sequence(const struct call *calls, const struct costs *costs, size_t n_calls, enum regime host,
                            void *options, struct outcome *outcomes, struct err *e) {
    const struct sim_sequence sequence = {calls, costs, n_calls, host};
    double total_s;
    return sim_run_sequence(&sequence, options, outcomes, &total_s, e);
}
