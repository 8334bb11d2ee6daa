/* SPDX-License-Identifier: BSD-3-Clause */
/* moesim-mpi: the records of a local run. Skipped where there is no mpirun; left out where there is no MPI. */
#include "tests/support/records_of.h"

static const char spec_text[] =
    "schema: moesim/sweep/1\nname: small\nplatform: synthetic\nworkload: terrace-reference\n"
    "set: {platform.groups: 4, platform.ranks_per_group: 2}\ncauses: none\n"
    "axes:\n  - {key: platform.ratio, range: {from: 1, to: 16, n: 31}}\n"
    "  - {key: workload.group_limit, values: [2, 64]}\n"; // 64 groups do not exist: error records

static char *path_of(const char *name) {
    return mem_printf("/tmp/moesim-mpi-test-%ld-%s", (long)getpid(), name);
}

static int run(const char *command) {
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct files {
    char *spec, *local, *out, *pids;
};

static void begin(struct files *f, const char *text) {
    *f = (struct files){path_of("spec.yaml"), path_of("local.jsonl"), path_of("out.jsonl"), path_of("pid")};
    unlink(f->local);
    unlink(f->out);
    put_file(f->spec, text);
}

static void end(struct files *f) {
    char *command = mem_printf("rm -f %s %s %s %s.*", f->spec, f->local, f->out, f->pids);
    run(command);
    free(command);
    free(f->spec);
    free(f->local);
    free(f->out);
    free(f->pids);
}

static int run_local(const struct files *f, const char *out) {
    char *command = mem_printf("%s sweep %s -o %s >/dev/null", MOESIM_BINARY, f->spec, out);
    int code = run(command);
    free(command);
    return code;
}

/* Starts a sweep of three ranks, which leave their process ids, in the background of `then`. */
static int run_mpi(const struct files *f, const char *options, const char *then) {
    char *command = mem_printf(
        "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; OUT=%s; PID=%s; rm -f $PID.*; "
        "timeout 100 mpirun --oversubscribe %s -np 3 sh -c 'echo $$ >'$PID'.$OMPI_COMM_WORLD_RANK; "
        "exec %s sweep %s -o '$OUT >/dev/null 2>&1 & "
        "has() { until [ \"$(cat $OUT 2>/dev/null | wc -l)\" -ge $1 ]; do sleep 0.02; done; }; "
        "children() { ps -o pid= --ppid $(cat $PID.$1); }; %s wait $!",
        f->out, f->pids, options, MOESIM_MPI_BINARY, f->spec, then);
    int code = run(command);
    free(command);
    return code;
}

static void same_records(const struct files *f, size_t expected) {
    size_t n, m;
    char *a = records_of(f->local, &n), *b = records_of(f->out, &m);
    assert_int_equal(n, expected);
    assert_int_equal(m, n);
    assert_string_equal(a, b);
    free(a);
    free(b);
}

static void records_are_those_of_a_local_run(void **state) {
    (void)state;
    struct files f;
    begin(&f, spec_text);
    assert_int_equal(run_local(&f, f.local), 0);
    assert_int_equal(run_mpi(&f, "", ""), 0);
    same_records(&f, 62);
    end(&f);
}

/* A rank is killed: the job goes on where it may, and loses nothing. */
static void goes_on_without_a_rank(void **state) {
    (void)state;
    struct files f;
    begin(&f, spec_text);
    assert_int_equal(run_local(&f, f.local), 0);
    assert_int_equal(run_mpi(&f, "--enable-recovery", "has 5; kill -9 $(cat $PID.1);"), 0);
    same_records(&f, 62);
    end(&f);
}

/* Without recovery mpirun ends the job; here rank 0 itself is lost. The same command continues. */
static void the_same_command_continues(void **state) {
    (void)state;
    struct files f;
    begin(&f, spec_text);
    assert_int_equal(run_local(&f, f.local), 0);
    for (int rank = 0; rank < 2; rank++) {
        char *words = mem_printf("has %d; kill -9 $(cat $PID.%d);", 5 + 5 * rank, rank);
        assert_int_not_equal(run_mpi(&f, "", words), 0);
        free(words);
    }
    char *text = get_file(f.out);
    assert_true(strlen(text) > 0);
    free(text);
    assert_int_equal(run_mpi(&f, "", ""), 0);
    same_records(&f, 62);
    end(&f);
}

/* The process in which a rank works out a point dies, twice over the same point, which takes seconds. */
static void a_point_that_kills_two_workers_becomes_a_record(void **state) {
    (void)state;
    struct files f;
    begin(&f, "schema: moesim/sweep/1\nname: small\nplatform: synthetic\nworkload: terrace-reference\n"
              "set: {workload.routing.rho_max: 3, workload.experts: 1024, workload.tokens_per_rank: 512}\n"
              "causes: none\naxes: [{key: platform.groups, values: [2, 4, 128]}]\n");
    static const char twice[] =
        "has 2; for i in 1 2; do kill -9 $(children 0) $(children 1) $(children 2); sleep 1; done;";
    assert_int_equal(run_mpi(&f, "", twice), 0);
    char *text = get_file(f.out);
    assert_non_null(strstr(text, "two workers died over this point"));
    assert_null(strstr(strstr(text, "two workers died"), "\"status\": \"error\""));
    free(text);
    size_t n;
    free(records_of(f.out, &n));
    assert_int_equal(n, 3);
    struct files as_it_is = f;
    as_it_is.spec = mem_printf("%s --retry-failed none", f.spec);
    assert_int_equal(run_mpi(&as_it_is, "", ""), 0);
    free(records_of(f.out, &n));
    assert_int_equal(n, 3);
    free(as_it_is.spec);
    end(&f);
}

static void a_point_that_takes_too_long_becomes_a_record(void **state) {
    (void)state;
    struct files f;
    begin(&f, "schema: moesim/sweep/1\nname: small\nplatform: synthetic\nworkload: terrace-reference\n"
              "timeout: 1us\ncauses: none\naxes: [{key: platform.groups, values: [2, 4]}]\n");
    assert_int_equal(run_mpi(&f, "", ""), 0);
    size_t n;
    char *text = records_of(f.out, &n);
    assert_int_equal(n, 2);
    assert_non_null(strstr(text, "simulation engine ran out of time"));
    free(text);
    end(&f);
}

static void help_needs_no_file(void **state) {
    (void)state;
    struct buf out = {0};
    assert_int_equal(program_shell(MOESIM_MPI_BINARY " sweep --help 2>&1", &out), 0);
    assert_non_null(strstr(out.text, "usage: mpirun -np N moesim-mpi sweep SPEC.yaml"));
    assert_non_null(strstr(out.text, "--dry-run"));
    buf_clear(&out);
    assert_int_equal(program_shell("timeout 60 " MOESIM_MPI_BINARY " sweep x.yaml 2>&1", &out), 2);
    assert_non_null(strstr(out.text, "-o FILE.jsonl is missing"));
    buf_clear(&out);
}

int main(void) {
    if (run("mpirun --version 2>/dev/null | grep -q 'Open MPI'") != 0)
        return skipped("no Open MPI; tests/run.sh installs it");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_those_of_a_local_run),
        cmocka_unit_test(goes_on_without_a_rank),
        cmocka_unit_test(the_same_command_continues),
        cmocka_unit_test(a_point_that_kills_two_workers_becomes_a_record),
        cmocka_unit_test(a_point_that_takes_too_long_becomes_a_record),
        cmocka_unit_test(help_needs_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
