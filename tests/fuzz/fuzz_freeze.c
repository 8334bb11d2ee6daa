/* SPDX-License-Identifier: BSD-3-Clause */
/* Freeze files, with their hash and without; what is read is graded by times whose ids may be anything. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "validation/score.h"

/* Grades one good file by the data as a CSV. */
static void grade(const char *csv, size_t n) {
    static const struct freeze_head head = {.version = "1"};
    struct buf text = {0};
    struct freeze_writer w;
    struct freeze *f;
    struct score score;
    struct err e;
    freeze_begin(&w, &head, &text);
    freeze_put(&w, &(struct prediction){.id = "a", .world = 2, .reason = "none"});
    freeze_end(&w);
    if (freeze_parse(text.text, text.n, "fuzz.json", &f, &e) == RC_OK) {
        if (score_csv(f, csv, n, "fuzz.csv", &score, &e) == RC_OK)
            score_clear(&score);
        freeze_free(f);
    }
    buf_clear(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    struct freeze *f = NULL;
    struct err e;
    if (freeze_parse((const char *)data, n, "fuzz.json", &f, &e) == RC_OK)
        freeze_free(f);
    grade((const char *)data, n);
    return 0;
}
