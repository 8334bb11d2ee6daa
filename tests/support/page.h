/* SPDX-License-Identifier: BSD-3-Clause */
/* page.h - a page of the report, made by the program from a small sweep. */
#ifndef TESTS_SUPPORT_PAGE_H
#define TESTS_SUPPORT_PAGE_H

#include "tests/support/folder.h"
#include "tests/support/program.h"

static inline char *path_of(const char *name) {
    return mem_printf("/tmp/moesim-report-test-%ld-%s", (long)getpid(), name);
}

static const char spec_text[] =
    "schema: moesim/sweep/1\nname: page & <test>\nplatform: synthetic\nworkload: terrace-reference\n"
    "set: {platform.groups: 4, platform.ranks_per_group: 2}\n"
    "axes:\n"
    "  - {key: platform.ratio, values: [1, 2, 4, 8, 16]}\n"
    "  - {key: workload.routing.rho_max, values: [1.2, 2, 3]}\n"
    "  - {key: workload.group_limit, values: [2, 64]}\n"; // 64 groups do not exist: error records

/* A sweep's page and its records; the caller frees the paths. */
static inline void make_page(char **html, char **records) {
    struct buf out = {0};
    char *spec = path_of("spec.yaml");
    *html = path_of("page.html");
    *records = path_of("records.jsonl");
    unlink(*records);
    put_file(spec, spec_text);
    char *arguments = mem_printf("sweep %s -o %s --jobs 2", spec, *records);
    assert_int_equal(program_text(arguments, &out), 0);
    free(arguments);
    arguments = mem_printf("report %s -o %s", *records, *html);
    assert_int_equal(program_text(arguments, &out), 0);
    free(arguments);
    buf_clear(&out);
    unlink(spec);
    free(spec);
}

#endif
