/* SPDX-License-Identifier: BSD-3-Clause */
#include "gates/capability.h"

static const struct {
    const char *name;
    enum capability_state state;
    const char *gates;
    const char *reason;
} table[CAP_COUNT] = {
#define CAPABILITY_ROW(id, name, state, gates, reason) {name, state, gates, reason},
    CAPABILITY_LIST(CAPABILITY_ROW)
#undef CAPABILITY_ROW
};

const char *capability_name(enum capability c) {
    return table[c].name;
}

enum capability_state capability_state(enum capability c) {
    return table[c].state;
}

const char *capability_state_name(enum capability_state s) {
    static const char *const names[] = {"open", "conditional", "withdrawn"};
    return names[s];
}

const char *capability_gates(enum capability c) {
    return table[c].gates;
}

const char *capability_reason(enum capability c) {
    return table[c].reason;
}
