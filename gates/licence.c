/* SPDX-License-Identifier: BSD-3-Clause */
#include "gates/licence.h"

#include <stdlib.h>

#include "platforms/base/mem.h"

struct licence {
    enum capability capability;
    enum capability_state state;
    const char *reason;
};

struct licences {
    struct licence of[CAP_COUNT];
};

struct licences *licences_unproven(void) {
    struct licences *l = mem_alloc(1, sizeof *l);
    for (int i = 0; i < CAP_COUNT; i++) {
        enum capability c = (enum capability)i;
        l->of[i] = (struct licence){c, capability_state(c), capability_reason(c)};
    }
    return l;
}

void licences_free(struct licences *l) {
    free(l);
}

const struct licence *licences_get(const struct licences *l, enum capability c) {
    return &l->of[c];
}

enum capability_state licence_state(const struct licence *l) {
    return l->state;
}

const char *licence_reason(const struct licence *l) {
    return l->reason;
}

enum rc licence_require(const struct licence *l, struct err *e) {
    if (l->state != CAPABILITY_WITHDRAWN)
        return RC_OK;
    return err_set(e, RC_WITHDRAWN, "%s is withdrawn by gate %s: %s", capability_name(l->capability),
                   capability_gates(l->capability), l->reason);
}
