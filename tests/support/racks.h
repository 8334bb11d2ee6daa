/* SPDX-License-Identifier: BSD-3-Clause */
/* racks.h - platforms of three tiers, and of groups that differ in size. */
#ifndef TESTS_SUPPORT_RACKS_H
#define TESTS_SUPPORT_RACKS_H

#include "tests/support/platforms.h"

/* 2 racks of 2 groups of 2 ranks. Lines 3 to 8. */
#define RACKS                                                                                                          \
    "groups: 4\nranks_per_group: 2\nfast: {bandwidth: 4GBps}\n"                                                        \
    "middle:\n  - {name: rack, joins: 2, bandwidth: 2GBps}\nslow: {bandwidth: 1GBps}\n"

#define DIFFER "groups: 3\nranks_per_group: 4\nfast: {bandwidth: 4GBps}\nslow: {bandwidth: 1GBps}\n" /* 3 to 6 */

static inline struct platform *load_racks(const char *text) {
    struct platform *p;
    struct err e;
    char *all = mem_printf(HEAD "%s", text);
    assert_ok(load_text(all, &p, &e), &e);
    free(all);
    return p;
}

#endif
