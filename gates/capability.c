/* SPDX-License-Identifier: BSD-3-Clause */
#include "gates/capability.h"

#include <string.h>

static const struct {
    const char *name;
    enum capability_rule rule;
    enum capability_state otherwise;
    const char *gates;
    bool own;
    const char *reason;
} table[CAP_COUNT] = {
#define CAPABILITY_ROW(id, name, rule, otherwise, gates, own, reason)                              \
    {name, rule, otherwise, gates, own, reason},
    CAPABILITY_LIST(CAPABILITY_ROW)
#undef CAPABILITY_ROW
};

const char *capability_name(enum capability c) {
    return table[c].name;
}

int capability_find(const char *name) {
    for (int i = 0; i < CAP_COUNT; i++)
        if (strcmp(table[i].name, name) == 0)
            return i;
    return -1;
}

enum capability_rule capability_rule(enum capability c) {
    return table[c].rule;
}

enum capability_state capability_otherwise(enum capability c) {
    return table[c].otherwise;
}

const char *capability_state_name(enum capability_state s) {
    static const char *const names[] = {"open", "conditional", "withdrawn"};
    return names[s];
}

const char *capability_gates(enum capability c) {
    return table[c].gates;
}

bool capability_hangs_on(enum capability c, const char *gate) {
    size_t n = strlen(gate);
    const char *list = table[c].gates;
    for (const char *at = list; n && (at = strstr(at, gate)); at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

bool capability_allows_own(enum capability c) {
    return table[c].own;
}

const char *capability_reason(enum capability c) {
    return table[c].reason;
}
