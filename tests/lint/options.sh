#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Three files, each with its header, know the options: what fills a question, the table of rows, and the parser; two
# more write the rows down, whichever they are (man pages, completion). All others are given plain data: options.sh
# SOURCE_DIR. Commands are short: what is more than options, question and
# report stands in the libraries below.
set -eu
cd "$1"
know=$(grep -rlE 'struct option\b|\boption_[a-z_]+|\bOPTION_[A-Z]+' --include='*.[ch]' \
    platforms workloads model gates validation sim |
    sed 's/\.[ch]$//' | sort -u)
expected="sim/cli/completion
sim/cli/manual
sim/cli/options
sim/cli/rows
sim/study/option"
if [ "$know" != "$expected" ]; then
    printf 'files that know the options:\n%s\nexpected:\n%s\n' "$know" "$expected"
    exit 1
fi
most=110
wc -l sim/cli/cmd_*.c | awk -v most=$most '
    $2 != "total" { n++ }
    $2 != "total" && $1 > most { print $2 ": " $1 " lines, at most " most; bad = 1 }
    END { exit bad || n < 9 }'
