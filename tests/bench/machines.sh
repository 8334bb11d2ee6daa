#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What a dispatch of 256 tokens a rank costs on shipped machines as they are: machines.sh [MOESIM] [NAME..]. Prints user
# CPU seconds and peak memory of the whole program, uniform and with rho 2, one hop and two; asserts nothing. 8 experts
# a rank; the engine is the program's choice.
set -euo pipefail
moesim=${1:-moesim}
shift || true
names=("$@")
[ $# -gt 0 ] || mapfile -t names < <(cd "$(dirname "$0")/../../platforms" && basename -s .yaml -- *.yaml)
limit=${MACHINES_LIMIT:-60} # CPU seconds of a process
ulimit -t "$limit"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

for name in "${names[@]}"; do
    ranks=$("$moesim" platform show "$name" | grep -oE '[0-9]+ ranks' | awk '$1 > n { n = $1 } END { print n }')
    for routing in source=uniform rho_max=2; do
        for strategy in one-hop two-hop; do
            if /usr/bin/time -f '%U s %M KB' -o "$log" "$moesim" simulate --platform "$name" \
                --workload terrace-reference --set workload.tokens_per_rank=256 \
                --set workload.routing.mode=global_topk --set workload.group_limit=none \
                --set "workload.routing.$routing" --set "workload.experts=$((8 * ranks))" \
                --strategy $strategy --timeout "$limit" --format json >/dev/null 2>"$log.err"; then
                cost=$(tail -1 "$log")
            else
                cost=$(head -c 120 "$log.err" | head -1)
            fi
            printf '%-20s %5d ranks  %-14s %-8s %s\n' "$name" "$ranks" "$routing" $strategy \
                "${cost:-no end in $limit s}"
        done
    done
done
rm -f "$log.err"
