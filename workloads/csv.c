/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/counts.h"
