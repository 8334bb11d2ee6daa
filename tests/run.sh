#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing, builds everything with warnings as errors and runs all tests.
# Arguments go to ctest, for example: tests/run.sh -L unit
set -euo pipefail
cd "$(dirname "$0")/.."
sim/install_packages.sh gcc g++ clang-14 cmake make pkg-config git \
    libsimgrid-dev libyaml-dev libmd-dev libjansson-dev libcminpack-dev libopenmpi-dev openmpi-bin libcmocka-dev \
    python3 chromium >&2
cmake --preset dev
cmake --build build-dev --parallel "$(nproc)"
exec ctest --preset dev --no-tests=error --parallel "$(nproc)" "$@"
