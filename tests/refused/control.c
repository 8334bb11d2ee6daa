/* SPDX-License-Identifier: BSD-3-Clause */
/* The proper way: a licence from the gates, a claim, text. This one compiles. */
#include <stdio.h>

#include "gates/claim.h"

void show_time(double time_s);
void show_time(double time_s) {
    struct licences *l = licences_decide(NULL, 0);
    struct claim c = claim_make(licences_get(l, CAP_STEP_TIME), time_s);
    char text[CLAIM_TEXT];
    printf("%s\n", claim_text(c, CLAIM_TIME, text));
    licences_free(l);
}
