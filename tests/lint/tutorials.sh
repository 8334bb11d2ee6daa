#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Commands and output quoted in sim/TUTORIALS.md stand in its golden test: tutorials.sh SOURCE_DIR.
set -eu
cd "$1"
golden=tests/golden/tutorials.tesh
awk '/^```/ { inside = !inside; next } inside && /./' sim/TUTORIALS.md | {
    failed=0 lines=0
    while IFS= read -r line; do
        lines=$((lines + 1))
        case $line in
        'moesim '*) expected="\$ \${moesim} ${line#moesim }" ;;
        *) expected="> $line" ;;
        esac
        grep -qxF -- "$expected" "$golden" || {
            echo "sim/TUTORIALS.md: not in $golden: $line"
            failed=1
        }
    done
    [ "$lines" -gt 10 ] || { echo "sim/TUTORIALS.md: only $lines quoted lines found"; failed=1; }
    exit "$failed"
}
