#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing, builds the program (release) and runs `moesim simulate` with the arguments given.
set -euo pipefail
cd "$(dirname "$0")/.."
sim/install_packages.sh gcc g++ cmake make pkg-config git \
    libsimgrid-dev libyaml-dev libmd-dev libjansson-dev libcminpack-dev libopenmpi-dev >&2
cmake --preset release -DBUILD_TESTING=OFF >&2
cmake --build build --parallel "$(nproc)" >&2
exec build/sim/moesim simulate "$@"
