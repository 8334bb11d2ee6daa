#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Sizes and words: size.sh SOURCE_DIR. Prints files, lines and calls that are not allowed, and fails.
set -eu
cd "$1"
find platforms workloads model gates validation sim tests .ci \
    \( -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.sh' -o -name CMakeLists.txt \) -type f | sort |
    xargs awk '
function wrong(line, why) {
    print file ":" line ": " why
    failed = 1
}
function end_of_file(    most) {
    most = file ~ /\.h$/ ? 150 : 500
    if (lines > most)
        wrong(lines, lines " lines, at most " most)
}
FNR == 1 {
    if (file != "")
        end_of_file()
    file = FILENAME
    code = file ~ /\.(c|h|cpp)$/
}
{ lines = FNR }
length($0) > 120 { wrong(FNR, length($0) " columns, at most 120") }
/[ \t]$/ { wrong(FNR, "ends in a blank") }
file !~ /tests\/lint\/size\.sh$/ && /TODO|FIXME|XXX/ && !/TODO\([0-9]+\)/ && !/-XXXXXX/ {
    wrong(FNR, "a TODO needs the number of its issue: TODO(12)")
}
code && match($0, /(^|[^A-Za-z0-9_])(v?sprintf|strcpy|strcat|strtok|gets|atoi|atol|atof|setlocale) *\(/) {
    wrong(FNR, "banned function" substr($0, RSTART, RLENGTH))
}
END {
    end_of_file()
    exit failed
}'
