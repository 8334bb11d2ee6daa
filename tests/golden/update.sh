#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Rewrites the expected output of tesh files from what the program prints now.
# Review the diff: it is the test.
# usage: tests/golden/update.sh PATH_TO_MOESIM [FILE.tesh ...]
set -u
moesim=$(realpath "$1")
export moesim
cd "$(dirname "$0")" || exit 1
shift
[ $# -gt 0 ] || set -- *.tesh
for file in "$@"; do
    expect=0 ignore=
    while IFS= read -r line; do
        case $line in
        '>'*) ;;
        '! expect return '*) expect=${line#! expect return } && printf '%s\n' "$line" ;;
        '! ignore '*) ignore=${line#! ignore } && printf '%s\n' "$line" ;;
        '$ '*)
            printf '%s\n' "$line"
            output=$(bash -c "${line#$ }" 2>&1 </dev/null)
            code=$?
            [ "$code" = "$expect" ] || echo "$file: ${line#$ }: exit $code, expected $expect" >&2
            [ -z "$ignore" ] || output=$(grep -vxE -- "$ignore" <<<"$output")
            [ -z "$output" ] || sed 's/^/> /; s/^> $/>/' <<<"$output"
            expect=0 ignore=
            ;;
        *) printf '%s\n' "$line" ;;
        esac
    done <"$file" >"$file.new"
    mv "$file.new" "$file"
done
