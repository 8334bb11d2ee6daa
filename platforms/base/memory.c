/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Reads the number behind a word that begins a line of a file ("" for the first line); -1 when there is none. */
static double number_behind(const char *path, const char *word) {
    char line[256];
    double value = -1;
    FILE *f = fopen(path, "re");
    while (f && value < 0 && fgets(line, sizeof line, f)) {
        size_t n = strlen(word);
        if (strncmp(line, word, n) == 0 && sscanf(line + n, "%lf", &value) != 1)
            value = *word ? -1 : INFINITY; // "max"
    }
    if (f)
        fclose(f);
    return value;
}

/* Returns the field of /proc/self/statm, which counts pages. */
static double pages_bytes(int field) {
    double values[2] = {0, 0};
    FILE *f = fopen("/proc/self/statm", "re");
    if (f && fscanf(f, "%lf %lf", &values[0], &values[1]) != 2)
        values[0] = values[1] = 0;
    if (f)
        fclose(f);
    return values[field] * (double)sysconf(_SC_PAGESIZE);
}

double memory_held_bytes(void) {
    return pages_bytes(1);
}

/* What the limit of address space leaves beside what is mapped already. */
static double left_of_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return INFINITY;
    return fmax((double)limit.rlim_cur - pages_bytes(0), 0);
}

/* What a control group of its own leaves (version 2, as in a container). */
static double left_of_group(void) {
    double most = number_behind("/sys/fs/cgroup/memory.max", "");
    double used = number_behind("/sys/fs/cgroup/memory.current", "");
    return most >= 0 && used >= 0 ? fmax(most - used, 0) : INFINITY;
}

double memory_available_bytes(void) {
    double free_kib = number_behind("/proc/meminfo", "MemAvailable:");
    double machine = free_kib >= 0 ? free_kib * 1024 : INFINITY;
    return fmin(machine, fmin(left_of_limit(), left_of_group()));
}
