// SPDX-License-Identifier: Apache-2.0
// How this backend runs the launches of backends/portable, and what its own kernels have in common.
#pragma once
#include "backends/opencl/device.h"
#include "backends/portable/launches.h"

namespace cutset::opencl {

using namespace portable;

// `items` work-items in up to three dimensions, each a group of its own, so that the kernel needs no check of
// bounds.
Grid items(int64_t x, int64_t y = 1, int64_t z = 1);

}  // namespace cutset::opencl
