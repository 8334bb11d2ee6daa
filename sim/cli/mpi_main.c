/* SPDX-License-Identifier: BSD-3-Clause */
/* moesim-mpi: `moesim sweep` over the ranks of an MPI job. Rank 0 hands out and writes, and works too.
 *
 * Every rank reads the sweep file and the inputs itself and lets a process of its own work out the points, so that
 * a crash costs a point and not the job. A rank says that it is ready with an empty record.
 * Records travel in pieces that MPI hands over whole: of a longer message, whose sender may die before it is read,
 * the receiver would wait for the rest forever. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "platforms/base/file.h"
#include "sim/cli/options.h"
#include "sim/cli/sweep_main.h"
#include "sim/sweep/pool.h"

enum { TAG_POINT = 1, TAG_RECORD, TAG_BYE };
enum { STOP = -1, TOGETHER = -2, ALONE = -3 }; /* instead of a point */

/* A piece of a record; its size is below the eager limits of Open MPI (4 KiB between processes of one machine, more
 * over networks). */
struct piece {
    int32_t last, n;
    char text[1 << 10];
};

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

static void tell(int rank, int64_t what) {
    MPI_Request request;
    int64_t *lives = mem_alloc(1, sizeof *lives); // as long as the program: a lost rank never takes it
    *lives = what;
    if (MPI_Isend(lives, 1, MPI_INT64_T, rank, TAG_POINT, MPI_COMM_WORLD, &request) == MPI_SUCCESS)
        MPI_Request_free(&request);
}

static void give(void *context, int worker, int64_t point) {
    (void)context;
    tell(worker + 1, point);
}

/* Takes the pieces of records that have arrived, up to the last one of a record: fills that record in and returns its
 * worker, -1 where none is complete. context: what each worker has sent of its record. */
static int take(void *context, struct buf *record) {
    struct buf *begun = context;
    MPI_Status status;
    while (waiting(MPI_ANY_SOURCE, TAG_RECORD, &status)) {
        struct piece piece;
        int worker = status.MPI_SOURCE - 1;
        MPI_Recv(&piece, (int)sizeof piece, MPI_BYTE, status.MPI_SOURCE, TAG_RECORD, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        buf_add(&begun[worker], piece.text, (size_t)piece.n);
        if (piece.last) {
            buf_add(record, begun[worker].text, begun[worker].n);
            buf_clear(&begun[worker]);
            return worker;
        }
    }
    return -1;
}

/* Ends the other ranks; returns how many do not answer. MPI_Finalize() waits for all ranks: if one is lost, no rank may
 * call it. */
static int dismiss(int others, struct buf *begun) {
    MPI_Status status;
    for (int rank = 1; rank <= others; rank++)
        tell(rank, STOP);
    double begin_s = MPI_Wtime();
    int left = others;
    while (left > 0 && MPI_Wtime() - begin_s < FAREWELL_S) {
        if (waiting(MPI_ANY_SOURCE, TAG_BYE, &status)) {
            MPI_Recv(NULL, 0, MPI_CHAR, status.MPI_SOURCE, TAG_BYE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            left--;
        } else if (waiting(MPI_ANY_SOURCE, TAG_RECORD, &status)) {
            struct buf late = {0}; // of a point that another one has done
            take(begun, &late);
            buf_clear(&late);
        } else {
            pause_ms(2);
        }
    }
    for (int rank = 1; rank <= others; rank++)
        tell(rank, left ? ALONE : TOGETHER);
    return left;
}

/* --- the other ranks --------------------------------------------------------------------------------- */

static void send_record(const struct buf *record) {
    size_t done = 0;
    do {
        struct piece piece = {.n = (int32_t)(record->n - done)};
        piece.last = record->n - done <= sizeof piece.text;
        if (!piece.last)
            piece.n = (int32_t)sizeof piece.text;
        if (piece.n)
            memcpy(piece.text, record->text + done, (size_t)piece.n);
        done += (size_t)piece.n;
        MPI_Send(&piece, (int)sizeof piece, MPI_BYTE, 0, TAG_RECORD, MPI_COMM_WORLD);
    } while (done < record->n);
}

static int64_t receive_order(void) {
    MPI_Status status;
    int64_t point;
    while (!waiting(0, TAG_POINT, &status))
        pause_ms(1);
    MPI_Recv(&point, 1, MPI_INT64_T, 0, TAG_POINT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return point;
}

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
            send_record(&record);
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
    enum rc rc = sweep_pool_open(sweep_work, (void *)(uintptr_t)job, 1, &pool, &e);
    if (rc)
        fprintf(stderr, "moesim-mpi: %s\n", e.text);
    else
        send_record(&(struct buf){0}); // ready
    bool able = !rc;
    for (int64_t point; (point = receive_order()) != STOP;)
        able = able && work(&pool, point);
    if (!rc)
        sweep_pool_close(&pool, true);
}

/* Works as a rank other than 0; returns whether all ranks are to call MPI_Finalize(). */
static bool worker(const struct sweep_line *l) {
    struct sweep_spec *spec = NULL;
    struct study study = {0};
    struct inputs_memo memo = inputs_memo();
    struct err e;
    enum rc rc = l->line.n_words == 1 ? sweep_open(l, &memo, &study, &spec, &e) : RC_USAGE;
    if (!rc)
        serve(&(struct sweep_job){spec, NULL, &study, l->retry});
    while (rc && receive_order() != STOP)
        continue; // rank 0 meets the same error and says it; this rank only waits for the end
    study_close(&study);
    inputs_memo_clear(&memo);
    sweep_spec_free(spec);
    MPI_Send(NULL, 0, MPI_CHAR, 0, TAG_BYE, MPI_COMM_WORLD);
    return receive_order() == TOGETHER;
}

/* --- the program ------------------------------------------------------------------------------------- */

static void help(struct buf *out) {
    buf_text(out, "usage: mpirun -np N moesim-mpi sweep SPEC.yaml -o FILE.jsonl [options]\n\n"
                  "The sweep of 'moesim sweep' over the ranks of an MPI job; --jobs counts the workers of rank 0,\n"
                  "otherwise one. The same command continues after whatever ended it.\n\nOptions:\n");
    options_help("sweep", out);
    command_sweep.help_more(out);
}

static bool is_help(const char *word) {
    return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static enum rc parse(int argc, char **argv, struct sweep_line *l, bool *asked, struct err *e) {
    enum rc rc = options_parse("sweep", argc, (const char *const *)argv, l, asked, e);
    if (strcmp(argv[1], "sweep") != 0 && !(rc == RC_OK && *asked))
        rc = err_set(e, RC_USAGE, "'%.60s' found, expected 'sweep': moesim-mpi runs sweeps only", argv[1]);
    return rc;
}

/* Runs the sweep as rank 0; *lost receives how many ranks do not answer any more. */
static enum rc lead(const struct sweep_line *l, int others, int *lost, struct buf *out, struct err *e) {
    struct buf *begun = mem_alloc((size_t)others + 1, sizeof *begun);
    const struct sweep_remote remote = {others, begun, give, take};
    enum rc rc = sweep_main(l, &remote, out, e);
    *lost = dismiss(others, begun);
    for (int i = 0; i < others; i++)
        buf_clear(&begun[i]);
    free(begun);
    return rc;
}

/* Runs the program on one rank and returns the exit code. */
static int mpi_run(int argc, char **argv, int rank, int size, int *lost) {
    struct sweep_line l = {0};
    struct err e = {.text = ""};
    struct buf out = {0};
    bool asked = argc < 2 || is_help(argv[1]);
    enum rc rc = asked ? RC_OK : parse(argc, argv, &l, &asked, &e); // the same on every rank
    if (!rc && asked)
        help(&out);
    else if (!rc && rank == 0)
        rc = lead(&l, size - 1, lost, &out, &e);
    else if (!rc && !worker(&l))
        _exit(0);
    if (rc && rank == 0)
        fprintf(stderr, "moesim-mpi: %s\n", e.text);
    line_clear(&l.line);
    if (rank == 0 && out.n && (fwrite(out.text, 1, out.n, stdout) != out.n || fflush(stdout) != 0))
        rc = RC_IO;
    buf_clear(&out);
    return cli_exit_code(rc);
}

int main(int argc, char **argv) {
    int rank, size, lost = 0;
    file_open_standard();
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int code = mpi_run(argc, argv, rank, size, &lost);
    if (lost) { // the end of MPI would wait for them
        fprintf(stderr, "moesim-mpi: %d of %d ranks were lost; their points were given to others\n", lost, size);
        fflush(stderr);
        MPI_Abort(MPI_COMM_WORLD, code);
    }
    MPI_Finalize();
    return code;
}
