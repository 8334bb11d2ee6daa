/* SPDX-License-Identifier: BSD-3-Clause */
/* Who kills a program of ours that has started others leaves no process behind. */
#include "tests/support/check.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "platforms/base/mem.h"

/* Every process that a test starts carries the mark in its environment, and so does what that one starts. */
#define MARK "MOESIM_TEST_MARK"
enum { PROCESSES = 64 };

struct marked {
    pid_t pid[PROCESSES], parent[PROCESSES];
    int n;
};

static void pause_ms(long ms) {
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static size_t read_proc(pid_t pid, const char *name, char *text, size_t room) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, room - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

static bool carries(pid_t pid, const char *mark) {
    static char text[1 << 17];
    size_t n = read_proc(pid, "environ", text, sizeof text);
    for (const char *word = text; word < text + n; word += strlen(word) + 1)
        if (strcmp(word, mark) == 0)
            return true;
    return false;
}

/* Finds the living processes with the mark. */
static struct marked find_marked(const char *mark) {
    struct marked m = {.n = 0};
    DIR *proc = opendir("/proc");
    assert_non_null(proc);
    for (struct dirent *entry; (entry = readdir(proc)) && m.n < PROCESSES;) {
        char stat[512], state;
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        int parent;
        if (pid <= 0 || pid == getpid() || !carries(pid, mark) || !read_proc(pid, "stat", stat, sizeof stat))
            continue;
        const char *behind_name = strrchr(stat, ')');
        if (!behind_name || sscanf(behind_name, ") %c %d", &state, &parent) != 2 || state == 'Z')
            continue;
        m.pid[m.n] = pid;
        m.parent[m.n++] = parent;
    }
    closedir(proc);
    return m;
}

static void end_marked(const char *mark) {
    struct marked m = find_marked(mark);
    for (int i = 0; i < m.n; i++)
        kill(m.pid[i], SIGKILL);
    while (waitpid(-1, NULL, WNOHANG) > 0)
        continue;
}

static char *mark_of(const char *how) {
    static int number;
    return mem_printf(MARK "=%ld-%d-%s", (long)getpid(), ++number, how ? how : "plain");
}

/* Starts a command of the shell with the mark; how: MOESIM_ENGINE_CRASH, NULL for a simulation that works. */
static pid_t launch(const char *command, const char *how, const char *mark) {
    char *line = mem_printf("exec %s", command);
    pid_t pid = fork();
    if (pid == 0) {
        setenv(MARK, mark + sizeof MARK, 1); // behind the "="
        if (how)
            setenv("MOESIM_ENGINE_CRASH", how, 1);
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
            _exit(9);
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(9);
    }
    free(line);
    assert_true(pid > 0);
    return pid;
}

/* Waits until at least n processes carry the mark. */
static void await(int n, const char *mark, const char *command) {
    for (int i = 0; i < 2000; i++) {
        if (find_marked(mark).n >= n)
            return;
        pause_ms(10);
    }
    end_marked(mark);
    fail_msg("%s never had %d processes", command, n);
}

/* Counts the processes with the mark whose parent has died: this program adopts them. command: the one that it has
 * started itself and not killed; 0: none, and all processes count. */
static int count_left(const char *mark, pid_t command) {
    struct marked m = find_marked(mark);
    int left = 0;
    for (int i = 0; i < m.n; i++)
        left += command == 0 || (m.parent[i] == getpid() && m.pid[i] != command);
    return left;
}

static void nothing_is_left(const char *mark, pid_t command, const char *what) {
    int left = 1;
    for (int i = 0; i < 200 && left; i++) {
        left = count_left(mark, command);
        if (left)
            pause_ms(10);
    }
    if (left)
        end_marked(mark);
    if (left)
        fail_msg("%s: %d processes are left 2 s after the kill", what, left);
}

static void kill_and_look(const char *command, const char *how, int processes, long delay_ms) {
    char *mark = mark_of(how), *what = mem_printf("%s (%s, %ld ms)", command, how ? how : "works", delay_ms);
    pid_t pid = launch(command, how, mark);
    await(processes, mark, command);
    pause_ms(delay_ms);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    nothing_is_left(mark, 0, what);
    free(mark);
    free(what);
}

/* A child that sleeps, one that works for ever, and real ones at several moments from the start of the program on. */
static void kill_often(const char *command, int processes) {
    static const long delays_ms[] = {0, 3, 10, 30, 100, 300};
    kill_and_look(command, "hang", processes, 20);
    kill_and_look(command, "spin", processes, 20);
    for (size_t i = 0; i < sizeof delays_ms / sizeof *delays_ms; i++)
        kill_and_look(command, NULL, 1, delays_ms[i]);
}

#define LARGE " --platform synthetic --workload terrace-reference --set platform.groups=16"

static void of_simulate(void **state) {
    (void)state;
    kill_often(MOESIM_BINARY " simulate" LARGE, 2);
}

static void of_compare(void **state) {
    (void)state;
    kill_often(MOESIM_BINARY " compare" LARGE, 2);
}

static void of_breakeven(void **state) {
    (void)state;
    kill_often(MOESIM_BINARY " breakeven --by simulated" LARGE, 2);
}

static void of_gates(void **state) {
    (void)state;
    kill_often(MOESIM_BINARY " gates", 2);
}

struct files {
    char *spec, *out, *local, *mpi;
};

static void begin(struct files *f) {
    f->spec = mem_printf("/tmp/moesim-death-%ld.yaml", (long)getpid());
    f->out = mem_printf("/tmp/moesim-death-%ld.jsonl", (long)getpid());
    f->local = mem_printf("%s sweep %s -o %s --jobs 2", MOESIM_BINARY, f->spec, f->out);
#ifdef MOESIM_MPI_BINARY
    f->mpi = mem_printf("env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe "
                        "-np 2 %s sweep %s -o %s --jobs 1",
                        MOESIM_MPI_BINARY, f->spec, f->out);
#else
    f->mpi = NULL;
#endif
    FILE *spec = fopen(f->spec, "wb");
    assert_non_null(spec);
    fputs("schema: moesim/sweep/1\nname: death\nplatform: synthetic\nworkload: terrace-reference\n"
          "set: {platform.groups: 16, platform.ranks_per_group: 8}\ncauses: none\n"
          "axes: [{key: platform.ratio, range: {from: 1, to: 16, n: 61}}]\n",
          spec);
    assert_int_equal(fclose(spec), 0);
}

static void end(struct files *f) {
    unlink(f->spec);
    unlink(f->out);
    free(f->spec);
    free(f->out);
    free(f->local);
    free(f->mpi);
}

static void of_a_sweep(void **state) {
    (void)state;
    struct files f;
    begin(&f);
    kill_often(f.local, 5);
    end(&f);
}

/* A worker that is killed takes along what it simulates; the sweep goes on with another. */
static void of_a_worker(void **state) {
    (void)state;
    struct files f;
    begin(&f);
    char *mark = mark_of("worker");
    pid_t pid = launch(f.local, "spin", mark);
    await(5, mark, f.local);
    struct marked m = find_marked(mark);
    for (int i = 0; i < m.n; i++)
        if (m.parent[i] == pid)
            kill(m.pid[i], SIGKILL);
    nothing_is_left(mark, pid, "a killed worker");
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    nothing_is_left(mark, 0, "a sweep with killed workers");
    free(mark);
    end(&f);
}

static bool have_mpi(const struct files *f) {
    return f->mpi && system("command -v mpirun >/dev/null") == 0;
}

static void of_mpirun(void **state) {
    (void)state;
    struct files f;
    begin(&f);
    if (have_mpi(&f))
        kill_often(f.mpi, 7);
    end(&f);
}

/* A rank that is killed takes along its worker and what that one simulates. */
static void of_a_rank(void **state) {
    (void)state;
    struct files f;
    begin(&f);
    char *mark = mark_of("rank");
    if (have_mpi(&f)) {
        pid_t pid = launch(f.mpi, "spin", mark);
        await(7, mark, f.mpi);
        struct marked m = find_marked(mark);
        for (int i = 0; i < m.n; i++)
            if (m.parent[i] == pid)
                kill(m.pid[i], SIGKILL);
        nothing_is_left(mark, pid, "killed ranks");
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        nothing_is_left(mark, 0, "a job with killed ranks");
    }
    free(mark);
    end(&f);
}

int main(void) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_simulate), cmocka_unit_test(of_compare),  cmocka_unit_test(of_breakeven),
        cmocka_unit_test(of_gates),    cmocka_unit_test(of_a_sweep),  cmocka_unit_test(of_a_worker),
        cmocka_unit_test(of_mpirun),   cmocka_unit_test(of_a_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
