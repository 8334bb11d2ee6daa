/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz.h - the one function of a fuzz target: feeds n bytes to a reader, which must refuse or accept them
 * without a crash, a leak or undefined behaviour. libFuzzer calls it with bytes of its own making, driver.c with
 * the files of the corpus. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#endif
