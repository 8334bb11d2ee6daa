/* SPDX-License-Identifier: BSD-3-Clause */
/* Bound, conservation and the sweeps of machine B on whole grids; apart from the others for their length. */
#include "tests/support/gates.h"

static enum rc run_engine(const struct step *step, const struct costs *cases, size_t n_cases,
                          void *context, struct outcome *outcomes, struct err *e) {
    (void)context;
    return sim_run(step, cases, n_cases, &(struct sim_options){0}, outcomes, e);
}

static void whole_grids_pass(void **state) {
    (void)state;
    const struct simulator engine = {run_engine, NULL};
    const struct estimand_tools full = {.simulator = &engine, .full = true};
    gates_expect("bound", &full, GATE_PASSED);
    gates_expect("conservation", &full, GATE_PASSED);
    gates_expect("sim-tier1b-c3", &full, GATE_PASSED);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(whole_grids_pass)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
