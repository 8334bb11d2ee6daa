/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/engine.h"
#include "sim/study/study.h"

const char *study_version(void) {
    return MOESIM_VERSION;
}

const char *study_git(void) {
    return MOESIM_GIT;
}

const char *study_engine(void) {
    return sim_version();
}
