#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Who may include whom, and who may link whom: layers.sh SOURCE_DIR. Prints what crosses the table and fails.
set -eu
cd "$1"

code() {
    find platforms workloads model gates validation sim tests \
        \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) -type f | sort
}

includes=$(code | xargs grep -Hn '^ *# *include' || true)

printf '%s\n' "$includes" | awk -F: '
# folder -> folders it may include from, besides itself
BEGIN {
    may["platforms/base"] = ""
    may["platforms"] = "platforms/base"
    may["workloads/records"] = "platforms platforms/base"
    may["workloads/placement"] = "workloads/records platforms platforms/base"
    may["workloads/draw"] = "workloads/placement workloads/records platforms platforms/base"
    may["workloads"] = "workloads/draw workloads/placement workloads/records platforms platforms/base"
    may["gates"] = "platforms/base"
    may["model"] = "workloads platforms platforms/base"
    may["validation"] = "model workloads platforms platforms/base gates"
    may["validation/mpi"] = "workloads/records platforms/base"
    may["sim/engine"] = "workloads platforms platforms/base"
    may["sim/study"] = "sim/engine validation model gates workloads platforms platforms/base"
    may["sim/report"] = "sim/study validation gates workloads platforms platforms/base"
    may["sim/sweep"] = "sim/report sim/study gates workloads platforms platforms/base"
    may["sim/cli"] = "any"
    may["tests"] = "any"
    for (place in may) # whoever may include the call may include what it is made of
        gsub(/(^| )workloads /, " " "workloads workloads/draw workloads/placement workloads/records ", may[place])
    for (place in may)
        if (system("test -d " place) != 0) {
            print "tests/lint/layers.sh: there is no folder " place
            failed = 1
        }
}
function folder(path,    parts) {
    split(path, parts, "/")
    if (parts[1] "/" parts[2] in may)
        return parts[1] "/" parts[2]
    return parts[1]
}
function wrong(why) {
    print $1 ":" $2 ": " why
    failed = 1
}
function only_in(header, place) {
    if (index(target, header) == 1 && index($1, place) != 1 && from != "tests")
        wrong("<" target "> belongs to " place)
}
NF >= 3 {
    line = $0
    from = folder($1)
    if (match(line, /"[^"]*"/)) {
        target = substr(line, RSTART + 1, RLENGTH - 2)
        into = folder(target)
        if (!(into in may) || target !~ /\//)
            wrong("\"" target "\" is not a path from the top folder")
        else if (into == "tests" && from != "tests")
            wrong("nothing includes tests")
        else if (into != from && may[from] !~ /^any/ && index(" " may[from] " ", " " into " ") == 0)
            wrong(from " may not include " target)
    } else if (match(line, /<[^>]*>/)) {
        target = substr(line, RSTART + 1, RLENGTH - 2)
        only_in("simgrid/", "sim/engine/")
        only_in("xbt/", "sim/engine/")
        only_in("yaml.h", "platforms/base/yaml.c")
        only_in("cmocka.h", "tests/") # tests themselves may include anything
        if (target == "mpi.h" && from != "sim/cli" && from != "validation/mpi")
            wrong("<mpi.h> belongs to sim/cli and validation/mpi")
    }
}
END { exit failed }
' && headers=0 || headers=1

# The same table for the libraries. One library a folder: moesim_library(NAME SOURCES .. USES ..)
find platforms workloads model gates validation sim -name CMakeLists.txt | sort | xargs cat | sed 's/#.*//' |
    tr '\n' ' ' | grep -o 'moesim_library([^)]*)' | tr '()' '  ' | awk '
BEGIN {
    may["moesim_base"] = ""
    may["moesim_platforms"] = "moesim_base"
    may["moesim_records"] = "moesim_platforms moesim_base"
    may["moesim_placement"] = "moesim_records moesim_platforms moesim_base"
    may["moesim_draw"] = "moesim_placement moesim_records moesim_platforms moesim_base"
    may["moesim_workloads"] = "moesim_draw moesim_placement moesim_records moesim_platforms moesim_base"
    may["moesim_gates"] = "moesim_base"
    may["moesim_model"] = "moesim_workloads moesim_platforms moesim_base"
    may["moesim_validation"] = "moesim_model moesim_workloads moesim_platforms moesim_base moesim_gates"
    may["moesim_engine"] = "moesim_workloads moesim_platforms moesim_base PkgConfig::SIMGRID"
    may["moesim_study"] = "moesim_engine moesim_validation moesim_model moesim_gates moesim_workloads"
    may["moesim_report"] = "moesim_study moesim_validation moesim_gates moesim_workloads moesim_platforms moesim_base"
    may["moesim_sweep"] = "moesim_report moesim_study moesim_gates moesim_workloads moesim_platforms moesim_base"
}
{
    name = $2
    found++
    uses = 0
    if (!(name in may)) {
        print name ": this library is not in the table of tests/lint/layers.sh"
        failed = 1
    }
    for (i = 3; i <= NF; i++) {
        if (uses && $i ~ /^moesim_|SIMGRID/ && index(" " may[name] " ", " " $i " ") == 0) {
            print name " may not link " $i
            failed = 1
        }
        uses = uses || $i == "USES"
    }
}
END {
    if (found < 13) {
        print "only " found + 0 " libraries found in the CMakeLists.txt files"
        failed = 1
    }
    exit failed
}' && links=0 || links=1

exit $((headers + links > 0))
