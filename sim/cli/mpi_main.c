/* SPDX-License-Identifier: BSD-3-Clause */
/* moesim-mpi: `moesim sweep` over the ranks of an MPI job. Rank 0 hands out and writes, and works too.
 *
 * Every rank reads the sweep file and the inputs itself and lets a process of its own work out the points, so that
 * a crash costs a point and not the job. A rank says that it is ready with an empty message. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/cli/cli.h"
#include "sim/cli/sweep_main.h"
#include "sim/cli/sweep_pool.h"

enum { TAG_POINT = 1, TAG_RECORD, TAG_BYE };
enum { STOP = -1 };

/* How long rank 0 waits for the others at the end before it counts them as lost. */
#define FAREWELL_S 5.0

static void pause_ms(long ms) {
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static bool waiting(int source, int tag, MPI_Status *status) {
    int there = 0;
    return MPI_Iprobe(source, tag, MPI_COMM_WORLD, &there, status) == MPI_SUCCESS && there;
}

/* --- rank 0 ---------------------------------------------------------------------------------------- */

static void give(void *context, int worker, int64_t point) {
    (void)context;
    MPI_Send(&point, 1, MPI_INT64_T, worker + 1, TAG_POINT, MPI_COMM_WORLD);
}

static int take(void *context, struct buf *record) {
    (void)context;
    MPI_Status status;
    int n = 0;
    if (!waiting(MPI_ANY_SOURCE, TAG_RECORD, &status) || MPI_Get_count(&status, MPI_CHAR, &n) != MPI_SUCCESS)
        return -1;
    char *text = mem_alloc((size_t)n + 1, 1);
    MPI_Recv(text, n, MPI_CHAR, status.MPI_SOURCE, TAG_RECORD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    buf_add(record, text, (size_t)n);
    free(text);
    return status.MPI_SOURCE - 1;
}

/* Ends the other ranks; returns how many do not answer. */
static int dismiss(int others) {
    MPI_Status status;
    int64_t stop = STOP;
    for (int rank = 1; rank <= others; rank++) {
        MPI_Request request;
        if (MPI_Isend(&stop, 1, MPI_INT64_T, rank, TAG_POINT, MPI_COMM_WORLD, &request) == MPI_SUCCESS)
            MPI_Request_free(&request);
    }
    double begin_s = MPI_Wtime();
    int left = others;
    while (left > 0 && MPI_Wtime() - begin_s < FAREWELL_S) {
        if (waiting(MPI_ANY_SOURCE, TAG_BYE, &status)) {
            MPI_Recv(NULL, 0, MPI_CHAR, status.MPI_SOURCE, TAG_BYE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            left--;
        } else if (waiting(MPI_ANY_SOURCE, TAG_RECORD, &status)) {
            struct buf late = {0}; // of a point that another one has done
            take(NULL, &late);
            buf_clear(&late);
        } else {
            pause_ms(2);
        }
    }
    return left;
}

/* --- the other ranks --------------------------------------------------------------------------------- */

/* Works out one point; gives up when rank 0 says stop meanwhile. */
static bool work(struct sweep_pool *pool, int64_t point) {
    MPI_Status status;
    struct err e;
    int signal_number;
    if (sweep_pool_give(pool, 0, point, &e)) {
        fprintf(stderr, "moesim-mpi: %s\n", e.text);
        return false;
    }
    for (;;) {
        struct buf record = {0};
        if (sweep_pool_take(pool, 50, &record, &signal_number) >= 0) {
            MPI_Send(record.text, (int)record.n, MPI_CHAR, 0, TAG_RECORD, MPI_COMM_WORLD);
            buf_clear(&record);
            return true;
        }
        if (waiting(0, TAG_POINT, &status))
            return true;
    }
}

static void serve(const struct sweep_job *job) {
    struct sweep_pool pool;
    struct err e;
    MPI_Status status;
    enum rc rc = sweep_pool_open(sweep_work, (void *)(uintptr_t)job, 1, &pool, &e);
    if (rc)
        fprintf(stderr, "moesim-mpi: %s\n", e.text);
    else
        MPI_Send(NULL, 0, MPI_CHAR, 0, TAG_RECORD, MPI_COMM_WORLD); // ready
    bool able = !rc;
    for (;;) {
        int64_t point;
        if (!waiting(0, TAG_POINT, &status)) {
            pause_ms(1);
            continue;
        }
        MPI_Recv(&point, 1, MPI_INT64_T, 0, TAG_POINT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (point == STOP)
            break;
        able = able && work(&pool, point);
    }
    if (!rc)
        sweep_pool_close(&pool, true);
}

static void worker(const struct options *o) {
    struct sweep_spec *spec = NULL;
    struct licensing l = {0};
    struct inputs_memo memo = inputs_memo();
    struct err e;
    MPI_Status status;
    enum rc rc = o->n_words == 1 ? sweep_spec_load(o->words[0], &spec, &e) : RC_USAGE;
    if (!rc)
        rc = licensing_open(o, &l, &e);
    if (!rc) {
        serve(&(struct sweep_job){spec, NULL, &l, &memo});
    } else { // rank 0 meets the same error and says it; this rank only waits for the end
        int64_t stop;
        while (!waiting(0, TAG_POINT, &status))
            pause_ms(1);
        MPI_Recv(&stop, 1, MPI_INT64_T, 0, TAG_POINT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    licensing_clear(&l);
    inputs_memo_clear(&memo);
    sweep_spec_free(spec);
    MPI_Send(NULL, 0, MPI_CHAR, 0, TAG_BYE, MPI_COMM_WORLD);
}

/* --- the program ------------------------------------------------------------------------------------- */

static enum rc check(const struct options *o, struct err *e) {
    if (strcmp(o->command, "sweep") == 0)
        return RC_OK;
    return err_set(e, RC_USAGE, "'%.60s' found, expected 'sweep': moesim-mpi runs sweeps only", o->command);
}

/* Returns the exit code; *lost receives how many ranks do not answer any more. */
static int run(int argc, char **argv, int rank, int size, int *lost) {
    struct options o;
    struct err e = {.text = ""};
    struct buf out = {0};
    enum rc rc = options_parse(argc, (const char *const *)argv, &o, &e);
    if (!rc)
        rc = check(&o, &e);
    if (!rc && rank > 0) {
        worker(&o);
    } else if (rank == 0) {
        const struct sweep_remote remote = {size - 1, NULL, give, take};
        if (!rc)
            rc = sweep_main(&o, &remote, &out, &e);
        if (rc)
            fprintf(stderr, "moesim-mpi: %s\n", e.text);
        *lost = rc == RC_USAGE ? 0 : dismiss(size - 1);
    }
    options_clear(&o);
    if (out.n && (fwrite(out.text, 1, out.n, stdout) != out.n || fflush(stdout) != 0))
        rc = RC_IO;
    buf_clear(&out);
    return cli_exit_code(rc);
}

int main(int argc, char **argv) {
    int rank, size, lost = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int code = run(argc, argv, rank, size, &lost);
    if (lost) { // the end of MPI would wait for them
        fprintf(stderr, "moesim-mpi: %d of %d ranks were lost; their points were given to others\n", lost, size);
        fflush(stderr);
        MPI_Abort(MPI_COMM_WORLD, code);
    }
    MPI_Finalize();
    return code;
}
