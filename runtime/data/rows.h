// Batches out of samples: rows that are gathered from tensors in memory, or stacked one by one.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/host_tensor.h"

namespace cutset {

// The number of rows (sizes of axis 0) that all of the tensors have. Fails where there is no tensor, where they
// differ, and on a tensor without an axis or without rows.
Result<int64_t> count_rows(const std::map<std::string, HostTensor>& tensors);

// The rows `rows` of `tensor`, which has them, in this order.
HostTensor gather_rows(const HostTensor& tensor, const std::vector<int64_t>& rows);

// `rows` samples, each of the names, element types and shapes of the first, under a new axis 0.
class RowStack {
 public:
  explicit RowStack(int64_t rows) : rows_(rows) {}
  // Fails on a tensor that is not like the first sample's; `number` is the sample's, for the error.
  Status add(int64_t number, const std::map<std::string, HostTensor>& sample);
  std::map<std::string, HostTensor> batch() && { return std::move(batch_); }

 private:
  int64_t rows_, filled_ = 0, first_ = 0;
  std::map<std::string, TensorType> types_;  // of a sample
  std::map<std::string, HostTensor> batch_;
};

}  // namespace cutset
