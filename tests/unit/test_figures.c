/* SPDX-License-Identifier: BSD-3-Clause */
/* What becomes of figures under their licences. The program's own code is not in a library: it is included. */
#include "tests/support/check.h"

#include "sim/cli/allow.c"
#include "sim/cli/figures.c"

static void a_worst_layer_needs_a_number_that_may_be_shown(void **state) {
    (void)state;
    struct licences *all = licences_unproven();
    const struct licence *shown = licences_get(all, CAP_CALL_TIME), *withdrawn = licences_get(all, CAP_STEP_TIME);
    assert_int_equal(licence_state(withdrawn), CAPABILITY_WITHDRAWN);
    const struct {
        bool known; /* otherwise the times are those of the wire */
        const struct licence *time, *wire;
        int worst;
    } cases[] = {{true, shown, withdrawn, 1},  {true, withdrawn, shown, -1}, {false, shown, withdrawn, -1},
                 {false, withdrawn, shown, 1}, {true, shown, shown, 1},      {false, withdrawn, withdrawn, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct sequence_figures f = {.host = "observed",
                                           .n_calls = 3,
                                           .known = cases[i].known,
                                           .per_call_s = 2,
                                           .by = "layer",
                                           .number = {4, 7, 9},
                                           .time_s = {1, 3, 2}};
        struct result_sequence s;
        publish_sequence(&f, cases[i].time, cases[i].wire, &s);
        assert_int_equal(s.worst, cases[i].worst);
        assert_int_equal(claim_known(s.time[1]), cases[i].known && cases[i].worst >= 0);
        assert_int_equal(claim_known(s.wire[1]), !cases[i].known && cases[i].worst >= 0);
        assert_int_equal(claim_known(s.per_call), claim_known(s.time[1]));
        assert_int_equal(claim_known(s.per_call_wire), claim_known(s.wire[1]));
        assert_int_equal(s.number[1], 7);
    }
    licences_free(all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worst_layer_needs_a_number_that_may_be_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
