/* SPDX-License-Identifier: BSD-3-Clause */
/* process.h - processes that the program starts by fork(): none outlives its parent.
 *
 * Units: seconds.
 * Errors: each function says how it reports one; errno holds the system's reason.
 * Ownership: the caller closes descriptors and waits for children.
 * Edges: the kernel watches the thread that forked, not its process: process_fork() belongs into the main thread or
 * into one that waits for the child. */
#ifndef PLATFORMS_BASE_PROCESS_H
#define PLATFORMS_BASE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* Forks as fork() does: returns the child's id, 0 in the child, -1 on failure. The child is killed when its parent
 * ends, whatever ends it; one whose parent has ended before this could be arranged ends at once. */
pid_t process_fork(void);

/* Makes a pipe, ends[0] to read and ends[1] to write, which no other program inherits. Returns false on failure. */
bool process_pipe(int ends[2]);

/* Closes every descriptor above stderr but the kept ones, so that a child holds no pipe, lock or connection of its
 * parent open. keep: n descriptors; n may be 0. */
void process_close_others(const int *keep, int n);

/* Returns the CPU time of all threads of a child so far; negative when it has ended. */
double process_cpu_s(pid_t child);

/* Returns whether a signal that ended a process came from outside, as from an administrator, a batch system or a
 * machine without memory: then it says nothing about what the process did. */
bool process_ended_from_outside(int signal_number);

#endif
