/* SPDX-License-Identifier: BSD-3-Clause */
/* two-hop: rows of tokens go once to each group, to the rank with the sender's index there (hop A); from there to every
 * rank of the group that asked for them (hop B). Sizes are exchanged before each hop. Every row is checked on arrival:
 * where it comes from, whether it belongs here, each byte, and that none is missing. */
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "validation/mpi/sampling.h"

enum { TOKENS = 256, CHOICES = 4 };

struct row {
    int src, token, to[CHOICES];
    unsigned char rest[];
};

enum { PART_COUNTS, PART_A, PART_CHAIN, PART_B, PART_TOTAL, PARTS };
static const char *const part_names[] = {"counts", "hop-a", "chain", "hop-b", "total"};

struct hop {
    MPI_Comm comm; /* of hop A: equal ranks of all groups; of hop B: the group */
    int size;
    int *counts;   /* [4][size]: sent, their offsets, received, their offsets; in rows */
};

struct two_hop {
    const struct bed *bed;
    size_t row_bytes;
    MPI_Datatype type;
    struct hop a, b;
    char *first, *middle, *sorted, *last; /* rows as sent, as forwarded, the same by owner, as arrived */
    int part;
};

/* Returns the expert's rank that slot k of a token goes to. */
static int choice(const struct bed *b, int src, int token, int k) {
    unsigned x = (unsigned)(src * 7919 + token * 104729 + k * 1299709 + 12345);
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    return (int)(x % (unsigned)b->ranks);
}

static bool has(const int *to, int first, int n) {
    for (int k = 0; k < CHOICES; k++)
        if (to[k] >= first && to[k] < first + n)
            return true;
    return false;
}

static unsigned char filling(int src, int token, size_t i) {
    return (unsigned char)((size_t)src * 31 + (size_t)token * 7 + i);
}

static int offsets(const int *counts, int n, int *into) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        into[i] = sum;
        sum += counts[i];
    }
    return sum;
}

/* Exchanges sizes, then rows; returns the number of rows that arrive. */
static int exchange(const struct two_hop *t, const struct hop *h, const char *send, char *receive, double *counts_s,
                    double *rows_s) {
    int *counts = h->counts, n = h->size;
    double begin = MPI_Wtime();
    MPI_Alltoall(counts, 1, MPI_INT, counts + 2 * n, 1, MPI_INT, h->comm);
    offsets(counts, n, counts + n);
    int arrive = offsets(counts + 2 * n, n, counts + 3 * n);
    double middle = MPI_Wtime();
    MPI_Alltoallv(send, counts, counts + n, t->type, receive, counts + 2 * n, counts + 3 * n, t->type, h->comm);
    *counts_s += middle - begin;
    *rows_s += MPI_Wtime() - middle;
    return arrive;
}

/* Sorts rows at the forwarder by their owner; a row that two ranks want is there twice. */
static void sort_by_owner(const struct two_hop *t, int rows) {
    const struct bed *b = t->bed;
    int first = b->rank / b->ranks_per_group * b->ranks_per_group;
    char *out = t->sorted;
    for (int owner = 0; owner < b->ranks_per_group; owner++) {
        t->b.counts[owner] = 0;
        for (int i = 0; i < rows; i++) {
            const char *row = t->middle + (size_t)i * t->row_bytes;
            if (!has(((const struct row *)(const void *)row)->to, first + owner, 1))
                continue;
            memcpy(out, row, t->row_bytes);
            out += t->row_bytes;
            t->b.counts[owner]++;
        }
    }
}

static void two_hop_run(const struct point *p) {
    const struct two_hop *t = p->context;
    double s[PARTS] = {0}, begin = MPI_Wtime();
    for (int call = 0; call < p->calls; call++) {
        int rows = exchange(t, &t->a, t->first, t->middle, &s[PART_COUNTS], &s[PART_A]);
        double middle = MPI_Wtime();
        sort_by_owner(t, rows);
        s[PART_CHAIN] += MPI_Wtime() - middle;
        exchange(t, &t->b, t->sorted, t->last, &s[PART_COUNTS], &s[PART_B]);
    }
    s[PART_TOTAL] = MPI_Wtime() - begin;
    for (int i = 0; i < PARTS; i++)
        if (!strcmp(p->part, part_names[i]))
            *p->time_s = s[i];
}

/* --- rows, and their check --------------------------------------------------------------------- */

static void write_row(const struct two_hop *t, int token, char *into) {
    struct row *row = (struct row *)(void *)into;
    row->src = t->bed->rank;
    row->token = token;
    for (int k = 0; k < CHOICES; k++)
        row->to[k] = choice(t->bed, row->src, token, k);
    for (size_t i = 0; i < t->row_bytes - sizeof *row; i++)
        row->rest[i] = filling(row->src, token, i);
}

/* Fills the send buffer, group after group; counts of hop A are those of groups. */
static void write_rows(struct two_hop *t) {
    const struct bed *b = t->bed;
    char *out = t->first;
    for (int group = 0; group < b->groups; group++) {
        t->a.counts[group] = 0;
        for (int token = 0; token < TOKENS; token++) {
            write_row(t, token, out);
            if (!has(((const struct row *)(const void *)out)->to, group * b->ranks_per_group, b->ranks_per_group))
                continue;
            out += t->row_bytes;
            t->a.counts[group]++;
        }
    }
}

static long rows_due(const struct bed *b) {
    long due = 0;
    for (int src = 0; src < b->ranks; src++)
        for (int token = 0; token < TOKENS; token++) {
            int to[CHOICES];
            for (int k = 0; k < CHOICES; k++)
                to[k] = choice(b, src, token, k);
            due += has(to, b->rank, 1);
        }
    return due;
}

static void check_rows(const struct two_hop *t) {
    const struct bed *b = t->bed;
    const int *counts = t->b.counts + 2 * t->b.size;
    long rows = 0;
    for (int i = 0; i < t->b.size; i++)
        rows += counts[i];
    if (rows != rows_due(b))
        give_up("two-hop: rank %d got %ld rows, %ld were sent to it", b->rank, rows, rows_due(b));
    for (long r = 0; r < rows; r++) {
        const struct row *row = (const void *)(t->last + (size_t)r * t->row_bytes);
        bool good = has(row->to, b->rank, 1);
        for (size_t i = 0; i < t->row_bytes - sizeof *row && good; i++)
            good = row->rest[i] == filling(row->src, row->token, i);
        if (!good)
            give_up("two-hop: rank %d got a row that is not its own, or damaged", b->rank);
    }
    memset(t->last, 0, (size_t)rows * t->row_bytes);
}

/* --- set-up ------------------------------------------------------------------------------------ */

static void hop_open(const struct bed *b, int colour, struct hop *h) {
    MPI_Comm_split(b->all, colour, b->rank, &h->comm);
    MPI_Comm_size(h->comm, &h->size);
    h->counts = mem_alloc(4 * (size_t)h->size, sizeof *h->counts);
}

static void two_hop_open(const struct bed *b, struct two_hop *t) {
    *t = (struct two_hop){.bed = b, .row_bytes = (size_t)b->set->row_bytes};
    size_t most = (size_t)TOKENS * (size_t)(b->groups > 1 ? b->groups : 1);
    hop_open(b, b->rank % b->ranks_per_group, &t->a);
    hop_open(b, b->rank / b->ranks_per_group, &t->b);
    MPI_Type_contiguous((int)t->row_bytes, MPI_BYTE, &t->type);
    MPI_Type_commit(&t->type);
    t->first = mem_alloc(most + 1, t->row_bytes);
    t->middle = mem_alloc(most, t->row_bytes);
    t->sorted = mem_alloc(most * CHOICES, t->row_bytes);
    t->last = mem_alloc(most * CHOICES * (size_t)b->ranks_per_group, t->row_bytes);
}

static void two_hop_close(struct two_hop *t) {
    MPI_Type_free(&t->type);
    MPI_Comm_free(&t->a.comm);
    MPI_Comm_free(&t->b.comm);
    free(t->a.counts);
    free(t->b.counts);
    free(t->first);
    free(t->middle);
    free(t->sorted);
    free(t->last);
}

void measure_two_hop(struct bed *b) {
    if (b->set->row_bytes < sizeof(struct row) + 1)
        give_up("two-hop: rows of --row-bytes %.0f have no room for their header of %zu B", b->set->row_bytes,
                sizeof(struct row));
    struct two_hop t;
    struct points list = {0};
    two_hop_open(b, &t);
    write_rows(&t);
    for (int i = 0; i < PARTS; i++)
        points_add(&list, &(struct point){.quantity = "two-hop", .part = part_names[i], .slow = b->groups > 1,
                                          .world = b->ranks, .senders = b->ranks, .peers = CHOICES, .calls = 1,
                                          .message_bytes = b->set->row_bytes,
                                          .send_bytes = TOKENS * b->set->row_bytes, .member = true, .run = two_hop_run,
                                          .context = &t, .own_time = true});
    sample_points(b, list.items, list.n);
    check_rows(&t);
    two_hop_close(&t);
    free(list.items);
}
