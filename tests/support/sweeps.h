/* SPDX-License-Identifier: BSD-3-Clause */
/* sweeps.h - sweep files, their records, and runs of the command over them. */
#ifndef TESTS_SUPPORT_SWEEPS_H
#define TESTS_SUPPORT_SWEEPS_H

#include "tests/support/records_of.h"

static const char folder[] = "/tmp/moesim-sweep-test";

static inline char *path_of(const char *name) {
    return mem_printf("%s-%ld-%s", folder, (long)getpid(), name);
}

#define SMALL                                                                                      \
    "schema: moesim/sweep/1\nname: small\nplatform: synthetic\nworkload: terrace-reference\n"      \
    "set: {platform.groups: 4, platform.ranks_per_group: 2}\ncauses: none\n"

static inline int sweep(const char *prefix, const char *spec, const char *out, struct buf *messages) {
    char *command = mem_printf("%s %s sweep %s -o %s --jobs 2 2>&1", prefix, MOESIM_BINARY, spec, out);
    int code = program_shell(command, messages);
    free(command);
    return code;
}

struct files {
    char *spec, *out, *reference;
};

static inline void begin(struct files *f, const char *text) {
    *f = (struct files){path_of("spec.yaml"), path_of("out.jsonl"), path_of("reference.jsonl")};
    unlink(f->out);
    unlink(f->reference);
    put_file(f->spec, text);
}

static inline void end(struct files *f) {
    unlink(f->spec);
    unlink(f->out);
    unlink(f->reference);
    free(f->spec);
    free(f->out);
    free(f->reference);
}

static inline void same_records(const struct files *f) {
    size_t n, m;
    char *a = records_of(f->out, &n), *b = records_of(f->reference, &m);
    assert_int_equal(n, m);
    assert_string_equal(a, b);
    free(a);
    free(b);
}

#endif
