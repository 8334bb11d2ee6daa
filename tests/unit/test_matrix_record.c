/* SPDX-License-Identifier: BSD-3-Clause */
/* A record that is the matrix goes into a call as it is. */
#include "tests/support/records.h"

#include "workloads/strategy.h"

static void bytes_of_the_record_are_the_bytes_of_the_call(void **state) {
    (void)state;
    char path[RECORDS_PATH];
    static const char *const names[] = {"collective-eager", "nccl-p2p", "deepep-ll"};
    sample("synthetic_alltoallv.txt", path);
    const struct setting set[] = {{"routing.source", "trace"}, {"routing.trace", path}, {NULL, NULL}};
    struct asked a = get_traffic("2", "2", set);
    struct topology *topology = topo_build(a.p);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) // whatever row format and de-duplication
        for (int phase = PHASE_DISPATCH; phase <= PHASE_COMBINE; phase++) {
            struct implementation *how;
            struct call call;
            struct err e;
            assert_ok(implementation_load(names[i], NULL, 0, &how, &e), &e);
            call_build(topology, a.w, how, a.t, STRATEGY_ONE_HOP, (enum phase)phase, &call);
            static const double want[] = {2, 4, 6, 8, 2, 4, 6, 8, 0, 10, 0, 14, 2, 4, 6, 8};
            double *dense = matrix_dense(&call.stages[0].bytes);
            for (int x = 0; x < 16; x++)
                assert_rel(dense[x], want[phase == PHASE_DISPATCH ? x : x % 4 * 4 + x / 4], 0);
            free(dense);
            double bytes[TIER_MAX], messages[TIER_MAX];
            call_tier_traffic(&call, 0, bytes, messages);
            assert_rel(messages[TIER_FAST] + messages[TIER_SLOW], 11, 0); // pairs with bytes, off the diagonal
            call_clear(&call);
            implementation_free(how);
        }
    topo_free(topology);
    done(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bytes_of_the_record_are_the_bytes_of_the_call)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
