// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/functional/number_list.h"

#include <cutset/ops.h>

#include <algorithm>

#include "frontends/cpp/graph/append.h"

namespace cutset {

Tensor list_of(const std::shared_ptr<GraphState>& graph, const std::vector<double>& numbers, DType dtype,
               std::source_location source) {
  // The elements of a constant. It has at most 1 KiB, even in a program that is compiled for f64.
  constexpr size_t kMost = 128;
  std::vector<Tensor> parts;
  for (size_t first = 0; first == 0 || first < numbers.size(); first += kMost) {
    const size_t count = std::min(kMost, numbers.size() - first);
    HostTensor part({dtype, {static_cast<int64_t>(count)}}, source);
    for (size_t i = 0; i < count; ++i) part.set(static_cast<int64_t>(i), numbers[first + i], source);
    parts.push_back(constant_of(graph, part, source));
  }
  return parts.size() == 1 ? parts[0] : concat(parts, {.axis = 0}, source);
}

}  // namespace cutset
