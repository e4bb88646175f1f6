// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/rows.h"

#include <cstring>

#include "ir/core/check_types.h"
#include "runtime/files/uninitialized.h"

namespace cutset {
Result<int64_t> count_rows(const std::map<std::string, HostTensor>& tensors) {
  if (tensors.empty()) return invalid_argument("the data set has no tensor");
  int64_t rows = -1;
  for (const auto& [name, t] : tensors) {
    if (t.type().rank() == 0)
      return invalid_argument("tensor '" + name + "' is a scalar", "axis 0 counts the samples");
    if (rows < 0) rows = t.type().shape[0];
    if (t.type().shape[0] != rows)
      return invalid_argument("tensor '" + name + "' has " + std::to_string(t.type().shape[0]) +
                                  " rows, and '" + tensors.begin()->first + "' has " + std::to_string(rows),
                              "axis 0 counts the samples");
  }
  if (rows == 0)
    return invalid_argument("tensor '" + tensors.begin()->first + "' has no row, so there is no sample");
  return rows;
}

HostTensor gather_rows(const HostTensor& tensor, const std::vector<int64_t>& rows) {
  TensorType type = tensor.type();
  const size_t bytes = tensor.bytes().size() / static_cast<size_t>(type.shape[0]);
  type.shape[0] = static_cast<int64_t>(rows.size());
  HostTensor gathered = uninitialized(type);
  if (bytes == 0) return gathered;
  for (size_t i = 0; i < rows.size(); ++i)
    std::memcpy(gathered.data() + i * bytes, tensor.data() + static_cast<size_t>(rows[i]) * bytes, bytes);
  return gathered;
}

Status RowStack::add(int64_t number, const std::map<std::string, HostTensor>& sample) {
  const std::string which = "sample " + std::to_string(number);
  if (sample.empty()) return invalid_argument(which + " has no tensor");
  if (types_.empty()) {
    first_ = number;
    for (const auto& [name, t] : sample) {
      TensorType type = t.type();
      type.shape.insert(type.shape.begin(), rows_);
      if (auto ok = check_type(type); !ok)
        return invalid_argument("a batch of '" + name + "': " + ok.error().what);
      types_.emplace(name, t.type());
      batch_.emplace(name, uninitialized(type));
    }
  }
  if (filled_ >= rows_)
    return invalid_argument(which + " does not fit into the batch, which has " + std::to_string(rows_) +
                            " rows");
  for (const auto& [name, t] : sample) {
    auto type = types_.find(name);
    if (type == types_.end())
      return invalid_argument(which + " has a tensor '" + name + "', and sample " + std::to_string(first_) +
                              " does not have one");
    if (t.type() != type->second)
      return invalid_argument("tensor '" + name + "' of " + which + " is " + to_string(t.type()) +
                                  ", and the tensor of sample " + std::to_string(first_) + " is " +
                                  to_string(type->second),
                              "all samples need the same shape");
    if (t.bytes().empty()) continue;
    std::memcpy(batch_.at(name).data() + static_cast<size_t>(filled_) * t.bytes().size(), t.data(),
                t.bytes().size());
  }
  if (sample.size() != types_.size())
    for (const auto& [name, type] : types_)
      if (!sample.contains(name))
        return invalid_argument(which + " has no tensor '" + name + "', and sample " +
                                std::to_string(first_) + " has one");
  ++filled_;
  return {};
}

}  // namespace cutset
