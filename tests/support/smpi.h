/* SPDX-License-Identifier: BSD-3-Clause */
/* smpi.h - moesim-measure on a simulated machine whose constants are known.
 *
 * SMPI's own factors are pinned: plain rates, no cross traffic, no protocol by size. A message costs its sender
 * `message_cost_s` before it moves. What a test adds comes last and wins. */
#ifndef TESTS_SUPPORT_SMPI_H
#define TESTS_SUPPORT_SMPI_H

#include "tests/support/folder.h"
#include "tests/support/program.h"

#include "sim/engine/engine.h"

/* Everything that SMPI does to a message beside latency and rate, switched off. maxmin/precision stays at its default:
 * with 1e-9 and latencies SimGrid 3.32 ends in a segmentation fault. */
static const char smpi_pinned[] =
    "--cfg=network/model:CM02 --cfg=network/crosstraffic:0 --cfg=network/TCP-gamma:1e30 --cfg=surf/precision:1e-12 "
    "--cfg=smpi/or:0:0:0 --cfg=smpi/bw-factor:0:1 --cfg=smpi/lat-factor:0:1 --cfg=smpi/iprobe:0 --cfg=smpi/test:0 "
    "--cfg=smpi/async-small-thresh:0 --cfg=smpi/send-is-detached-thresh:0 "
    "--cfg=smpi/alltoall:basic_linear --cfg=smpi/alltoallv:ompi_basic_linear";
static const double smpi_header_bytes = 16; /* that SMPI adds to every message */

/* Not a factor of the network: processors that take no time, a rank's messages to itself for nothing. */
static const char smpi_host[] =
    "--cfg=smpi/simulate-computation:no --cfg=smpi/wtime:0 --cfg=network/loopback-bw:1e30 --cfg=network/loopback-lat:0 "
    "--log=root.thres:error";

struct smpi_run {
    const char *platform; /* YAML below schema and name */
    double message_cost_s;
    const char *network;  /* smpi_pinned, or "" for SMPI's defaults */
    const char *more;     /* --cfg of the test */
    const char *measure;  /* options of moesim-measure */
};

/* Writes platform.xml and hosts; returns the number of ranks. */
static inline int smpi_files(const struct platform *p) {
    struct topology *t = topo_build(p);
    struct buf xml = {0}, hosts = {0};
    struct err e;
    int ranks = t->ranks;
    assert_ok(sim_xml(t, &xml, &e), &e);
    for (int i = 0; i < ranks; i++)
        buf_printf(&hosts, "rank-%d\n", i);
    assert_ok(file_write("platform.xml", xml.text, xml.n, &e), &e);
    assert_ok(file_write("hosts", hosts.text, hosts.n, &e), &e);
    buf_clear(&xml);
    buf_clear(&hosts);
    topo_free(t);
    return ranks;
}

/* Runs the program in the current folder; samples are in samples.csv. */
static inline void smpi_measure(const struct smpi_run *run, const struct platform *p) {
    int ranks = smpi_files(p);
    struct buf out = {0};
    char *command = mem_printf("%s -np %d -platform platform.xml -hostfile hosts %s %s --cfg=smpi/os:0:%g:0 "
                               "--cfg=smpi/ois:0:%g:0 %s %s --output samples.csv --ranks-per-group %d %s 2>&1",
                               SMPIRUN, ranks, smpi_host, run->network, run->message_cost_s, run->message_cost_s,
                               run->more ? run->more : "", MEASURE_SMPI, (int)p->ranks_per_group, run->measure);
    if (program_shell(command, &out) != 0)
        fail_msg("%s\n%s", command, out.text);
    buf_clear(&out);
    free(command);
}

/* Leaves nothing behind of a run. */
static inline void smpi_clean(void) {
    static const char *const names[] = {"platform.xml", "hosts", "samples.csv", "samples.csv.medians.csv", "m.csv",
                                        "platform.yaml", "held_back.yaml", "held_back_gate.yaml"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(names[i]);
}

#endif
