/* SPDX-License-Identifier: BSD-3-Clause */
/* alltoall, alltoallv: equal messages of one row, two rows, four, .. to every rank, in a group and over all; the host
 * waits for each call, or issues several and waits at the end. */
#include <limits.h>
#include <stdlib.h>

#include "platforms/base/mem.h"
#include "validation/mpi/sampling.h"

enum { AHEAD_CALLS = 4 };

struct sweep {
    MPI_Comm comm;
    int world;
    char *send, *receive; /* of AHEAD_CALLS calls */
    int *counts, *offsets;
};

static size_t call_bytes(const struct point *p) {
    return (size_t)p->send_bytes;
}

static void run_even(const struct point *p) {
    const struct sweep *s = p->context;
    MPI_Request requests[AHEAD_CALLS];
    int n = (int)p->message_bytes;
    for (int i = 0; i < p->calls; i++) {
        char *send = s->send + (size_t)i * call_bytes(p), *receive = s->receive + (size_t)i * call_bytes(p);
        if (p->regime == HOST_OBSERVED)
            MPI_Alltoall(send, n, MPI_BYTE, receive, n, MPI_BYTE, s->comm);
        else
            MPI_Ialltoall(send, n, MPI_BYTE, receive, n, MPI_BYTE, s->comm, &requests[i]);
    }
    if (p->regime == HOST_AHEAD)
        MPI_Waitall(p->calls, requests, MPI_STATUSES_IGNORE);
}

static void run_v(const struct point *p) {
    const struct sweep *s = p->context;
    MPI_Request requests[AHEAD_CALLS];
    for (int i = 0; i < s->world; i++) {
        s->counts[i] = (int)p->message_bytes;
        s->offsets[i] = i * (int)p->message_bytes;
    }
    for (int i = 0; i < p->calls; i++) {
        char *send = s->send + (size_t)i * call_bytes(p), *receive = s->receive + (size_t)i * call_bytes(p);
        if (p->regime == HOST_OBSERVED)
            MPI_Alltoallv(send, s->counts, s->offsets, MPI_BYTE, receive, s->counts, s->offsets, MPI_BYTE, s->comm);
        else
            MPI_Ialltoallv(send, s->counts, s->offsets, MPI_BYTE, receive, s->counts, s->offsets, MPI_BYTE, s->comm,
                           &requests[i]);
    }
    if (p->regime == HOST_AHEAD)
        MPI_Waitall(p->calls, requests, MPI_STATUSES_IGNORE);
}

static void add_size(const struct bed *b, struct points *list, struct sweep *s, bool slow) {
    double sizes[SIZES], most = 0;
    int n = message_sizes(b->set, s->world, sizes);
    for (int i = 0; i < n; i++) {
        most = sizes[i] * s->world;
        if (most > INT_MAX)
            give_up("--max-bytes: a send buffer of %.3g B is more than MPI counts", most);
        for (int kind = 0; kind < 4; kind++) {
            struct point p = {.quantity = kind & 1 ? "alltoallv" : "alltoall", .part = "",
                              .regime = kind & 2 ? HOST_AHEAD : HOST_OBSERVED, .slow = slow, .world = s->world,
                              .senders = s->world, .peers = s->world - 1, .calls = kind & 2 ? AHEAD_CALLS : 1,
                              .message_bytes = sizes[i], .send_bytes = sizes[i] * s->world,
                              .member = s->comm != MPI_COMM_NULL, .run = kind & 1 ? run_v : run_even, .context = s};
            points_add(list, &p);
        }
    }
    s->send = buffer_alloc(b->set, AHEAD_CALLS * most);
    s->receive = buffer_alloc(b->set, AHEAD_CALLS * most);
}

static void sweep_close(const struct bed *b, struct sweep *s) {
    if (s->comm != MPI_COMM_NULL)
        MPI_Comm_free(&s->comm);
    buffer_free(b->set, s->send);
    buffer_free(b->set, s->receive);
    free(s->counts);
}

void measure_sweep(struct bed *b) {
    struct points list = {0};
    struct sweep sweeps[3] = {0};
    const int worlds[] = {b->ranks_per_group, 2 * b->groups, b->ranks};
    int n = 0;
    for (int i = 0; i < 3; i++) {
        bool slow = i > 0, own = i != 1 || b->ranks_per_group > 2;
        if (worlds[i] < 2 || (slow && b->groups < 2) || !own)
            continue;
        struct sweep *s = &sweeps[n++];
        s->world = worlds[i];
        s->comm = world_of(b, worlds[i], slow);
        s->counts = mem_alloc(2 * (size_t)s->world, sizeof *s->counts);
        s->offsets = s->counts + s->world;
        add_size(b, &list, s, slow);
    }
    sample_points(b, list.items, list.n);
    while (n)
        sweep_close(b, &sweeps[--n]);
    free(list.items);
}
