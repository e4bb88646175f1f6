// SPDX-License-Identifier: Apache-2.0
// The heads of attention in the models.
#pragma once
#include <cstdint>

namespace cutset::models {

// Throws a cutset::Error unless `heads` divides `width`.
void check_heads(int64_t width, int64_t heads);

}  // namespace cutset::models
