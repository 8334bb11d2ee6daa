/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/outcome.h"

#include <stdlib.h>

void outcome_clear(struct outcome *o) {
    free(o->send_end_s);
    free(o->recv_end_s);
    free(o->link_bytes);
    free(o->link_bin_bytes);
    free(o->messages);
    *o = (struct outcome){0};
}
