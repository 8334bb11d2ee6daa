#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The comment at the head of each header says what units, errors and ownership hold: headers.sh SOURCE_DIR. One that
# says that there are no errors declares no function with any.
set -eu
cd "$1"
find platforms workloads model gates validation sim -name '*.h' | sort | xargs awk '
    function finish() {
        if (!file) return
        headers++
        missing = ""
        for (i = 1; i <= 3; i++)
            if (index(head, " * " word[i] ":") == 0 && index(head, word[i] ":") == 0)
                missing = missing " " word[i]
        if (head ~ /Errors:[ \n*]*none\./ && body ~ /enum rc [a-z_0-9]+\(|struct err \*/) {
            print file ": the head comment says that there are no errors, a function has some"
            failed = 1
        }
        if (missing != "") {
            print file ": the head comment does not state:" missing
            failed = 1
        }
    }
    BEGIN { split("Units Errors Ownership", word, " ") }
    FNR == 1 { finish(); file = FILENAME; head = body = ""; reading = 1 }
    reading && /^#ifndef/ { reading = 0 }
    reading { head = head $0 "\n" }
    !reading && !/^ *\/\*/ { body = body $0 "\n" }
    END {
        finish()
        if (headers < 100) {
            print "headers.sh: only " headers + 0 " headers found"
            failed = 1
        }
        exit failed
    }'
