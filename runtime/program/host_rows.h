// SPDX-License-Identifier: Apache-2.0
// Where the rows of a shard lie in a tensor in host memory. They are contiguous if the batch is the first
// dimension, and otherwise one block per index of the dimensions before it.
#pragma once
#include <cstdint>

#include "runtime/program/program.h"

namespace cutset {

struct HostRows {
  uint64_t offset = 0;             // the first byte
  uint64_t blocks = 1, bytes = 0;  // the number of blocks, and the bytes of each
  uint64_t stride = 0;             // the distance between the first bytes of two blocks

  bool is_contiguous() const { return blocks <= 1 || bytes == stride; }
};

// Returns the rows of a tensor of type `port` that `part` holds. `first` must be a row of `port`, and the
// types must fit (runtime/program/check/instructions.h).
HostRows host_rows(const TensorType& port, const TensorType& part, const FirstRow& first);

// Returns the rows of the host tensor that the command copies. The function must be valid.
HostRows host_rows(const Function& function, const ReadInput& command);
HostRows host_rows(const Function& function, const WriteOutput& command);
// Returns the bytes of staging memory that an instruction needs. Returns 0 if it copies nothing from or to
// the host, or if its rows are contiguous.
uint64_t staging_bytes(const Function& function, const Instruction& instruction);

// Copies the rows of the tensor to `rows`, where they are contiguous.
void copy_rows_from(const HostRows& layout, const void* tensor, void* rows);
// Copies `rows`, where they are contiguous, to the rows of the tensor.
void copy_rows_to(const HostRows& layout, const void* rows, void* tensor);

}  // namespace cutset
