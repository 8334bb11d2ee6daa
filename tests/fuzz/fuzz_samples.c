/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of a machine: own files and logs of other benchmarks; what is read is calibrated. */
#include "tests/fuzz/fuzz.h"

#include "validation/calibrate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    const struct samples_ask ask = {.groups = 2, .ranks_per_group = 4};
    struct samples *s = NULL;
    struct calibration c;
    struct buf out = {0};
    struct err e;
    if (samples_parse((const char *)data, n, "fuzz.csv", &ask, &s, &e))
        return 0;
    if (calibrate(s, &c, &e) == RC_OK) {
        calibration_platform(&c, NULL, NULL, &out);
        calibration_corpus(&c, &out);
        buf_clear(&out);
        calibration_clear(&c);
    }
    samples_free(s);
    return 0;
}
