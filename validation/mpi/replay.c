/* SPDX-License-Identifier: BSD-3-Clause */
/* replay: all-to-all-v of a matrix that `moesim matrix` wrote (CSV, src,dst,rows or bytes). What a rank keeps to
 * itself, the diagonal, is left out: it is on no link. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/file.h"
#include "platforms/base/mem.h"
#include "validation/mpi/sampling.h"
#include "workloads/records/csv.h"

struct replay {
    MPI_Comm comm;
    char *send, *receive;
    int *send_counts, *send_offsets, *receive_counts, *receive_offsets;
};

static void replay_run(const struct point *p) {
    const struct replay *r = p->context;
    MPI_Request request;
    for (int i = 0; i < p->calls; i++)
        if (p->regime == HOST_OBSERVED) {
            MPI_Alltoallv(r->send, r->send_counts, r->send_offsets, MPI_BYTE, r->receive, r->receive_counts,
                          r->receive_offsets, MPI_BYTE, r->comm);
        } else {
            MPI_Ialltoallv(r->send, r->send_counts, r->send_offsets, MPI_BYTE, r->receive, r->receive_counts,
                           r->receive_offsets, MPI_BYTE, r->comm, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
}

/* --- the matrix ------------------------------------------------------------------------------- */

static double unit_of(const struct bed *b, const struct csv *c) {
    if (c->n_fields == 3 && !strcmp(c->fields[0].text, "src") && !strcmp(c->fields[1].text, "dst")) {
        if (!strcmp(c->fields[2].text, "bytes"))
            return 1;
        if (!strcmp(c->fields[2].text, "rows"))
            return b->set->row_bytes;
    }
    give_up("%s: the first line is not 'src,dst,rows' or 'src,dst,bytes'", b->set->matrix);
}

static void add_entry(const struct bed *b, const struct csv *c, double unit, double *bytes) {
    double v[3];
    for (int i = 0; i < 3; i++)
        if (c->n_fields != 3 || !csv_number(&c->fields[i], &v[i]) || v[i] < 0 || (i < 2 && v[i] >= b->ranks))
            give_up("%s:%d: expected two of %d ranks and a number of at least 0", b->set->matrix, c->at.line,
                    b->ranks);
    if ((int)v[0] != (int)v[1])
        bytes[(int)v[0] * b->ranks + (int)v[1]] += v[2] * unit;
}

/* Returns bytes[src * ranks + dst], diagonal 0. */
static double *read_matrix(const struct bed *b) {
    char *text;
    size_t n, ranks = (size_t)b->ranks;
    struct err e;
    struct csv c;
    if (file_read(b->set->matrix, 1 << 28, &text, &n, &e))
        give_up("%s", e.text);
    csv_init(&c, text, n, b->set->matrix);
    double unit = 0, *bytes = mem_alloc(ranks * ranks, sizeof *bytes);
    while (csv_next(&c, &e) == RC_OK && c.n_fields) {
        if (unit > 0)
            add_entry(b, &c, unit, bytes);
        else
            unit = unit_of(b, &c);
    }
    csv_clear(&c);
    free(text);
    return bytes;
}

/* --- one point -------------------------------------------------------------------------------- */

static int round_bytes(double bytes) {
    if (bytes >= INT_MAX)
        give_up("--matrix: %.3g B is more than MPI counts", bytes);
    return (int)(bytes + 0.5);
}

static void fill(const struct bed *b, const double *bytes, struct replay *r) {
    double sent = 0, received = 0;
    for (int i = 0; i < b->ranks; i++) {
        r->send_counts[i] = round_bytes(bytes[b->rank * b->ranks + i]);
        r->receive_counts[i] = round_bytes(bytes[i * b->ranks + b->rank]);
        r->send_offsets[i] = round_bytes(sent);
        r->receive_offsets[i] = round_bytes(received);
        sent += r->send_counts[i];
        received += r->receive_counts[i];
    }
    r->send = buffer_alloc(b->set, sent);
    r->receive = buffer_alloc(b->set, received);
}

/* Fills in the largest message and the largest send buffer of a rank. */
static void sizes_of(const struct bed *b, const double *bytes, struct point *p) {
    for (int src = 0; src < b->ranks; src++) {
        double sum = 0;
        for (int dst = 0; dst < b->ranks; dst++) {
            double size = bytes[src * b->ranks + dst];
            sum += size;
            if (size > p->message_bytes)
                p->message_bytes = size;
        }
        if (sum > p->send_bytes)
            p->send_bytes = sum;
    }
}

void measure_replay(struct bed *b) {
    if (!b->set->matrix)
        return;
    double *bytes = read_matrix(b);
    size_t ranks = (size_t)b->ranks;
    int *counts = mem_alloc(4 * ranks, sizeof *counts);
    struct replay r = {b->all, NULL, NULL, counts, counts + ranks, counts + 2 * ranks, counts + 3 * ranks};
    const char *slash = strrchr(b->set->matrix, '/');
    struct points list = {0};
    struct point p = {.quantity = "replay", .part = slash ? slash + 1 : b->set->matrix, .slow = b->groups > 1,
                      .world = b->ranks, .senders = b->ranks, .peers = b->ranks - 1, .calls = 1, .member = true,
                      .run = replay_run, .context = &r};
    fill(b, bytes, &r);
    sizes_of(b, bytes, &p);
    points_add(&list, &p);
    p.regime = HOST_AHEAD;
    points_add(&list, &p);
    sample_points(b, list.items, list.n);
    buffer_free(b->set, r.send);
    buffer_free(b->set, r.receive);
    free(counts);
    free(bytes);
    free(list.items);
}
