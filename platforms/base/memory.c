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

/* Returns how much address space this process has mapped already. */
static double mapped_bytes(void) {
    double pages = number_behind("/proc/self/statm", "");
    return fmax(pages, 0) * (double)sysconf(_SC_PAGESIZE);
}

/* Returns what the limit of address space leaves beside what is mapped already. */
static double left_of_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return INFINITY;
    return fmax((double)limit.rlim_cur - mapped_bytes(), 0);
}

/* Returns what the memory limit of this process's control group leaves (version 2, as in a container). */
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
