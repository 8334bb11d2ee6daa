/* SPDX-License-Identifier: BSD-3-Clause */
/* Where measuring takes place: groups of ranks, clock, files. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "platforms/base/mem.h"
#include "platforms/base/stat.h"
#include "validation/mpi/sampling.h"

enum { CLOCK_READS = 100000, EMPTY_REGIONS = 101 };

void give_up(const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    fputs("moesim-measure: ", stderr);
    vfprintf(stderr, format, ap);
    fputc('\n', stderr);
    va_end(ap);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

/* --- groups ---------------------------------------------------------------------------------- */

/* Fills host[ranks] with numbers of hosts in the order of their first ranks; returns how many there are. */
static int number_hosts(int ranks, int *host) {
    char own[MPI_MAX_PROCESSOR_NAME] = "", *names = mem_alloc((size_t)ranks, sizeof own);
    int length, n = 0;
    MPI_Get_processor_name(own, &length);
    MPI_Allgather(own, sizeof own, MPI_CHAR, names, sizeof own, MPI_CHAR, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; i++) {
        int k = 0;
        while (strcmp(names + (size_t)k * sizeof own, names + (size_t)i * sizeof own) != 0)
            k++;
        host[i] = k < i ? host[k] : n++;
    }
    free(names);
    return n;
}

static void check_sizes(const int *group, int ranks, int groups) {
    int *size = mem_alloc((size_t)groups, sizeof *size);
    for (int i = 0; i < ranks; i++)
        size[group[i]]++;
    for (int g = 1; g < groups; g++)
        if (size[g] != size[0])
            give_up("%d ranks on one host and %d on another: start as many on each, or give --ranks-per-group", size[0],
                    size[g]);
    free(size);
}

/* Numbers the ranks anew, group after group. */
static void make_groups(struct bed *b) {
    int rank, size = b->set->ranks_per_group, *host = mem_alloc((size_t)b->ranks, sizeof *host);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    b->hosts = number_hosts(b->ranks, host);
    b->by_hosts = !size;
    if (size && b->ranks % size)
        give_up("%d ranks are no groups of %d", b->ranks, size);
    b->groups = size ? b->ranks / size : b->hosts;
    for (int i = 0; i < b->ranks && size; i++)
        host[i] = i / size;
    check_sizes(host, b->ranks, b->groups);
    b->ranks_per_group = b->ranks / b->groups;
    MPI_Comm_split(MPI_COMM_WORLD, 0, host[rank] * b->ranks + rank, &b->all);
    MPI_Comm_rank(b->all, &b->rank);
    free(host);
}

/* --- clock ----------------------------------------------------------------------------------- */

static double clock_step(void) {
    double least = 0, before = MPI_Wtime();
    for (int i = 0; i < CLOCK_READS; i++) {
        double now = MPI_Wtime();
        if (now > before && (least <= 0 || now - before < least))
            least = now - before;
        before = now;
    }
    return least;
}

static void look_at_clock(struct bed *b) {
    double own = clock_step(), empty[EMPTY_REGIONS];
    MPI_Allreduce(&own, &b->clock_s, 1, MPI_DOUBLE, MPI_MAX, b->all);
    for (int i = 0; i < EMPTY_REGIONS; i++) {
        MPI_Barrier(b->all);
        double begin = MPI_Wtime(), span = MPI_Wtime() - begin;
        MPI_Allreduce(&span, &empty[i], 1, MPI_DOUBLE, MPI_MAX, b->all);
    }
    stat_sort(empty, EMPTY_REGIONS);
    b->empty_s = empty[EMPTY_REGIONS / 2];
}

/* --- files ----------------------------------------------------------------------------------- */

static FILE *open_file(const char *path) {
    FILE *f = fopen(path, "w");
    if (!f)
        give_up("%s: cannot be written: %s", path, strerror(errno));
    return f;
}

/* Writes a text so that it may stand in double quotes of YAML, on one line. */
static void write_text(FILE *f, const char *key, const char *text) {
    fprintf(f, "# %s: \"", key);
    for (; *text; text++)
        fputc(*text == '"' || *text == '\\' || (unsigned char)*text < ' ' ? ' ' : *text, f);
    fputs("\"\n", f);
}

static const char *binding(void) {
    static const char *const names[] = {"OMPI_MCA_hwloc_base_binding_policy", "PRTE_MCA_hwloc_default_binding_policy",
                                        "SLURM_CPU_BIND_TYPE", "I_MPI_PIN_DOMAIN"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return getenv(names[i]);
    return "not stated by the launcher";
}

static void write_environment(const struct bed *b, FILE *f) {
    static const char *const memories[] = {"host", "cuda", "hip"};
    char version[MPI_MAX_LIBRARY_VERSION_STRING], started[40];
    int length;
    time_t now = time(NULL);
    MPI_Get_library_version(version, &length);
    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    fputs("# schema: moesim/samples/1\n", f);
    write_text(f, "machine", b->set->machine);
    write_text(f, "implementation", b->set->implementation);
    write_text(f, "mpi", version);
    fprintf(f, "# hosts: %d\n# groups: %d\n# ranks_per_group: %d\n# grouping: %s\n", b->hosts, b->groups,
            b->ranks_per_group, b->by_hosts ? "hosts" : "option");
    write_text(f, "binding", binding());
    fprintf(f, "# memory: %s\n# clock: %.9gs\n# empty_region: %.9gs\n# warm_up: %d\n# precision: %.17g\n",
            memories[b->set->memory], b->clock_s, b->empty_s, b->set->warm_up, b->set->precision);
    fprintf(f, "# budget: %.17gs\n# seed: %llu\n", b->set->budget_s, (unsigned long long)b->set->seed);
    write_text(f, "started", started);
}

static void open_files(struct bed *b) {
    const char *head = "quantity,part,regime,span,world,senders,peers,message_bytes,send_bytes,calls";
    char *medians = mem_printf("%s.medians.csv", b->set->output);
    b->samples = open_file(b->set->output);
    b->medians = open_file(medians);
    free(medians);
    write_environment(b, b->samples);
    fprintf(b->samples, "%s,repeat,turn,time_s\n", head);
    fprintf(b->medians, "%s,repeats,median_s,low_s,high_s,resolution_s,stopped_by,distinct\n", head);
    printf("%d groups x %d ranks (%s), %d hosts; clock %.3g s, empty region %.3g s\n", b->groups, b->ranks_per_group,
           b->by_hosts ? "by hosts" : "as asked", b->hosts, b->clock_s, b->empty_s);
}

void bed_open(struct bed *b, const struct settings *set) {
    *b = (struct bed){.set = set};
    MPI_Comm_size(MPI_COMM_WORLD, &b->ranks);
    make_groups(b);
    look_at_clock(b);
    if (!b->rank)
        open_files(b);
}

void bed_close(struct bed *b) {
    bool bad = b->samples && (ferror(b->samples) | ferror(b->medians) | fclose(b->samples) | fclose(b->medians));
    if (bad)
        give_up("%s: not all of it could be written", b->set->output);
    MPI_Comm_free(&b->all);
}
