/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/cli/cli.h"

int cli_exit_code(enum rc rc) {
    switch (rc) {
    case RC_OK:
        return 0;
    case RC_USAGE:
        return 2;
    case RC_WITHDRAWN:
        return 3;
    case RC_ENGINE:
    case RC_TIMEOUT:
    case RC_RESOURCE:
        return 4;
    default:
        return 1;
    }
}

enum rc cli_no_words(const struct line *line, struct err *e) {
    return line->n_words ? err_set(e, RC_USAGE, "unexpected word '%.60s'", line->words[0]) : RC_OK;
}
