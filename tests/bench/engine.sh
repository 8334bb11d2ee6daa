#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the simulations named in the budgets cost: engine.sh [MOESIM]. Prints flows, wall and CPU
# seconds and peak memory; asserts nothing. MOESIM is the program, otherwise the one in the PATH.
set -eu
moesim=${1:-moesim}

# NAME OPTIONS..: the numbers of the "engine" object
measure() {
    name=$1
    shift
    "$moesim" simulate "$@" --format json | tr -d ' \n' | tr ',{}' '\n\n\n' |
        awk -F: -v name="$name" '
        { value[$1] = $2 }
        END {
            printf "%-48s %8d flows %8.3f s wall %8.3f s CPU %7.1f MB\n", name, value["\"flows\""],
                value["\"wall_s\""], value["\"cpu_s\""], value["\"peak_rss_bytes\""] / 1e6
        }'
}

measure "default job (64 ranks, OLMoE routing)"
for platform in synthetic terrace-a dgx-h100; do
    measure "128 ranks uniform, both strategies, $platform" \
        --platform "$platform" --workload terrace-reference --set platform.groups=16
done
measure "128 ranks uniform, all at once" \
    --platform synthetic --workload terrace-reference --window all
measure "128 ranks uniform, one message at a time" \
    --platform synthetic --workload terrace-reference --window 1
