/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE // pipe2(), close_range()
#include "platforms/base/process.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

pid_t process_fork(void) {
    pid_t parent = getpid(), pid = fork();
    if (pid != 0)
        return pid;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        _exit(1);
    return 0;
}

bool process_pipe(int ends[2]) {
    return pipe2(ends, O_CLOEXEC) == 0;
}

/* Closes the descriptors first..last, also where the system has no call for a range. */
static void close_between(int first, int last) {
    if (first > last || close_range((unsigned)first, (unsigned)last, 0) == 0)
        return;
    long most = sysconf(_SC_OPEN_MAX);
    for (int fd = first; fd <= last && fd < most; fd++)
        close(fd);
}

void process_close_others(const int *keep, int n) {
    int first = STDERR_FILENO + 1;
    for (;;) {
        int next = -1; // the smallest kept one from first on
        for (int i = 0; i < n; i++)
            if (keep[i] >= first && (next < 0 || keep[i] < next))
                next = keep[i];
        if (next < 0)
            break;
        close_between(first, next - 1);
        first = next + 1;
    }
    close_between(first, INT_MAX);
}

double process_cpu_s(pid_t child) {
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return -1;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool process_ended_from_outside(int signal_number) {
    static const int from_outside[] = {SIGKILL, SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGXCPU, SIGPWR};
    for (size_t i = 0; i < sizeof from_outside / sizeof *from_outside; i++)
        if (from_outside[i] == signal_number)
            return true;
    return false;
}
