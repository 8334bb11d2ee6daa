#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# No circle between files: circles.sh SOURCE_DIR PROGRAM. A file is a source with its header. It leans on another one by
# including its header or by using a name that the other one defines (read from the object files beside PROGRAM). Held
# for the folders below; sim/ and validation/ still have circles of their own.
set -eu
cd "$1"
build=$(cd "$(dirname "$2")/.." && pwd)
folders="platforms model gates workloads/records workloads/placement workloads/draw"
edges=$(mktemp)
trap 'rm -f "$edges"' EXIT

find $folders \( -name '*.[ch]' -o -name '*.cpp' \) | sort | xargs grep -H '^ *# *include "' |
    sed -E 's/^([^:]*)\.(c|h|cpp):.*"(.*)\.h".*/\1 \3/' >"$edges"

# BUILD/FOLDER/CMakeFiles/TARGET.dir/FILE.c.o -> FOLDER/FILE, where FILE.c still exists
objects=$(cd "$build" && find platforms workloads model gates -path '*.dir/*.o' | sort)
test -n "$objects" || { echo "circles.sh: no object files in $build"; exit 1; }
(cd "$build" && nm -A $objects) | sed -E 's#/CMakeFiles/[^/]*\.dir/#/#; s#\.(c|cpp)\.o: *[0-9a-f]* # #' |
    while read -r file rest; do
        test -f "$file.c" && echo "$file $rest"
    done | awk '
    $2 ~ /^[TDBRCV]$/ { from[$3] = $1 }
    $2 == "U" { used[$1 " " $3] = 1 }
    END {
        for (u in used) {
            split(u, part, " ")
            if (part[2] in from)
                print part[1], from[part[2]]
        }
    }' >>"$edges"

test "$(wc -l <"$edges")" -gt 300 || { echo "circles.sh: only $(wc -l <"$edges") arrows found"; exit 1; }
held=$(echo "$folders" | tr ' ' '|')
loops=$(grep -E "^($held)/[^ ]* ($held)/" "$edges" | awk '$1 != $2' | sort -u | tsort 2>&1 >/dev/null) || {
    echo "circles between files (each line leans on the next one):"
    echo "$loops"
    exit 1
}
