/* SPDX-License-Identifier: BSD-3-Clause */
/* platforms.h - platform files made from text, as p.yaml in the folder of the test. */
#ifndef TESTS_SUPPORT_PLATFORMS_H
#define TESTS_SUPPORT_PLATFORMS_H

#include "tests/support/folder.h"

#include "platforms/alpha.h"

#define HEAD "schema: moesim/platform/1\nname: x\n" /* lines 1, 2 */
#define SHAPE "groups: 2\nranks_per_group: 4\n" /* 3, 4 */
#define TIERS "fast: {bandwidth: 100GBps}\nslow: {bandwidth: 10GBps}\n" /* 5, 6 */
#define GOOD HEAD SHAPE TIERS

static inline enum rc load_text(const char *text, struct platform **p, struct err *e) {
    folder_put("p.yaml", text);
    return plat_load("p.yaml", NULL, 0, p, e);
}

static inline enum rc load_bad(const char *text, struct err *e) {
    struct platform *p = NULL;
    enum rc rc = load_text(text, &p, e);
    assert_true(rc == RC_OK || !p);
    return rc;
}

static inline struct platform *load_good(const char *more) {
    struct platform *p;
    struct err e;
    char *text = mem_printf(GOOD "%s", more);
    assert_ok(load_text(text, &p, &e), &e);
    free(text);
    return p;
}

#endif
