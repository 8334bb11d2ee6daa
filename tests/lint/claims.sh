#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# No time and no gain of the model or the engine is printed but by way of a claim: claims.sh SOURCE_DIR.
# Names of such numbers are read from the headers that define them; a statement of sim/study, sim/report, sim/sweep
# or sim/cli that formats a number and mentions one fails. Evidence of gates (gates_*) and errors (err_set) are no
# results, constants (x.value) are inputs, figure() of breakeven makes claims, place_y() draws a curve.
set -eu
cd "$1"
set -- workloads/call.h model/model.h sim/study/gain.h
[ ! -e workloads/outcome.h ] || set -- "$@" workloads/outcome.h
# fields: every name in "double a_s, b_s[2];" that is a time, and gains; what a run costs the host is neither
names=$(sed 's://.*::; s:/\*.*::' "$@" | grep -E '^ *(const )?double ' | tr ',;' '\n\n' |
    sed 's/^.*[ *]//; s/\[.*//' | grep -E '_s$|^gain$' |
    grep -vxE 'wall_s|cpu_s|chain_floor_s|splits_s|latency_s|alpha_s' | sort -u | tr '\n' '|' | sed 's/|$//')
[ "$(echo "$names" | tr '|' '\n' | wc -l)" -ge 10 ] || { echo "found only these names: $names"; exit 1; }
find sim/study sim/report sim/sweep sim/cli -name '*.c' ! -name 'gates_*' | sort | xargs awk -v names="$names" '
# statements, whatever lines they span
FNR == 1 { statement = "" }
{
    line = $0
    sub(/\/\/.*/, "", line)
    if (statement == "")
        first = FNR
    statement = statement " " line
}
line ~ /[;{}] *$/ {
    prints = statement ~ /json_(key_)?number|json_format|unit_format|buf_printf|table_cell|table_paragraph|printf *\(/
    if (prints && statement !~ /err_(set|at)|claim_|figures?(_cell)?\(/ &&
        statement !~ /place_[xy]\(/ && statement ~ ("(->|\\.)(" names ")[^A-Za-z0-9_.]")) {
        print FILENAME ":" first ": prints a number of the model or the engine; make it a claim (gates/claim.h)"
        failed = 1
    }
    statement = ""
}
END { exit failed }'
# Reports are handed claims; an outcome or the model has no business there.
if grep -nE 'struct outcome[ *]|"model/|"sim/(engine|cli)/' sim/report/*.c sim/report/*.h; then
    echo "sim/report: takes claims, not outcomes"
    exit 1
fi
