#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Speed of sweep and report, printed, not checked: sweep.sh [PATH_TO_MOESIM] [POINTS OF THE SIMULATED SWEEP]
set -euo pipefail
moesim=${1:-moesim}
points=${2:-200}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

now() { date +%s.%N; }
# NAME COMMAND..: seconds of a command
seconds() {
    local begin
    begin=$(now)
    "${@:2}" >/dev/null
    awk -v a="$begin" -v b="$(now)" -v name="$1" 'BEGIN { printf "%-56s %8.2f s\n", name, b - a }'
}

cat >analytic.yaml <<'SPEC'
schema: moesim/sweep/1
name: analytic
platform: synthetic
workload: terrace-reference
simulate: false
detail: none
axes:
  - {key: platform.ratio, log_range: {from: 1, to: 32, n: 100}}
  - {key: workload.hidden, range: {from: 1024, to: 10240, step: 1024}}
SPEC
seconds "1,000 analytic points, 128 ranks" "$moesim" sweep analytic.yaml -o analytic.jsonl
sed '/^axes/i set: {platform.groups: 4, platform.ranks_per_group: 4}' analytic.yaml >small.yaml
seconds "1,000 analytic points, 16 ranks" "$moesim" sweep small.yaml -o small.jsonl

cat >simulated.yaml <<SPEC
schema: moesim/sweep/1
name: simulated
platform: synthetic
workload: terrace-reference
causes: none
detail: none
axes: [{key: platform.ratio, range: {from: 1, to: 16, n: $points}}]
SPEC
for jobs in 1 2; do
    begin=$(now)
    "$moesim" sweep simulated.yaml -o "simulated-$jobs.jsonl" --jobs "$jobs" >/dev/null
    took[jobs]=$(awk -v a="$begin" -v b="$(now)" 'BEGIN { print b - a }')
done
awk -v n="$points" -v one="${took[1]}" -v two="${took[2]}" 'BEGIN {
    printf "%d simulated points, 128 ranks uniform: %.2f s with 1 job, %.2f s with 2, efficiency %.0f %%\n",
        n, one, two, 100 * one / (2 * two)
}'

for i in 1 2 3 4 5 6 7 8 9 10; do cat analytic.jsonl; done >many.jsonl
seconds "report of 10,000 records" "$moesim" report many.jsonl -o many.html
