#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What is said before a run, and what it took: estimate.sh [MOESIM] [RANKS..]. Prints flows, CPU seconds and peak memory
# of the simulating process, estimate and measurement, and their ratios; asserts nothing. The constants in
# sim/study/estimate.c were fitted to its output. SimGrid is tried up to 64 ranks under skew.
set -euo pipefail
moesim=${1:-moesim}
shift || true
[ $# -gt 0 ] || set -- 32 64 128 256
limit=${ESTIMATE_LIMIT:-60} # seconds of a run

echo "$(date -u +%F), $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2-), $(nproc) processors"

# Prints the number behind a key of JSON on stdin, the last one of that name.
number() {
    tr -d ' \n' | tr ',{}' '\n\n\n' | awk -F: -v key="\"$1\"" '$1 == key { x = $2 } END { print x }'
}

# ENGINE ROUTING STRATEGY WINDOW OVERSUBSCRIPTION RANKS
compare() {
    local routing="--set workload.routing.rho_max=1.5 --set workload.routing.pair_sigma=1" asked ran said
    [ "$2" = skewed ] || routing="--set workload.routing.source=uniform"
    asked="--platform synthetic --workload terrace-reference --set workload.tokens_per_rank=256 $routing
        --set workload.routing.mode=global_topk --set workload.group_limit=none --set platform.fast.x_half=0B
        --set platform.slow.x_half=0B --set platform.groups=$(($6 / 8)) --set workload.experts=$((8 * $6))
        --set platform.slow.oversubscription=$5 --strategy $3 --window $4 --engine $1 --timeout $limit --format json"
    # shellcheck disable=SC2086
    said=$("$moesim" simulate $asked --dry-run)
    # shellcheck disable=SC2086
    ran=$("$moesim" simulate $asked 2>/dev/null) || { echo "$*: not within $limit s"; return 0; }
    awk -v name="$*" -v flows="$(number flows <<<"$ran")" -v s="$(number cpu_s <<<"$ran")" \
        -v bytes="$(number peak_rss_bytes <<<"$ran")" -v said_s="$(number cpu_s <<<"$said")" \
        -v said_bytes="$(number peak_rss_bytes <<<"$said")" 'BEGIN {
            printf "%-36s %8d flows  %.4g s, said %.4g (x%.2f)  %.1f MB, said %.1f (x%.2f)\n", name, flows, s, said_s,
                said_s / s, bytes / 1e6, said_bytes / 1e6, said_bytes / bytes
        }'
}

for engine in fluid simgrid; do
    for routing in skewed uniform; do
        for strategy in one-hop two-hop; do
            for window in 1 8 all; do
                for over in 1 2; do
                    for ranks in "$@"; do
                        [ $engine = simgrid ] && [ $routing = skewed ] && [ "$ranks" -gt 64 ] && continue
                        compare $engine $routing $strategy $window $over "$ranks"
                    done
                done
            done
        done
    done
done
