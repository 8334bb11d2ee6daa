/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/base/err.h"
