/* SPDX-License-Identifier: BSD-3-Clause */
/* splits: every rank tells every other how many rows will come, and the host adds the numbers up. */
#include <stdlib.h>

#include "platforms/base/mem.h"
#include "validation/mpi/sampling.h"

struct splits {
    MPI_Comm comm;
    int *send, *receive, world;
    long sum;
};

static void splits_run(const struct point *p) {
    struct splits *s = p->context;
    for (int call = 0; call < p->calls; call++) {
        MPI_Alltoall(s->send, 1, MPI_INT, s->receive, 1, MPI_INT, s->comm);
        for (int i = 0; i < s->world; i++)
            s->sum += s->receive[i];
    }
}

void measure_splits(struct bed *b) {
    struct points list = {0};
    struct splits splits[2];
    int n = 0;
    for (int slow = 0; slow < 2; slow++) {
        int world = slow ? b->ranks : b->ranks_per_group;
        if (world < 2 || (slow && b->groups < 2))
            continue;
        int *room = mem_alloc(2 * (size_t)world, sizeof *room);
        splits[n] = (struct splits){world_of(b, world, slow), room, room + world, world, 0};
        for (int calls = 1; calls <= 16; calls *= 4)
            points_add(&list, &(struct point){.quantity = "splits", .part = "", .slow = slow, .world = world,
                                              .senders = world, .peers = world - 1, .calls = calls,
                                              .message_bytes = sizeof(int), .send_bytes = world * (double)sizeof(int),
                                              .member = splits[n].comm != MPI_COMM_NULL, .run = splits_run,
                                              .context = &splits[n]});
        n++;
    }
    sample_points(b, list.items, list.n);
    while (n--) {
        if (splits[n].comm != MPI_COMM_NULL)
            MPI_Comm_free(&splits[n].comm);
        free(splits[n].send);
    }
    free(list.items);
}
