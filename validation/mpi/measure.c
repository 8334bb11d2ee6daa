/* SPDX-License-Identifier: BSD-3-Clause */
/* moesim-measure: times what a platform file needs on a real machine, under mpirun, srun or a simulator of MPI. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "validation/mpi/sampling.h"

static const struct {
    const char *name;
    void (*measure)(struct bed *b);
} quantities[] = {
    {"call-scan", measure_calls}, {"sweep", measure_sweep},   {"ping-pong", measure_ping},
    {"pairs", measure_pairs},     {"messages", measure_messages}, {"spread", measure_spread},
    {"incast", measure_incast},   {"replay", measure_replay}, {"two-hop", measure_two_hop},
    {"splits", measure_splits},   {"chain", measure_chain},
};
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

enum kind { OPT_TEXT, OPT_COUNT, OPT_NUMBER, OPT_SEED, OPT_MEMORY };
static const struct known {
    const char *name;
    enum kind kind;
    size_t offset;
    const char *argument, *help;
} known[] = {
    {"--output", OPT_TEXT, offsetof(struct settings, output), "FILE", "samples; medians go to FILE.medians.csv"},
    {"--machine", OPT_TEXT, offsetof(struct settings, machine), "NAME", "what the platform will be called"},
    {"--implementation", OPT_TEXT, offsetof(struct settings, implementation), "NAME", "library that runs the calls"},
    {"--quantities", OPT_TEXT, offsetof(struct settings, quantities), "A,B,..", "only these"},
    {"--matrix", OPT_TEXT, offsetof(struct settings, matrix), "FILE", "CSV of `moesim matrix`, for replay"},
    {"--ranks-per-group", OPT_COUNT, offsetof(struct settings, ranks_per_group), "N", "instead of one group a host"},
    {"--warm-up", OPT_COUNT, offsetof(struct settings, warm_up), "N", "runs of a point before its first sample"},
    {"--least", OPT_COUNT, offsetof(struct settings, least), "N", "samples of a point, fewest"},
    {"--most", OPT_COUNT, offsetof(struct settings, most), "N", "and most"},
    {"--most-calls", OPT_COUNT, offsetof(struct settings, most_calls), "N", "back to back, in call-scan"},
    {"--precision", OPT_NUMBER, offsetof(struct settings, precision), "X", "half-width of a median's interval over it"},
    {"--budget", OPT_NUMBER, offsetof(struct settings, budget_s), "SECONDS", "of one quantity"},
    {"--row-bytes", OPT_NUMBER, offsetof(struct settings, row_bytes), "N", "smallest message, and a row of the matrix"},
    {"--max-bytes", OPT_NUMBER, offsetof(struct settings, most_bytes), "N", "of a rank in one call"},
    {"--seed", OPT_SEED, offsetof(struct settings, seed), "N", "of the random order"},
    {"--memory", OPT_MEMORY, offsetof(struct settings, memory), "host|cuda|hip", "where buffers are"},
};
enum { OPTIONS = sizeof known / sizeof *known };

static void help(void) {
    printf("moesim-measure: times all-to-alls, pairs and messages under MPI, for `moesim calibrate`.\n"
           "usage: mpirun -n RANKS moesim-measure --output FILE [options]\n\n");
    for (int i = 0; i < OPTIONS; i++)
        printf("  %-17s %-14s %s\n", known[i].name, known[i].argument, known[i].help);
    printf("\nquantities:");
    for (int i = 0; i < QUANTITIES; i++)
        printf(" %s", quantities[i].name);
    printf("\n");
}

static void set_option(struct settings *set, const struct known *o, const char *value) {
    static const char *const memories[] = {"host", "cuda", "hip"};
    char *field = (char *)set + o->offset, *end = NULL;
    double number = strtod(value, &end);
    bool good = end != value && !*end && number >= 0 && number < 1e18;
    if (o->kind == OPT_TEXT) {
        memcpy(field, &value, sizeof value);
        return;
    }
    for (int i = 0; i < 3 && o->kind == OPT_MEMORY; i++)
        if (!strcmp(value, memories[i])) {
            set->memory = (enum memory)i;
            return;
        }
    if (!good || o->kind == OPT_MEMORY || (o->kind == OPT_COUNT && (number != (int)number || number > 1e9)))
        give_up("%s: '%.40s' found, expected %s", o->name, value, o->argument);
    if (o->kind == OPT_COUNT)
        *(int *)(void *)field = (int)number;
    else if (o->kind == OPT_NUMBER)
        *(double *)(void *)field = number;
    else
        set->seed = (uint64_t)number;
}

static bool is_wanted(const struct settings *set, const char *name) {
    size_t n = strlen(name);
    for (const char *at = set->quantities; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (!strncmp(at, name, n) && (!at[n] || at[n] == ','))
            return true;
    }
    return !set->quantities;
}

static void check_quantities(const struct settings *set) {
    for (const char *at = set->quantities; at; at = strchr(at, ',')) {
        at += *at == ',';
        int i = 0;
        size_t n = strcspn(at, ",");
        while (i < QUANTITIES && (strlen(quantities[i].name) != n || strncmp(quantities[i].name, at, n) != 0))
            i++;
        if (i == QUANTITIES)
            give_up("--quantities: there is no '%.*s'", (int)n, at);
    }
}

static void read_options(int argc, char **argv, struct settings *set) {
    for (int i = 1; i < argc; i += 2) {
        int k = 0;
        while (k < OPTIONS && strcmp(argv[i], known[k].name) != 0)
            k++;
        if (k == OPTIONS || i + 1 == argc)
            give_up(k == OPTIONS ? "there is no option '%.40s'; --help lists them" : "%.40s: a value is missing",
                    argv[i]);
        set_option(set, &known[k], argv[i + 1]);
    }
    check_quantities(set);
    if (set->least < 1 || set->most < set->least || set->most_calls < 1 || set->row_bytes < 1)
        give_up("--least, --most-calls and --row-bytes are at least 1, --most is at least --least");
}

int main(int argc, char **argv) {
    struct settings set = {.output = "samples.csv", .machine = "my-cluster", .implementation = "mpi-linear",
                           .warm_up = 3, .least = 7, .most = 200, .most_calls = 1024, .precision = 0.02,
                           .budget_s = 60, .seed = 1, .row_bytes = 4096, .most_bytes = 64 << 20};
    struct bed bed;
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1 && !strcmp(argv[1], "--help")) {
        if (!rank)
            help();
        MPI_Finalize();
        return 0;
    }
    read_options(argc, argv, &set);
    if (ranks < 2)
        give_up("one rank has nobody to talk to: start it with mpirun -n RANKS");
    bed_open(&bed, &set);
    for (int i = 0; i < QUANTITIES; i++)
        if (is_wanted(&set, quantities[i].name))
            quantities[i].measure(&bed);
    bed_close(&bed);
    MPI_Finalize();
    return 0;
}
