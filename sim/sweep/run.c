/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/sweep/run.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platforms/base/clock.h"
#include "platforms/base/process.h"
#include "sim/sweep/pool.h"

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number) {
    interrupted = signal_number;
}

enum { NOTHING = -1, NOT_READY = -2 };

struct state {
    const struct sweep_job *job;
    const struct sweep_remote *remote;
    struct sweep_pool pool;
    struct sweep_file *file;
    struct sweep_tally *tally;
    size_t *order; /* points to do, largest first */
    size_t n, next;
    bool *finished; /* [point] */
    char *lost;     /* [point] workers that died of it */
    size_t *again;  /* points to hand out once more */
    size_t n_again, room_again;
    int n_workers;   /* local ones first */
    int64_t *holds;  /* [worker] point, NOTHING or NOT_READY */
    double *since_s; /* [worker] */
    double longest_s;
    double begin_s, shown_s;
    bool terminal;
};

void sweep_work(void *context, int64_t point, struct buf *record) {
    const struct sweep_job *job = context;
    struct sweep_plan plan;
    struct err e = {.text = ""};
    if (job->plans) {
        plan = job->plans[point];
    } else {
        enum rc rc = sweep_point_plan(job->spec, (size_t)point, job->study, &plan, &e);
        if (rc) {
            sweep_point_lost(job->spec, (size_t)point, &plan, rc, e.text, record);
            return;
        }
    }
    sweep_point_run(job->spec, (size_t)point, &plan, job->study, record);
}

/* --- progress -------------------------------------------------------------------------------------- */

static void show(struct state *s, bool last) {
    double t = clock_wall_s(), every = s->terminal ? 0.5 : 60;
    if (!last && t - s->shown_s < every)
        return;
    s->shown_s = t;
    const struct sweep_tally *y = s->tally;
    double rate = t > s->begin_s ? (double)y->done / (t - s->begin_s) : 0;
    size_t left = s->n - y->done;
    fprintf(stderr, "%s%zu/%zu points, %.3g/s", s->terminal ? "\r" : "moesim: ", y->there + y->done, y->points,
            rate);
    if (rate > 0 && left)
        fprintf(stderr, ", %.0f s left", ceil((double)left / rate));
    fprintf(stderr, ", %zu failed%s%s", y->failed, s->terminal ? "\x1b[K" : "\n", last && s->terminal ? "\n" : "");
    fflush(stderr);
}

/* --- handing out ----------------------------------------------------------------------------------- */

/* Returns a point that a remote worker has held for much longer than any took; -1: none. */
static int64_t overdue(const struct state *s) {
    int64_t point = -1;
    double since = clock_wall_s() - (1 + 4 * s->longest_s);
    for (int w = s->pool.n; w < s->n_workers; w++)
        if (s->holds[w] >= 0 && !s->finished[s->holds[w]] && s->since_s[w] < since) {
            bool twice = false;
            for (int v = 0; v < s->n_workers; v++)
                twice = twice || (v != w && s->holds[v] == s->holds[w]);
            if (!twice) {
                point = s->holds[w];
                since = s->since_s[w];
            }
        }
    return point;
}

static int64_t next_point(struct state *s) {
    if (s->next < s->n)
        return (int64_t)s->order[s->next++];
    if (s->n_again)
        return (int64_t)s->again[--s->n_again];
    return overdue(s);
}

static enum rc hand_out(struct state *s, struct err *e) {
    enum rc rc = RC_OK;
    for (int w = 0; w < s->n_workers && !rc; w++) {
        if (s->holds[w] != NOTHING)
            continue;
        int64_t point = next_point(s);
        if (point < 0)
            return RC_OK;
        s->holds[w] = point;
        s->since_s[w] = clock_wall_s();
        if (w < s->pool.n)
            rc = sweep_pool_give(&s->pool, w, point, e);
        else
            s->remote->give(s->remote->context, w - s->pool.n, point);
    }
    return rc;
}

/* --- records --------------------------------------------------------------------------------------- */

static enum rc keep(struct state *s, int64_t point, const struct buf *record, struct err *e) {
    struct sweep_found found;
    if (s->finished[point])
        return RC_OK;
    enum rc rc = sweep_file_parse(record->text, record->n, &found, e);
    if (rc) {
        err_prefix(e, "a worker's record of point %lld", (long long)s->job->spec->points[point].number);
        return rc;
    }
    if (strcmp(found.key, s->job->plans[point].key) != 0)
        return err_set(e, RC_IO, "a worker on another machine has other input files for point %lld",
                       (long long)s->job->spec->points[point].number);
    rc = sweep_file_add(s->file, record->text, record->n, e);
    if (rc)
        return rc;
    s->finished[point] = true;
    s->tally->done++;
    s->tally->failed += found.failed;
    return RC_OK;
}

/* Gives a point over which a worker died to another; it has failed when that one dies too. */
static enum rc lose(struct state *s, int64_t point, int signal_number, struct err *e) {
    if (s->finished[point])
        return RC_OK;
    if (s->lost[point]++ == 0) {
        MEM_GROW(s->again, s->n_again, s->room_again);
        s->again[s->n_again++] = (size_t)point;
        return RC_OK;
    }
    char why[80];
    if (signal_number)
        snprintf(why, sizeof why, "two workers died over this point (signal %d)", signal_number);
    else
        snprintf(why, sizeof why, "two workers died over this point");
    struct buf record = {0};
    // a worker that crashes by itself will do so again; an end from outside, or one without a signal (a remote worker,
    // no memory), says nothing of the point
    bool by_itself = signal_number && !process_ended_from_outside(signal_number);
    sweep_point_lost(s->job->spec, (size_t)point, &s->job->plans[point], by_itself ? RC_ENGINE : RC_RESOURCE, why,
                     &record);
    enum rc rc = keep(s, point, &record, e);
    buf_clear(&record);
    return rc;
}

static enum rc accept_record(struct state *s, int worker, const struct buf *record, int signal_number,
                             struct err *e) {
    int64_t point = s->holds[worker];
    s->holds[worker] = NOTHING;
    if (point < 0)
        return RC_OK;
    if (record->n == 0)
        return lose(s, point, signal_number, e);
    s->longest_s = fmax(s->longest_s, clock_wall_s() - s->since_s[worker]);
    return keep(s, point, record, e);
}

static enum rc collect(struct state *s, struct err *e) {
    struct buf record = {0};
    int signal_number = 0;
    enum rc rc = RC_OK;
    int w = sweep_pool_take(&s->pool, s->remote->n ? 2 : 200, &record, &signal_number);
    if (w >= 0)
        rc = accept_record(s, w, &record, signal_number, e);
    buf_clear(&record);
    while (!rc && s->remote->n && (w = s->remote->take(s->remote->context, &record)) >= 0) {
        rc = accept_record(s, s->pool.n + w, &record, 0, e);
        buf_clear(&record);
    }
    return rc;
}

/* --- the run --------------------------------------------------------------------------------------- */

struct sized {
    double seconds;
    size_t point;
};

static int by_size(const void *a, const void *b) {
    const struct sized *x = a, *y = b;
    if (x->seconds != y->seconds)
        return x->seconds < y->seconds ? 1 : -1;
    return (x->point > y->point) - (x->point < y->point);
}

bool sweep_is_done(const struct sweep_job *job, const struct sweep_found *found) {
    if (!found || !found->failed)
        return found != NULL;
    return job->retry == RETRY_NONE || (job->retry == RETRY_CIRCUMSTANCE && !found->by_circumstance);
}

/* Lists the points that are not in the file yet, largest first. */
static void order_points(struct state *s) {
    struct sized *all = mem_alloc(s->job->spec->n_points, sizeof *all);
    for (size_t i = 0; i < s->job->spec->n_points; i++) {
        const struct sweep_found *found = sweep_file_find(s->file, s->job->plans[i].key);
        bool done = sweep_is_done(s->job, found);
        if (!done)
            all[s->n++] = (struct sized){s->job->plans[i].seconds, i};
        s->tally->there_failed += done && found->failed;
    }
    qsort(all, s->n, sizeof *all, by_size);
    for (size_t i = 0; i < s->n; i++)
        s->order[i] = all[i].point;
    free(all);
}

static void fill_state(struct state *s, int jobs) {
    const struct sweep_spec *spec = s->job->spec;
    s->order = mem_alloc(spec->n_points, sizeof *s->order);
    s->finished = mem_alloc(spec->n_points, sizeof *s->finished);
    s->lost = mem_alloc(spec->n_points, sizeof *s->lost);
    order_points(s);
    s->tally->points = spec->n_points;
    s->tally->there = spec->n_points - s->n;
    s->n_workers = jobs + s->remote->n;
    s->holds = mem_alloc((size_t)s->n_workers, sizeof *s->holds);
    s->since_s = mem_alloc((size_t)s->n_workers, sizeof *s->since_s);
    for (int i = 0; i < s->n_workers; i++)
        s->holds[i] = i < jobs ? NOTHING : NOT_READY; // a remote one says when it is
    s->begin_s = s->shown_s = clock_wall_s();
    s->terminal = isatty(STDERR_FILENO);
}

static void clear_state(struct state *s) {
    free(s->order);
    free(s->finished);
    free(s->lost);
    free(s->again);
    free(s->holds);
    free(s->since_s);
}

enum rc sweep_run(const struct sweep_job *job, int jobs, const struct sweep_remote *remote,
                  struct sweep_file *file, struct sweep_tally *tally, struct err *e) {
    static const struct sweep_remote nobody = {0};
    struct state s = {.job = job, .remote = remote ? remote : &nobody, .file = file, .tally = tally};
    struct sigaction act = {.sa_handler = on_interrupt}, old[2];
    sigaction(SIGINT, &act, &old[0]);
    sigaction(SIGTERM, &act, &old[1]);
    signal(SIGXFSZ, SIG_IGN); // a file that may not grow is a failed write, not the end
    fill_state(&s, jobs);
    enum rc rc = sweep_pool_open(sweep_work, (void *)(uintptr_t)job, jobs, &s.pool, e);
    while (!rc && tally->done < s.n && !interrupted) {
        rc = hand_out(&s, e);
        if (!rc)
            rc = collect(&s, e);
        show(&s, false);
    }
    if (!rc)
        rc = sweep_file_check(file, e);
    if (s.terminal || clock_wall_s() - s.begin_s > 60)
        show(&s, true);
    if (!rc && interrupted) {
        rc = err_set(e, RC_ENGINE, "interrupted after %zu of %zu points; the same command continues with %s",
                     tally->there + tally->done, tally->points, file->path);
    } else if (rc) {
        err_prefix(e, "stopped after %zu of %zu points (the same command continues)",
                   tally->there + tally->done, tally->points);
    }
    sweep_pool_close(&s.pool, rc != RC_OK);
    sigaction(SIGINT, &old[0], NULL);
    sigaction(SIGTERM, &old[1], NULL);
    clear_state(&s);
    return rc;
}
