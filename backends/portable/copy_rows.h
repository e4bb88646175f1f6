// SPDX-License-Identifier: Apache-2.0
// Copies rows along an axis from one tensor to another, for slice and concat.
#pragma once
#include "backends/portable/launches.h"
#include "ir/core/rows.h"

namespace cutset::portable {

// Appends a launch that copies rows as copy_rows of ir/core/rows.h does, for elements of `bytes` bytes.
// Appends nothing if there is nothing to copy.
void add_copy_rows(Launches& list, const Blocks& blocks, int64_t bytes, Argument from, int64_t from_rows,
                   int64_t from_start, Argument to, int64_t to_rows, int64_t to_start, int64_t rows);

}  // namespace cutset::portable
