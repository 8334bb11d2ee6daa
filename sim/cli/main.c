/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/cli/cli.h"

#include <stdio.h>
#include <string.h>

#include "sim/cli/sweep_spec.h"
#include "sim/engine/engine.h"

static const struct command {
    const char *name;
    command_f run;
    const char *summary;
    const char *usage;
    const char *text;
    bool csv; /* has a --format csv */
} commands[] = {
    {"simulate", cmd_simulate, "simulate the calls of one MoE layer", "[options]",
     "Without options: the built-in default platform and workload, one hop and two hops.\n\n"
     "Examples:\n"
     "  moesim simulate\n"
     "  moesim simulate --platform terrace-a --workload terrace-reference --format json\n"
     "  moesim simulate --set platform.groups=4 --set workload.tokens_per_rank=8192\n"
     "  moesim simulate --platform my_cluster.yaml --trace counts.npy --seed 7\n", true},
    {"compare", cmd_compare, "the same calls by the closed form and by simulation", "[options]",
     "Prints both times and the relative error (analytic - simulated) / simulated, on call times\n"
     "where the fixed cost is known and on wire times where it is not; below the error the causes,\n"
     "which lead from the analytic time to the simulated one and add up (shares; some cancel).\n\n"
     "Examples:\n"
     "  moesim compare\n"
     "  moesim compare --platform synthetic --workload terrace-reference --set platform.ratio=4\n", true},
    {"breakeven", cmd_breakeven, "smallest fast/slow ratio at which two hops win", "[options]",
     "Keeps the fast tier and slows the slow one (ratios 1 to 32). Closed form, each chain preset:\n"
     "x_half held in bytes, and the message cost held in time. Also byte-only ratios, skew, checklist,\n"
     "and the spread over the intervals that the platform file states.\n\n"
     "Examples:\n"
     "  moesim breakeven --platform synthetic --workload terrace-reference\n"
     "  moesim breakeven --platform synthetic --workload terrace-reference --host-exposure 0.13ms\n"
     "  moesim breakeven --by simulated --trace counts.csv --set platform.chain=fused\n", true},
    {"matrix", cmd_matrix, "write the per-peer message matrices and their skew", "[options]",
     "Writes one_hop, hop_a and hop_b as .npy and .csv: rows (sender, receiver), diagonal = local.\n\n"
     "Examples:\n"
     "  moesim matrix -o matrices\n"
     "  moesim matrix --trace counts.csv --set workload.experts=128 -o /tmp/m --format json\n", false},
    {"gates", cmd_gates, "evaluate every gate now; what is open, conditional, withdrawn",
     "[explain ID] [options]",
     "A gate tries a claim on evidence; one that does not pass withdraws capabilities. explain shows a\n"
     "gate's points, predicted and measured, and what would change its outcome.\n\n"
     "Examples:\n"
     "  moesim gates\n"
     "  moesim gates --check --format json\n"
     "  moesim gates explain tier1b-c4\n"
     "  moesim gates --corpus my_measurements\n", true},
    {"platform", cmd_platform, "inspect machine files", "check|show|list|xml|keys|schema [NAME|FILE] [options]",
     "check validates a file, show says what will be simulated, list names the built-in ones,\n"
     "xml prints an equivalent SimGrid platform for other tools, keys the table of all keys,\n"
     "schema a JSON Schema of machine files for editors.\n\n"
     "Examples:\n"
     "  moesim platform list\n"
     "  moesim platform check my_cluster.yaml\n"
     "  moesim platform show dgx-h100 --set platform.slow.oversubscription=2\n", false},
    {"sweep", cmd_sweep, "many points in parallel, resumable, as JSON Lines", "SPEC.yaml -o FILE.jsonl [options]",
     "A sweep file names axes over keys of platform, workload and implementation.\n"
     "The same command continues after an interrupt, a kill or a full disk. --format csv prints all\n"
     "records as CSV at the end.\n\n"
     "Examples:\n"
     "  moesim sweep workloads/sweeps/ratio_chain.yaml -o ratio_chain.jsonl --dry-run\n"
     "  moesim sweep my_sweep.yaml -o my_sweep.jsonl --jobs 8\n"
     "  mpirun -np 64 moesim-mpi sweep my_sweep.yaml -o my_sweep.jsonl\n", true},
    {"report", cmd_report, "a page with plots from records of a sweep, or from one result",
     "RESULTS -o FILE.html [options]",
     "RESULTS is what sweep wrote, or the JSON of simulate or compare. The page needs no network.\n"
     "--format csv prints the records as CSV instead.\n\n"
     "Examples:\n"
     "  moesim report my_sweep.jsonl -o report.html\n"
     "  moesim report my_sweep.jsonl --format csv\n", true},
    {"workload", cmd_workload, "inspect workloads and routing records",
     "check|show|list [NAME|FILE] [options]",
     "show prints load and skew per layer of a workload, or of a record given by --trace.\n\n"
     "Examples:\n"
     "  moesim workload list\n"
     "  moesim workload show olmoe-github\n"
     "  moesim workload show --trace counts.npy --top-k 8 --format json\n", false},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const struct command *find_command(const char *name) {
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static void help_all(struct buf *out) {
    buf_text(out, "moesim - simulates the all-to-all calls of Mixture-of-Experts steps\n\n"
                  "usage: moesim COMMAND [options]\n\n");
    for (size_t i = 0; i < COMMANDS; i++)
        buf_printf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
    buf_text(out, "  help       this text, or that of a command\n\n"
                  "moesim COMMAND --help lists a command's options. Exit codes: 0 done, 1 bad input or\n"
                  "failed run, 2 usage, 3 capability withdrawn by a gate, 4 engine crashed or timed out.\n");
}

static void help_one(const struct command *c, struct buf *out) {
    buf_printf(out, "usage: moesim %s %s\n\n%s: %s.\n%s\nOptions:\n", c->name, c->usage, c->name,
               c->summary, c->text);
    options_help(c->name, out);
    if (c->run == cmd_sweep) {
        buf_text(out, "\nKeys of a sweep file:\n\n");
        sweep_spec_markdown(out);
    }
}

static enum rc unknown_command(const char *name, struct err *e) {
    const char *names[COMMANDS];
    for (size_t i = 0; i < COMMANDS; i++)
        names[i] = commands[i].name;
    return err_set(e, RC_USAGE, "unknown command '%.60s'%s; see 'moesim help'", name,
                   err_hint(", ", name, names, COMMANDS).text);
}

static enum rc dispatch(int argc, const char *const *argv, struct buf *out, struct err *e) {
    const char *name = argc > 1 ? argv[1] : "help";
    if (strcmp(name, "--version") == 0) {
        buf_printf(out, "moesim %s%s%s%s (SimGrid %s)\n", MOESIM_VERSION, *MOESIM_GIT ? " (" : "",
                   MOESIM_GIT, *MOESIM_GIT ? ")" : "", sim_version());
        return RC_OK;
    }
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        bool of_help = argc > 2 && (strcmp(argv[2], "help") == 0 || strcmp(argv[2], "--help") == 0);
        const struct command *c = argc > 2 ? find_command(argv[2]) : NULL;
        if (argc > 2 && !c && !of_help)
            return unknown_command(argv[2], e);
        c ? help_one(c, out) : help_all(out);
        return RC_OK;
    }
    const struct command *c = find_command(name);
    if (!c)
        return unknown_command(name, e);
    struct options o;
    enum rc rc = options_parse(argc, argv, &o, e);
    if (!rc && o.help)
        help_one(c, out);
    else if (!rc && !c->csv && o.format == FORMAT_CSV)
        rc = err_set(e, RC_USAGE, "%s: --format csv found, expected text or json", c->name);
    else if (!rc)
        rc = c->run(&o, out, e);
    options_clear(&o);
    return rc;
}

int main(int argc, char **argv) {
    struct buf out = {0};
    struct err e = {.text = ""};
    enum rc rc = dispatch(argc, (const char *const *)argv, &out, &e);
    if (rc)
        fprintf(stderr, "moesim: %s\n", e.text);
    else if (out.n && fwrite(out.text, 1, out.n, stdout) != out.n)
        rc = RC_IO;
    if ((fflush(stdout) != 0 || rc == RC_IO) && !*e.text) {
        fprintf(stderr, "moesim: cannot write to standard output\n");
        rc = RC_IO;
    }
    buf_clear(&out);
    return cli_exit_code(rc);
}
