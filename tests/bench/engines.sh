#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What one call costs: engines.sh [MOESIM] [RANKS..]. Prints user CPU seconds and peak memory of the whole program,
# and the exponent of cost against ranks between the first and the last size; asserts nothing. ENGINES_ENGINE names the
# engine, ENGINES_LIMIT the CPU seconds of a process. Pairs are log-normal (sigma 1) or equal, groups of 8, no
# per-message cost. A second list is deepep-ll, a row a message, all in flight.
set -euo pipefail
moesim=${1:-moesim}
shift || true
[ $# -gt 0 ] || set -- 128 256 512
limit=${ENGINES_LIMIT:-600}
ulimit -t "$limit"
engine=${ENGINES_ENGINE:-fluid}

echo "$(date -u +%F), $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2-), $(nproc) processors, engine $engine"

# STRATEGY WINDOW OVERSUBSCRIPTION ROUTING RANKS: "seconds megabytes", or "- -" where the limit was not enough
cost() {
    local routing="--set workload.routing.rho_max=1.5 --set workload.routing.pair_sigma=1" log
    [ "$4" = skewed ] || routing="--set workload.routing.source=uniform"
    log=$(mktemp)
    # shellcheck disable=SC2086
    if /usr/bin/time -f "%U %M" -o "$log" "$moesim" simulate --platform synthetic \
        --workload terrace-reference --set workload.tokens_per_rank=256 $routing \
        --set workload.routing.mode=global_topk --set workload.group_limit=none \
        --set platform.fast.x_half=0B --set platform.slow.x_half=0B --set "platform.groups=$(($5 / 8))" \
        --set "workload.experts=$((8 * $5))" --set "platform.slow.oversubscription=$3" --strategy "$1" --window "$2" \
        --engine "$engine" \
        --timeout "$limit" --format json >/dev/null 2>&1; then
        awk '{ printf "%s %.0f\n", $1, $2 / 1024 }' "$log"
    else
        echo "- -"
    fi
    rm -f "$log"
}

for routing in skewed uniform; do
    for strategy in one-hop two-hop; do
        for window in 1 4 8 all; do
            for over in 1 2; do
                line="" first="" last=""
                for ranks in "$@"; do
                    read -r seconds megabytes <<<"$(cost $strategy $window $over $routing "$ranks")"
                    line+="  $ranks: $seconds s $megabytes MB"
                    [ "$seconds" = - ] || last="$ranks $seconds"
                    first=${first:-$last}
                done
                awk -v name="$routing $strategy, window $window, uplinks $over:1" -v line="$line" \
                    -v a="$first" -v b="$last" '
                BEGIN {
                    split(a, x, " "); split(b, y, " ")
                    if (x[2] > 0 && y[1] > x[1])
                        steep = sprintf("  ~ ranks^%.1f", log(y[2] / x[2]) / log(y[1] / x[1]))
                    gsub(/- s - MB/, "no end", line); printf "%-44s%s%s\n", name, line, steep
                }'
            done
        done
    done
done

log=$(mktemp)
/usr/bin/time -f "%U s %M KB" -o "$log" "$moesim" simulate --platform dgx-h100 --workload terrace-reference \
    --implementation deepep-ll --set platform.groups=16 --set workload.tokens_per_rank=128 \
    --set workload.routing.mode=global_topk --set workload.group_limit=none --window all --engine "$engine" \
    --timeout "$limit" --format json >/dev/null 2>&1 || echo "no end in $limit s" >"$log"
echo "deepep-ll, EP128, 128 tokens a rank, window all:  $(tail -1 "$log")"
rm -f "$log"
