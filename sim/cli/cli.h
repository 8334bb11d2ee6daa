/* SPDX-License-Identifier: BSD-3-Clause */
/* cli.h - the program's commands and what they share.
 *
 * To add a command: write cmd_NAME.c with a function of the type below, declare it here, add one row to the
 * table in main.c (name, function, summary, usage, text) and its name to the options that it takes in
 * options.c.
 * Results go to a buffer that main writes to stdout at the end, once and checked; everything else to stderr.
 * A command returns an rc; main turns it into the exit code: 0 done, 1 bad input or failed run, 2 usage,
 * 3 capability withdrawn, 4 engine crashed or timed out. */
#ifndef SIM_CLI_CLI_H
#define SIM_CLI_CLI_H

#include "sim/cli/memo.h"
#include "sim/cli/options.h"
#include "workloads/call.h"

typedef enum rc (*command_f)(const struct options *o, struct buf *out, struct err *e);

enum rc cmd_simulate(const struct options *o, struct buf *out, struct err *e);
enum rc cmd_compare(const struct options *o, struct buf *out, struct err *e);
enum rc cmd_breakeven(const struct options *o, struct buf *out, struct err *e);
enum rc cmd_gates(const struct options *o, struct buf *out, struct err *e);
enum rc cmd_matrix(const struct options *o, struct buf *out, struct err *e);
enum rc cmd_platform(const struct options *o, struct buf *out, struct err *e);
enum rc cmd_report(const struct options *o, struct buf *out, struct err *e);
enum rc cmd_sweep(const struct options *o, struct buf *out, struct err *e);
enum rc cmd_workload(const struct options *o, struct buf *out, struct err *e);

int cli_exit_code(enum rc rc);

/* Inputs of earlier questions, for the next ones: machine and workload by name and settings, as their files were
 * when they were read first; traffic by the key that the caller states. Made by inputs_memo(); inputs_memo_clear()
 * releases. */
struct inputs_memo {
    struct memo machines, workloads, traffic;
    const char *traffic_key; /* of the question to come; borrowed */
};
struct inputs_memo inputs_memo(void);
void inputs_memo_clear(struct inputs_memo *m);

/* A traffic with what is known of it whatever the call. */
struct drawn {
    struct traffic *traffic;
    struct traffic_rho rho;
    bool same_per_rank; /* de-duplication per rank takes no row away */
};

/* Everything that a call needs, loaded and checked. Zero-initialise; inputs_clear() releases. */
struct inputs {
    struct machine *machine; /* holds the next three */
    struct platform *platform;
    struct topology *topology;
    struct implementation *implementation;
    struct workload *workload;
    struct drawn *drawn; /* holds the traffic */
    const struct traffic *traffic;
    struct inputs_memo *memo; /* has all but enter_s; NULL: loaded, and released with the rest */
    double *enter_s; /* per rank; NULL: all enter at 0 */
};

/* Parts of the inputs; what a part needs is loaded with it. Questions that share a memo ask for the same parts. */
enum input_part { INPUT_PLATFORM = 1, INPUT_WORKLOAD = 2, INPUT_IMPLEMENTATION = 4, INPUT_TRAFFIC = 8 };

enum rc inputs_load(const struct options *o, unsigned parts, struct inputs *in, struct err *e);
void inputs_clear(struct inputs *in);

#endif
