#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# No name of a static function twice in a folder: statics.sh SOURCE_DIR. A reader who looks for a name finds one place.
set -eu
cd "$1"
find platforms workloads model gates validation sim -name '*.c' | sort | xargs awk '
    FNR == 1 { folder = FILENAME; sub(/\/[^\/]*$/, "", folder) }
    /^static / && /\(/ && !/[;=]/ || /^static [^=;]*\([^=]*$/ {
        line = $0
        if (line ~ /=/) next
        sub(/\(.*/, "", line)
        n = split(line, word, /[ *]+/)
        name = word[n]
        where = folder " " name
        found++
        if ((where in first) && first[where] != FILENAME) {
            print FILENAME ": " name "() stands in " first[where] " too"
            failed = 1
        } else
            first[where] = FILENAME
    }
    END {
        if (found < 500) {
            print "statics.sh: only " found + 0 " static functions found"
            failed = 1
        }
        exit failed
    }'
