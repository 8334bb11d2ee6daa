/* SPDX-License-Identifier: BSD-3-Clause */
/* call-scan: 1 to 1024 all-to-alls of a few bytes in a row. The slope over the number of calls is the time of one call,
 * free of what a timed region costs; the intercept is not used. */
#include <stdlib.h>

#include "platforms/base/mem.h"
#include "validation/mpi/sampling.h"

enum { PAYLOAD = 8 }; /* bytes to each peer */

struct scan {
    MPI_Comm comm;
    int most_calls, world;
    char *send, *receive; /* of most_calls calls: no two calls under way share a buffer */
    MPI_Request *requests;
};

static void run(const struct point *p) {
    const struct scan *s = p->context;
    size_t size = (size_t)s->world * PAYLOAD;
    for (int i = 0; i < p->calls; i++) {
        char *send = s->send + (size_t)i * size, *receive = s->receive + (size_t)i * size;
        if (p->regime == HOST_OBSERVED)
            MPI_Alltoall(send, PAYLOAD, MPI_BYTE, receive, PAYLOAD, MPI_BYTE, s->comm);
        else
            MPI_Ialltoall(send, PAYLOAD, MPI_BYTE, receive, PAYLOAD, MPI_BYTE, s->comm, &s->requests[i]);
    }
    if (p->regime == HOST_AHEAD)
        MPI_Waitall(p->calls, s->requests, MPI_STATUSES_IGNORE);
}

static struct scan *scan_open(const struct bed *b, int world, bool slow) {
    struct scan *s = mem_alloc(1, sizeof *s);
    double bytes = (double)world * PAYLOAD * b->set->most_calls;
    *s = (struct scan){world_of(b, world, slow), b->set->most_calls, world, buffer_alloc(b->set, bytes),
                       buffer_alloc(b->set, bytes), mem_alloc((size_t)b->set->most_calls, sizeof(MPI_Request))};
    return s;
}

static void scan_close(const struct bed *b, struct scan *s) {
    if (s->comm != MPI_COMM_NULL)
        MPI_Comm_free(&s->comm);
    buffer_free(b->set, s->send);
    buffer_free(b->set, s->receive);
    free(s->requests);
    free(s);
}

static void add(struct points *list, struct scan *s, bool slow) {
    for (int ahead = 0; ahead < 2; ahead++)
        for (int calls = 1; calls <= s->most_calls; calls *= 4)
            points_add(list, &(struct point){.quantity = "call-scan", .part = "", .regime = (enum host_regime)ahead,
                                             .slow = slow, .world = s->world, .senders = s->world,
                                             .peers = s->world - 1, .calls = calls, .message_bytes = PAYLOAD,
                                             .send_bytes = PAYLOAD * s->world, .member = s->comm != MPI_COMM_NULL,
                                             .run = run, .context = s});
}

void measure_calls(struct bed *b) {
    struct points list = {0};
    struct scan *scans[2 * SIZES];
    int worlds[SIZES], n_scans = 0;
    for (int slow = 0; slow < 2; slow++) {
        int n = worlds_up_to(b->ranks_per_group, worlds);
        if (slow && b->groups > 1) // of one rank a group, too
            worlds[n++] = 1;
        for (int i = 0; i < n && (!slow || b->groups > 1); i++) {
            scans[n_scans] = scan_open(b, slow ? worlds[i] * b->groups : worlds[i], slow);
            add(&list, scans[n_scans++], slow);
        }
    }
    sample_points(b, list.items, list.n);
    while (n_scans)
        scan_close(b, scans[--n_scans]);
    free(list.items);
}
