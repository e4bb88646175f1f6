// A kernel that copies rows along an axis from one tensor to another, for slice and concat.
#pragma once
#include "backends/opencl/launch.h"
#include "ir/core/rows.h"

namespace cutset::opencl {

// Appends a launch that does what copy_rows of ir/core/rows.h does, for elements of `bytes` bytes. Appends nothing if
// there is nothing to copy.
void add_copy_rows(Launches& list, const Blocks& blocks, int64_t bytes, Launches::Argument from, int64_t from_rows,
                   int64_t from_start, Launches::Argument to, int64_t to_rows, int64_t to_start, int64_t rows);

}  // namespace cutset::opencl
