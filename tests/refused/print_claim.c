/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the number inside a claim. */
#include <stdio.h>

#include "gates/claim.h"

void show_time(struct claim time);
void show_time(struct claim time) {
    printf("%g\n", time);
}
