#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What one call costs: engines.sh [MOESIM] [RANKS..]. Prints, as one table of Markdown over the engines in ENGINES, user
# CPU seconds and peak memory of the whole program, and the exponent of cost against ranks, fitted by least squares to
# the logarithms of all sizes that ended and took 20 ms or more; asserts nothing. Pairs are log-normal (sigma 1) or
# equal, groups of 8, no per-message cost. `-`: no end in ENGINES_LIMIT CPU seconds; larger sizes are not tried then.
set -euo pipefail
moesim=${1:-moesim}
shift || true
[ $# -gt 0 ] || set -- 128 256 512
limit=${ENGINES_LIMIT:-600} # CPU seconds of a process
ulimit -t "$limit"
engines=${ENGINES:-fluid simgrid bound}

echo "$(date -u +%F), $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2-), $(nproc) processors"

# STRATEGY WINDOW OVERSUBSCRIPTION ROUTING RANKS ENGINE: "seconds megabytes", or "- -" where the limit was not enough
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
        --engine "$6" --timeout "$limit" --format json >/dev/null 2>&1; then
        awk '{ printf "%s %.0f\n", $1, $2 / 1024 }' "$log"
    else
        echo "- -"
    fi
    rm -f "$log"
}

# Fits seconds = c x ranks^p to "ranks seconds" on each line; prints p, or "-" for fewer than two.
exponent() {
    awk '$2 >= 0.02 { n++; x = log($1); y = log($2); sx += x; sy += y; sxx += x * x; sxy += x * y }
        END { if (n > 1) printf "%.1f", (n * sxy - sx * sy) / (n * sxx - sx * sx); else printf "-" }'
}

printf '| engine | call | window | uplinks |'
printf ' %s ranks |' "$@"
printf ' exponent |\n|---|---|---|---|'
printf '%s' "$(printf -- '---|%.0s' "$@")"
printf -- '---|\n'
for engine in $engines; do
    for routing in skewed uniform; do
        for strategy in one-hop two-hop; do
            for window in 1 4 8 all; do
                for over in 1 2; do
                    line="" points="" late=""
                    for ranks in "$@"; do
                        seconds=- megabytes=-
                        [ -n "$late" ] || read -r seconds megabytes <<<"$(cost $strategy $window $over $routing \
                            "$ranks" "$engine")"
                        if [ "$seconds" = - ]; then
                            late=1
                            line+=" - |"
                        else
                            line+=" $seconds s, $megabytes MB |"
                            points+="$ranks $seconds"$'\n'
                        fi
                    done
                    echo "| $engine | $routing $strategy | $window | $over:1 |$line $(exponent <<<"$points") |"
                done
            done
        done
    done
done
