/* SPDX-License-Identifier: BSD-3-Clause */
/* hand.h - a platform of two tiers that no file describes. */
#ifndef TESTS_SUPPORT_HAND_H
#define TESTS_SUPPORT_HAND_H

#include "tests/support/check.h"

#include "platforms/platform.h"

/* Fills in groups, tiers and domains; rates are 0. */
static inline void make_platform(struct platform *p, int64_t groups, int64_t ranks_per_group) {
    static struct yaml_doc doc; // holds the domains of all of them
    struct err e;
    *p = (struct platform){.groups = groups, .ranks_per_group = ranks_per_group, .n_tiers = 2, .doc = &doc};
    p->tier[TIER_FAST].name = "fast";
    p->tier[TIER_SLOW].name = "slow";
    p->tier[TIER_SLOW].counts_as = CLASS_SLOW;
    p->tier[TIER_SLOW].oversubscription.value = 1;
    assert_ok(domains_build(p, &e), &e);
}

#endif
