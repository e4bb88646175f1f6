// SPDX-License-Identifier: Apache-2.0
// Runs the launches of backends/portable, and holds the code that this backend's own kernels share.
#pragma once
#include "backends/opencl/device.h"
#include "backends/portable/launches.h"

namespace cutset::opencl {

using namespace portable;

// Returns a grid of work-items in up to three dimensions. Each work-item is a separate group, so the kernel
// needs no check of bounds.
Grid items(int64_t x, int64_t y = 1, int64_t z = 1);

}  // namespace cutset::opencl
