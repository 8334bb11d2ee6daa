#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds in a Debian 13 root, runs the unit and golden tests there and compares wire times with those of this machine's
# build: debian13.sh [FOLDER_OF_ROOT]. Needs to be root, debootstrap, a Debian mirror in the configuration of apt, and
# build-dev/ or build/ of this machine. The folder is kept for the next time.
set -euo pipefail
cd "$(dirname "$0")/.."
root=${1:-/var/tmp/moesim-debian13}
here=build-dev/sim/moesim
[ -x "$here" ] || here=build/sim/moesim
[ -x "$here" ] || { echo "debian13.sh: no build-dev/sim/moesim or build/sim/moesim to compare with" >&2; exit 1; }

mirror() {
    find /etc/apt -name '*.list' -o -name '*.sources' | sort | xargs cat |
        awk '$1 == "URIs:" || $1 == "deb" {
                 for (i = 2; i <= NF; i++)
                     if (!found && $i ~ /^https?:.*\/debian\/?$/)
                         found = $i
             }
             END { print found }'
}

inside() {
    chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"
}

make_root() {
    local uri
    uri=$(mirror)
    [ -n "$uri" ] || { echo "debian13.sh: apt's configuration names no Debian mirror" >&2; exit 1; }
    [ -e "$root/etc/debian_version" ] || debootstrap --variant=minbase trixie "$root" "$uri" >&2
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
    trap 'umount "$root/proc"' EXIT
    inside apt-get update -qq
    inside apt-get install -y -qq --no-install-recommends gcc g++ cmake make pkg-config git libsimgrid-dev libyaml-dev \
        libmd-dev libjansson-dev libcminpack-dev libopenmpi-dev openmpi-bin libcmocka-dev procps \
        python3 >/dev/null
}

copy_sources() {
    mkdir -p "$root/src"
    git ls-files -z | tar -cf - --null -T - | tar -xf - -C "$root/src"
}

# Commands whose JSON is compared: all times. With more flows than SIM_SIMGRID_FLOWS (sim/engine/engine.h) SimGrid would
# not play them.
most_flows=$(sed -n 's/.*SIM_SIMGRID_FLOWS = \([0-9]*\).*/\1/p' sim/engine/engine.h)
commands=(
    "simulate --set platform.groups=2"
    "simulate --platform h800 --workload terrace-reference"
    "compare --platform synthetic --workload terrace-reference --set platform.groups=2"
    "compare --platform dgx-h100 --workload terrace-reference --set platform.groups=4"
    "simulate --platform synthetic-racks --workload terrace-reference --set platform.ratio=8 --set platform.groups=8"
)

compare_times() {
    for command in "${commands[@]}"; do
        # shellcheck disable=SC2086
        "$here" $command --format json >"$root/tmp/here.json"
        # shellcheck disable=SC2086
        inside /src/build-dev/sim/moesim $command --format json >"$root/tmp/there.json"
        python3 - "$root/tmp/here.json" "$root/tmp/there.json" "$command" "$most_flows" <<'PYTHON'
import json, sys

def times(value, path=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            if key != "engine":
                yield from times(inner, path + "." + key)
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from times(inner, f"{path}.{i}")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        if any(part.endswith("_s") or part == "wire" for part in path.split(".")):
            yield path, value

def flows(value):
    if isinstance(value, dict):
        yield from [value["engine"]["flows"]] if "flows" in (value.get("engine") or {}) else []
        for inner in value.values():
            yield from flows(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from flows(inner)

documents = [json.load(open(path)) for path in sys.argv[1:3]]
here, there = (dict(times(document)) for document in documents)
most = max(flows(documents[0]))
worst = max((abs(here[p] - there[p]) / max(abs(here[p]), 1e-300) for p in here if p in there), default=1.0)
wires = sum("wire" in path for path in here)
print(f"{sys.argv[3]}: {len(here)} times, {wires} of the wire, largest relative difference {worst:.3g}, {most} flows")
sys.exit(not (most <= int(sys.argv[4]) and here.keys() == there.keys() and wires > 0 and worst <= 1e-9))
PYTHON
    done
}

make_root
copy_sources
inside sh -c 'cd /src && cmake --preset dev >/dev/null && make -C build-dev -j2' >"$root/tmp/build.log" 2>&1 ||
    { grep -E 'error|warning' "$root/tmp/build.log" >&2; exit 1; }
inside sh -c 'cd /src && pkg-config --modversion simgrid && ctest --preset dev -j2 -L "unit|golden"' |
    awk '!/^ +Start |Passed/' # pipefail: the status is that of ctest
compare_times
