// SPDX-License-Identifier: Apache-2.0
// The optional table of the device ABI with sums over GPUs and messages between them (group.h).
#pragma once
#include "backends/cuda/device.h"

namespace cutset::cuda {

const cutset_collective_functions& collective_functions();

// Abandons all groups with this device.
void abandon_groups(const Device& device);

}  // namespace cutset::cuda
