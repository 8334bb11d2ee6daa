#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What building platforms costs: platforms.sh [MOESIM]. Prints CPU seconds and peak memory of reading a file and
# building its links; asserts nothing. Budgets: 1024 ranks 1 s, 4096 ranks 5 s and 1000 MB.
set -eu
moesim=${1:-moesim}
file=$(mktemp --suffix=.yaml)
trap 'rm -f "$file"' EXIT

# NAME GROUPS RANKS_PER_GROUP FAST SLOW: the keys of both tiers
measure() {
    printf 'schema: moesim/platform/1\nname: bench\ngroups: %s\nranks_per_group: %s\nfast: {%s}\nslow: {%s}\n' \
        "$2" "$3" "$4" "$5" >"$file"
    { /usr/bin/time -f '%U %S %M' "$moesim" platform check "$file" >/dev/null; } 2>&1 |
        awk -v name="$1" '{ printf "%-40s %6.3f s CPU %7.1f MB\n", name, $1 + $2, $3 * 1024 / 1e6 }'
}

fast='bandwidth: 448GBps'
slow='bandwidth: 50GBps'
for groups in 128 512; do
    ranks=$((8 * groups))
    measure "$ranks ranks, switches" $groups 8 "$fast" "$slow"
    measure "$ranks ranks, mesh and rails" $groups 8 "$fast, kind: full-mesh, link_bandwidth: 64GBps" \
        "$slow, kind: rail-optimised, ports: 64"
    measure "$ranks ranks, dragonfly" $groups 8 "$fast" \
        "$slow, kind: dragonfly, routers: 4, router_groups: 4, local_bandwidth: 1TBps, global_bandwidth: 1TBps"
    measure "$ranks ranks, full mesh of groups" $groups 8 "$fast" "$slow, kind: full-mesh, link_bandwidth: 1GBps"
done
measure "1024 ranks, torus" 1 1024 "$fast, kind: torus, dims: 8x8x16, link_bandwidth: 90GBps" "$slow"
measure "4096 ranks, torus" 1 4096 "$fast, kind: torus, dims: 16x16x16, link_bandwidth: 90GBps" "$slow"
measure "1024 ranks, graph" 1 1024 "$fast, kind: graph, links: [$(
    for i in $(seq 1 1023); do printf '{from: %d, to: %d, bandwidth: 50GBps}, ' $(((i - 1) / 2)) "$i"; done |
        sed 's/, $//'
)]" "$slow"
