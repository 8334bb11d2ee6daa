/* SPDX-License-Identifier: BSD-3-Clause */
/* driver.h - plays a step on SimGrid: messages with dependencies, one send queue per rank.
 *
 * A rank enters stage after stage. It enters the first one at time 0 and each later one when it has
 * entered the one before, its arrivals of that one are complete, its local work (splits, chain) is
 * done and alpha is paid. Its queue holds its messages in stage order; it posts them in that order
 * while its window has a free slot and the stage is entered. A posted message holds its slot until
 * its last byte has left, waiting for its peer included. Before its payload moves it occupies the
 * sender's egress port for the per-message cost.
 * Units: seconds from the moment when all ranks have entered the first stage and paid its alpha.
 * Model: FORMULAS.md [S1]..[S4].
 * Errors: RC_RANGE, RC_ENGINE (messages that never arrive, a link that carried other bytes).
 * Ownership: driver_open() is called once in a process; driver_close(), play_clear() release. */
#ifndef SIM_ENGINE_DRIVER_H
#define SIM_ENGINE_DRIVER_H

#include "workloads/step.h"

/* What one run showed. A time is -1 where a rank has no such event. */
struct play {
    double *ready_s;    /* [stage * ranks + rank] all that the stage waits for is there */
    double *sent_s;     /* [(stage * TIER_COUNT + tier) * ranks + rank] last byte out */
    double *received_s; /* the same shape: last byte off the last link, latency not included */
    double *link_bytes; /* [link] integral of the rate, per-message costs taken off */
    uint64_t flows, events;
    double wall_s, cpu_s, peak_rss_bytes;
};

void play_init(struct play *play, const struct step *step);
void play_clear(struct play *play);

/* Entries of the arrays above. */
size_t play_parts(const struct step *step);  /* ready_s */
size_t play_events(const struct step *step); /* sent_s, received_s */

struct driver;
enum rc driver_open(const struct step *step, struct driver **driver, struct err *e);
enum rc driver_play(struct driver *d, const struct costs *costs, struct play *play, struct err *e);
void driver_close(struct driver *d);

/* Whether one run answers both: they differ at most in what only shifts times (alpha of the first
 * stage, the latency of last arrivals). */
bool driver_same_run(const struct step *step, const struct costs *a, const struct costs *b);

#endif
