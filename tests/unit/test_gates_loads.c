/* SPDX-License-Identifier: BSD-3-Clause */
/* Bound, conservation and the sweeps of machine B on whole grids; apart from the others for their length. */
#include "tests/support/gates.h"

static void whole_grids_pass(void **state) {
    (void)state;
    const struct estimand_tools full = {.simulator = &gates_engine, .full = true};
    gates_expect("bound", &full, GATE_PASSED);
    gates_expect("conservation", &full, GATE_PASSED);
    gates_expect("sim-tier1b-c3", &full, GATE_PASSED);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(whole_grids_pass)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
