#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Time and memory of routing: 1024 ranks x 4096 tokens x top 8 into all matrices, and a long JSON Lines log.
# usage: tests/bench/workloads.sh PATH_TO_MOESIM [MB_OF_LOG]
set -eu
moesim=$(realpath "$1")
megabytes=${2:-100}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# CPU seconds and peak resident MB of a command
measure() {
    name=$1
    shift
    python3 - "$name" "$@" <<'PY'
import resource, subprocess, sys
subprocess.run(sys.argv[2:], check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print("%-44s %6.2f s CPU %7.1f MB" % (sys.argv[1], used.ru_utime + used.ru_stime, used.ru_maxrss / 1024))
PY
}

big="--set platform.groups=128 --set workload.experts=1024 --set workload.tokens_per_rank=4096"
# matrix to /dev/null: what is measured is drawing and counting, and one dense copy per file
mkdir "$folder/out"
for kind in "routing.source=uniform" "routing.rho_max=4"; do
    # shellcheck disable=SC2086
    measure "1024 ranks x 4096 x 8, $kind" "$moesim" matrix --platform dgx-h100 $big \
        --set workload.$kind -o "$folder/out"
done

python3 - "$folder/log.jsonl" "$megabytes" <<'PY'
import random, sys
random.seed(1)
line = ('{"type":"route","req_id":"r%d","token_idx":%d,"layer":%d,"topk_ids":%s,"topk_weights":'
        '[0.1671, 0.1523, 0.1391, 0.1262, 0.1171, 0.1084, 0.0991, 0.0907]}\n')
size, i = 0, 0
with open(sys.argv[1], "w") as f:
    while size < int(sys.argv[2]) << 20:
        block = []
        for _ in range(2000):
            block.append(line % (i // 512, i % 512, i % 4, random.sample(range(64), 8)))
            i += 1
        text = "".join(block)
        size += len(text)
        f.write(text)
PY
measure "$megabytes MB of JSON Lines" "$moesim" workload show --trace "$folder/log.jsonl" --experts 64 \
    --top-k 8
