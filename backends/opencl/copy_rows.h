// Moves rows along an axis between tensors: slice and concat.
#pragma once
#include "backends/opencl/launch.h"
#include "ir/core/rows.h"

namespace cutset::opencl {

// As copy_rows of ir/core/rows.h, for elements of `bytes` bytes.
void add_copy_rows(Launches& list, const Blocks& blocks, int64_t bytes, Launches::Argument from, int64_t from_rows,
                   int64_t from_start, Launches::Argument to, int64_t to_rows, int64_t to_start, int64_t rows);

}  // namespace cutset::opencl
