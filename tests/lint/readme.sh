#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The example runs in README.md print what the program prints now (wall time and memory aside).
# usage: readme.sh SOURCE_DIR PATH_TO_MOESIM [--update]
set -eu
file=$1/README.md
moesim=$2
expected() {
    awk -v moesim="$moesim" '
        /^<!-- example: moesim / {
            print
            command = $0
            sub(/^<!-- example: moesim /, "", command)
            sub(/ -->$/, "", command)
            run = "\"" moesim "\" " command
            while ((run | getline line) > 0)
                if (line !~ /^engine: /)
                    print line == "" ? "" : "    " line
            inside = 1
        }
        /^<!-- \/example -->/ { inside = 0 }
        !inside { print }' "$file"
}
if [ "${3:-}" = --update ]; then
    expected >"$file.new"
    mv "$file.new" "$file"
elif ! diff "$file" <(expected); then
    echo "README.md: run tests/lint/readme.sh SOURCE_DIR PATH_TO_MOESIM --update, then read the diff"
    exit 1
fi
