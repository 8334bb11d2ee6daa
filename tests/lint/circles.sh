#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# No circle between files: circles.sh SOURCE_DIR PROGRAM. A file is a source with its header. It leans on another one by
# including its header or by using a name that the other one defines (read from the object files beside PROGRAM).
set -eu
cd "$1"
build=$(cd "$(dirname "$2")/.." && pwd)
folders="platforms workloads model gates validation sim tests/support"
edges=$(mktemp)
trap 'rm -f "$edges"' EXIT

find $folders \( -name '*.[ch]' -o -name '*.cpp' \) | sort | xargs grep -H '^ *# *include "' |
    sed -E 's/^([^:]*)\.(c|h|cpp):.*"(.*)\.h".*/\1 \3/' >"$edges"

# BUILD/FOLDER/CMakeFiles/TARGET.dir/FILE.c.o -> FOLDER/FILE, where FILE.c still exists
objects=$(cd "$build" && find platforms workloads model gates validation sim -path '*.dir/*.o' | sort)
test -n "$objects" || { echo "circles.sh: no object files in $build"; exit 1; }
(cd "$build" && nm -A $objects) | sed -E 's#/CMakeFiles/[^/]*\.dir/#/#; s#\.(c|cpp)\.o: *[0-9a-f]* # #' |
    while read -r file rest; do
        if test -f "$file.c" || test -f "$file.cpp"; then echo "$file $rest"; fi
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

test "$(wc -l <"$edges")" -gt 2000 || { echo "circles.sh: only $(wc -l <"$edges") arrows found"; exit 1; }
loops=$(awk '$1 != $2' "$edges" | sort -u | tsort 2>&1 >/dev/null) || {
    echo "circles between files (each line leans on the next one):"
    echo "$loops"
    exit 1
}
