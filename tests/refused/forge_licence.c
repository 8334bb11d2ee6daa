/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a licence of its own. */
#include "gates/claim.h"

struct claim show(double time_s);
struct claim show(double time_s) {
    struct licence mine = {CAP_STEP_TIME, CAPABILITY_OPEN};
    return claim_make(&mine, time_s);
}
