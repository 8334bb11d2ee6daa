/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.h - the wire time of a call, by simulation and by the closed form. */
#ifndef TESTS_SUPPORT_WIRE_H
#define TESTS_SUPPORT_WIRE_H

#include "tests/support/check.h"

#include "model/bound.h"
#include "model/model.h"
#include "sim/engine/engine.h"

/* Simulates without fixed costs, not below the bound; outcome_clear() releases. */
static inline struct outcome wire_simulated(const struct call *call) {
    struct costs wire;
    struct outcome o = {0};
    struct err e;
    costs_wire(call, &wire);
    assert_ok(sim_run(call, &wire, 1, &(struct sim_options){0}, &o, &e), &e);
    assert_true(o.time_s >= bound_call_s(call, &wire) * (1 - 1e-9));
    return o;
}

static inline double wire_simulated_s(const struct call *call) {
    struct outcome o = wire_simulated(call);
    double time_s = o.time_s;
    outcome_clear(&o);
    return time_s;
}

static inline double wire_closed_s(const struct call *call) {
    struct costs wire;
    struct outcome o;
    costs_wire(call, &wire);
    assert_true(model_covers(call));
    model_call(call, &wire, &o);
    return o.time_s;
}

#endif
