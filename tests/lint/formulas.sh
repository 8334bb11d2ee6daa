#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every cited formula exists, every formula names tests that exist: formulas.sh SOURCE_DIR.
set -eu
cd "$1"
formulas=model/FORMULAS.md
failed=0

keys=$(sed -n 's/^### \[\([A-Z][0-9]*\)\].*/\1/p' "$formulas")
[ -n "$keys" ] || { echo "$formulas: no formulas found"; exit 1; }
twice=$(printf '%s\n' "$keys" | sort | uniq -d)
[ -z "$twice" ] || { echo "$formulas: described twice:" $twice; failed=1; }

# "[F2]" anywhere, "F2" after the file's name
cited=$(grep -rnoE --include='*.c' --include='*.h' --include='*.cpp' --include='*.md' \
    '\[[A-Z][0-9]+\]|FORMULAS\.md [A-Z][0-9]+' platforms workloads model gates validation sim tests || true)
unknown=$(printf '%s\n' "$cited" | while IFS=: read -r file line text; do
    key=$(printf '%s' "$text" | sed 's/.*[^A-Z]\([A-Z][0-9][0-9]*\).*/\1/')
    printf '%s\n' "$keys" | grep -qx "$key" || echo "$file:$line: formula $key is not in $formulas"
done)
[ -z "$unknown" ] || { printf '%s\n' "$unknown"; failed=1; }

# key, file, function: one line per test that a formula names
named=$(awk '
/^### \[/ { key = $2; gsub(/[][]/, "", key); test = 0 }
/^Test:/ { test = 1 }
/^$/ { test = 0 }
test {
    n = split($0, words, "`")
    for (i = 2; i <= n; i += 2) {
        if (words[i] ~ /\.c$/)
            file = words[i]
        else
            print key, file, words[i]
    }
}' "$formulas")
for key in $keys; do
    printf '%s\n' "$named" | grep -q "^$key " || { echo "$formulas: [$key] names no test"; failed=1; }
done
missing=$(printf '%s\n' "$named" | while read -r key file function; do
    if [ ! -f "tests/unit/$file" ]; then
        echo "$formulas: [$key]: there is no tests/unit/$file"
    elif ! grep -q "cmocka_unit_test[a-z_]*($function[,)]" "tests/unit/$file"; then
        echo "$formulas: [$key]: tests/unit/$file has no test $function"
    fi
done)
[ -z "$missing" ] || { printf '%s\n' "$missing"; failed=1; }
exit "$failed"
