/* SPDX-License-Identifier: BSD-3-Clause */
/* Point to point: there and back, pairs at once, many small messages, the same bytes to more peers, incast. A sender
 * posts all its messages, a receiver all its receives, and both wait; `calls` repeats that. */
#include <stdlib.h>

#include "platforms/base/mem.h"
#include "validation/mpi/sampling.h"

enum { TAG = 7, SMALL = 8, WINDOW = 8, ROUND_TRIPS = 32 };

/* What one rank does in a point: whom it sends to and receives from. */
struct role {
    MPI_Comm comm;
    char *send, *receive;
    int *to, *from; /* partners, one message each */
    int n_to, n_from;
    MPI_Request *requests;
};

static void run_messages(const struct point *p) {
    const struct role *a = p->context;
    int n = (int)p->message_bytes;
    for (int call = 0; call < p->calls; call++) {
        for (int i = 0; i < a->n_from; i++)
            MPI_Irecv(a->receive + (size_t)i * (size_t)n, n, MPI_BYTE, a->from[i], TAG, a->comm, &a->requests[i]);
        for (int i = 0; i < a->n_to; i++)
            MPI_Isend(a->send + (size_t)i * (size_t)n, n, MPI_BYTE, a->to[i], TAG, a->comm,
                      &a->requests[a->n_from + i]);
        MPI_Waitall(a->n_from + a->n_to, a->requests, MPI_STATUSES_IGNORE);
    }
}

/* Posts the message as all other quantities do, so that it costs its sender the same. */
static void send_one(const struct role *a, int to, int n) {
    MPI_Isend(a->send, n, MPI_BYTE, to, TAG, a->comm, a->requests);
    MPI_Wait(a->requests, MPI_STATUS_IGNORE);
}

static void run_ping(const struct point *p) {
    const struct role *a = p->context;
    int n = (int)p->message_bytes;
    for (int trip = 0; trip < p->calls; trip++) {
        if (a->n_to)
            send_one(a, a->to[0], n);
        MPI_Recv(a->receive, n, MPI_BYTE, a->n_to ? a->to[0] : a->from[0], TAG, a->comm, MPI_STATUS_IGNORE);
        if (!a->n_to)
            send_one(a, a->from[0], n);
    }
}

/* --- building -------------------------------------------------------------------------------- */

static struct role *role_new(const struct bed *b, int most) {
    struct role *a = mem_alloc(1, sizeof *a);
    *a = (struct role){.comm = b->all, .to = mem_alloc(2 * (size_t)most, sizeof *a->to),
                       .requests = mem_alloc(2 * (size_t)most, sizeof *a->requests)};
    a->from = a->to + most;
    return a;
}

/* Adds a message src -> dst to a point; each rank notes its own side of it. */
static void role_add(const struct bed *b, struct role *a, int src, int dst) {
    if (b->rank == src)
        a->to[a->n_to++] = dst;
    if (b->rank == dst)
        a->from[a->n_from++] = src;
}

/* Makes the buffers, with room for one message at least: both ends of a ping-pong send and receive. */
static void role_buffers(const struct bed *b, struct role *a, double message_bytes) {
    a->send = buffer_alloc(b->set, message_bytes * (a->n_to ? a->n_to : 1));
    a->receive = buffer_alloc(b->set, message_bytes * (a->n_from ? a->n_from : 1));
}

static void put(const struct bed *b, struct points *list, struct role *a, struct point p) {
    role_buffers(b, a, p.message_bytes);
    p.part = "";
    p.context = a;
    p.member = a->n_to || a->n_from;
    if (!p.run)
        p.run = run_messages;
    p.calls = p.calls ? p.calls : 1;
    points_add(list, &p);
}

static void sample(struct bed *b, struct points *list) {
    sample_points(b, list->items, list->n);
    for (int i = 0; i < list->n; i++) {
        struct role *a = list->items[i].context;
        buffer_free(b->set, a->send);
        buffer_free(b->set, a->receive);
        free(a->to);
        free(a->requests);
        free(a);
    }
    free(list->items);
}

/* Finds the i-th pair of a tier: neighbours of the first group, or equal ranks of the first two groups. */
static void pair(const struct bed *b, bool slow, int i, int *src, int *dst) {
    *src = slow ? i : 2 * i;
    *dst = slow ? b->ranks_per_group + i : 2 * i + 1;
}

static int most_pairs(const struct bed *b, bool slow) {
    return slow ? b->groups > 1 ? b->ranks_per_group : 0 : b->ranks_per_group / 2;
}

/* --- the quantities -------------------------------------------------------------------------- */

void measure_ping(struct bed *b) {
    struct points list = {0};
    int src, dst;
    for (int slow = 0; slow < 2; slow++)
        for (int trips = ROUND_TRIPS / 4; trips <= ROUND_TRIPS && most_pairs(b, slow); trips *= 2) {
            struct role *a = role_new(b, 1);
            pair(b, slow, 0, &src, &dst);
            role_add(b, a, src, dst);
            struct point p = {.quantity = "ping-pong", .slow = slow, .world = 2, .senders = 1, .peers = 1,
                              .calls = trips, .message_bytes = SMALL, .send_bytes = SMALL, .run = run_ping};
            put(b, &list, a, p);
        }
    sample(b, &list);
}

static void add_pairs(struct bed *b, struct points *list, bool slow, int pairs, double bytes) {
    struct role *a = role_new(b, WINDOW);
    for (int i = 0; i < pairs; i++) {
        int src, dst;
        pair(b, slow, i, &src, &dst);
        for (int k = 0; k < WINDOW; k++)
            role_add(b, a, src, dst);
    }
    put(b, list, a, (struct point){.quantity = "pairs", .slow = slow, .world = 2 * pairs, .senders = pairs,
                                   .peers = WINDOW, .message_bytes = bytes, .send_bytes = WINDOW * bytes});
}

void measure_pairs(struct bed *b) {
    struct points list = {0};
    double sizes[SIZES];
    int n_sizes = message_sizes(b->set, WINDOW, sizes);
    for (int slow = 0; slow < 2; slow++)
        for (int i = 0; i < n_sizes; i++)
            for (int pairs = 1, most = most_pairs(b, slow); pairs <= most; pairs++)
                if (pairs <= 4 || pairs == most || !(pairs & (pairs - 1)))
                    add_pairs(b, &list, slow, pairs, sizes[i]);
    sample(b, &list);
}

void measure_messages(struct bed *b) {
    struct points list = {0};
    for (int slow = 0; slow < 2; slow++)
        for (int n = 1; n <= 64 && most_pairs(b, slow); n *= 2) {
            struct role *a = role_new(b, n);
            int src, dst;
            pair(b, slow, 0, &src, &dst);
            for (int k = 0; k < n; k++)
                role_add(b, a, src, dst);
            put(b, &list, a, (struct point){.quantity = "messages", .slow = slow, .world = 2, .senders = 1, .peers = n,
                                            .message_bytes = SMALL, .send_bytes = n * SMALL});
        }
    sample(b, &list);
}

void measure_spread(struct bed *b) {
    struct points list = {0};
    double bytes = b->set->most_bytes / 4;
    for (int slow = 0; slow < 2; slow++) {
        int most = slow ? b->ranks - b->ranks_per_group : b->ranks_per_group - 1;
        for (int peers = 1; peers <= most; peers *= 2) {
            struct role *a = role_new(b, peers);
            for (int k = 0; k < peers; k++)
                role_add(b, a, 0, slow ? b->ranks_per_group + k : 1 + k);
            put(b, &list, a, (struct point){.quantity = "spread", .slow = slow, .world = peers + 1, .senders = 1,
                                            .peers = peers, .message_bytes = (double)(int)(bytes / peers),
                                            .send_bytes = bytes});
        }
    }
    sample(b, &list);
}

void measure_incast(struct bed *b) {
    struct points list = {0};
    double bytes = b->set->most_bytes / 4;
    for (int slow = 0; slow < 2; slow++) {
        int most = slow ? b->ranks - b->ranks_per_group : b->ranks_per_group - 1;
        for (int senders = 1; senders <= most; senders *= 2) {
            struct role *a = role_new(b, senders);
            for (int k = 0; k < senders; k++)
                role_add(b, a, slow ? b->ranks_per_group + k : 1 + k, 0);
            put(b, &list, a, (struct point){.quantity = "incast", .slow = slow, .world = senders + 1,
                                            .senders = senders, .peers = 1, .message_bytes = (double)(int)bytes,
                                            .send_bytes = bytes});
        }
    }
    sample(b, &list);
}
