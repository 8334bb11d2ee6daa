#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# An installed program finds its own data, not those of the source tree. usage: install.sh SOURCE_DIR MOESIM
set -eu
build=$(dirname "$(dirname "$2")")
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$build" --prefix "$prefix" >/dev/null
cd /
"$prefix/bin/moesim" platform list | grep -q '^dgx-h100 '
"$prefix/bin/moesim" simulate --strategy one-hop --set platform.groups=2 --format json >"$prefix/out.json"
grep -q "\"file\": \"$prefix/bin/../share/moesim/platforms/dgx_h100.yaml\"" "$prefix/out.json"
"$prefix/bin/moesim" gates --analytic-only | grep -q '^tier1 '
