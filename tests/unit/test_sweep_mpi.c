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

/* Runs the sweep locally and by the words after mpirun, in which SPEC and OUT stand for the files. */
static void same_as_local(const char *words) {
    char *spec = path_of("spec.yaml"), *local = path_of("local.jsonl"), *out = path_of("out.jsonl");
    unlink(local);
    unlink(out);
    put_file(spec, spec_text);
    char *command = mem_printf("%s sweep %s -o %s >/dev/null", MOESIM_BINARY, spec, local);
    assert_int_equal(run(command), 0);
    free(command);
    command = mem_printf("export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OUT=%s; "
                         "M='%s sweep %s -o %s'; export M; timeout 100 mpirun --oversubscribe %s >/dev/null 2>&1",
                         out, MOESIM_MPI_BINARY, spec, out, words);
    assert_int_equal(run(command), 0);
    free(command);
    size_t n, m;
    char *a = records_of(local, &n), *b = records_of(out, &m);
    assert_int_equal(n, 62);
    assert_int_equal(m, n);
    assert_string_equal(a, b);
    free(a);
    free(b);
    unlink(spec);
    unlink(local);
    unlink(out);
    free(spec);
    free(local);
    free(out);
}

static void records_are_those_of_a_local_run(void **state) {
    (void)state;
    same_as_local("-np 3 $M");
}

int main(void) {
    if (run("command -v mpirun >/dev/null 2>&1") != 0)
        return skipped("no mpirun; tests/run.sh installs it");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_those_of_a_local_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
