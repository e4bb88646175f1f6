// SPDX-License-Identifier: Apache-2.0
// Makes batches from samples. Samples are either rows of tensors in memory (count_rows, gather_rows), or
// separate tensors that are stacked (RowStack). A sample may consist of several tensors, each with a name.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ir/core/result.h"
#include "runtime/files/host_tensor.h"

namespace cutset {

// Returns the number of rows: the size of axis 0, which must be the same for all tensors. Fails if there is
// no tensor, if a tensor is a scalar, or if the numbers of rows differ or are 0.
Result<int64_t> count_rows(const std::map<std::string, HostTensor>& tensors);

// Returns a tensor of the given rows of `tensor`, in this order. Every row number must be in range.
HostTensor gather_rows(const HostTensor& tensor, const std::vector<int64_t>& rows);

// Stacks `rows` samples along a new axis 0. All samples must have the names, element types and shapes of the
// first sample.
class RowStack {
 public:
  explicit RowStack(int64_t rows) : rows_(rows) {}
  // Appends one sample. `number` is the number of the sample in the data set, for error messages. Fails if
  // the sample differs from the first sample in names or types, if it has no tensor, or if the stack is full.
  Status add(int64_t number, const std::map<std::string, HostTensor>& sample);
  // Returns the stacked tensors. Call it once, after `rows` calls of add().
  std::map<std::string, HostTensor> batch() && { return std::move(batch_); }

 private:
  int64_t rows_, filled_ = 0;                // the rows of the batch, and how many of them are filled
  int64_t first_ = 0;                        // the number of the first sample
  std::map<std::string, TensorType> types_;  // the types of the tensors of one sample
  std::map<std::string, HostTensor> batch_;
};

}  // namespace cutset
