/* SPDX-License-Identifier: BSD-3-Clause */
/* sampling.h - how a quantity is timed: points in random order, warm-up, a stopping rule, raw samples out.
 *
 * A point is one thing to time, such as 64 KiB to each of 8 peers. A round visits all open points in a new random
 * order and times each once: all ranks meet in a barrier, those that take part run the calls, and the longest time of a
 * rank is the sample. A point closes when the interval of its median is tight, when it has its most repeats, or when
 * the quantity's budget is spent. Nothing is left out: every timed run is a line of the samples file.
 * All functions are collective over bed.all and every rank gives the same points in the same order.
 * Units: SI.
 * Errors: a rank that cannot go on prints one line and calls MPI_Abort().
 * Ownership: a bed owns its communicators; points own nothing; contexts are the quantity's.
 * Edges: a clock that never moves (a simulator's) has resolution 0; no points are no samples. */
#ifndef VALIDATION_MPI_SAMPLING_H
#define VALIDATION_MPI_SAMPLING_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "platforms/base/err.h"

enum memory { MEMORY_HOST, MEMORY_CUDA, MEMORY_HIP };

struct settings {
    const char *output, *machine, *implementation, *quantities, *matrix;
    int ranks_per_group; /* 0: from the names of the hosts */
    int warm_up, least, most; /* runs before the first sample; samples of a point */
    int most_calls; /* back to back, in the scan of fixed costs */
    double precision; /* half-width of a median's interval over the median */
    double budget_s;  /* of one quantity */
    uint64_t seed;
    double row_bytes, most_bytes; /* of one message */
    double unit_bytes; /* of what the matrix counts */
    enum memory memory;
};

/* Where measuring takes place. Ranks of `all` are numbered group after group. */
struct bed {
    const struct settings *set;
    MPI_Comm all;
    int rank, ranks, groups, ranks_per_group, hosts;
    bool by_hosts;
    double clock_s; /* smallest step of the clock that was seen */
    double empty_s; /* median time of a region without calls */
    FILE *samples;  /* rank 0 only */
    FILE *medians;
    int turn;       /* samples taken so far */
};

enum host_regime { HOST_OBSERVED, HOST_AHEAD };

struct point {
    const char *quantity, *part; /* part: hop, stage or matrix, "" for none */
    enum host_regime regime;
    bool slow; /* some of it goes between groups */
    int world, senders, peers, calls;
    double message_bytes, send_bytes; /* largest message; send buffer of a rank, own part included */
    bool member; /* this rank takes part */
    void (*run)(const struct point *p); /* p->calls times */
    void *context;
    bool own_time; /* run() fills time_s with what this rank timed itself */
    double *time_s;
};

void bed_open(struct bed *b, const struct settings *set);
void bed_close(struct bed *b);

/* Times the points and writes their samples, as the head of this file says. */
void sample_points(struct bed *b, struct point *points, int n);

/* Make and release a buffer in the memory that the settings name. */
void *buffer_alloc(const struct settings *set, double bytes);
void buffer_free(const struct settings *set, void *p);

/* Prints a message and ends all ranks. */
_Noreturn void give_up(const char *format, ...) ERR_PRINTF(1, 2);

/* Fills in sizes of one message, row_bytes and then twice as many rows each, up to the most; returns how many. */
enum { SIZES = 40 };
int message_sizes(const struct settings *set, int peers, double sizes[SIZES]);

/* Fills in worlds to try up to a limit: 2, 3, 4, 6, 8, 12, .. and the limit; returns how many. */
int worlds_up_to(int limit, int worlds[SIZES]);

/* Returns the communicator of the first ranks of each group (slow) or of the first group; MPI_COMM_NULL on other
 * ranks. */
MPI_Comm world_of(const struct bed *b, int world, bool slow);

/* A growing list of points; every rank adds the same ones. */
struct points {
    struct point *items;
    int n, room;
};
struct point *points_add(struct points *list, const struct point *p);

/* --- the quantities, by file ------------------------------------------------------------------- */

void measure_calls(struct bed *b);    /* calls.c: fixed cost of a call, by the number of calls in a row */
void measure_sweep(struct bed *b);    /* sweep.c: all-to-all and all-to-all-v over sizes */
void measure_ping(struct bed *b);     /* pairs.c: there and back */
void measure_pairs(struct bed *b);    /*   one to n pairs at once, inside a group and across */
void measure_messages(struct bed *b); /*   cost of a message: many small ones from one rank */
void measure_spread(struct bed *b);   /*   the same bytes to more and more peers */
void measure_incast(struct bed *b);   /*   more and more senders to one rank */
void measure_replay(struct bed *b);   /* replay.c: all-to-all-v of a matrix of moesim */
void measure_two_hop(struct bed *b);  /* two_hop.c: rows through forwarders, content checked */
void measure_splits(struct bed *b);   /* splits.c: exchange of sizes */
void measure_chain(struct bed *b);    /* chain.c: expand, sort by owner, gather on the CPU */

#endif
