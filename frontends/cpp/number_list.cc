#include "frontends/cpp/number_list.h"

#include <cutset/ops.h>

#include <algorithm>

#include "frontends/cpp/append.h"

namespace cutset {

Tensor list_of(const std::shared_ptr<GraphState>& graph, const std::vector<double>& numbers, DType dtype,
               std::source_location where) {
  constexpr size_t kBytes = 1024;  // the limit of a constant
  const size_t most = kBytes / static_cast<size_t>(size_of(dtype));
  std::vector<Tensor> parts;
  for (size_t first = 0; first == 0 || first < numbers.size(); first += most) {
    const size_t count = std::min(most, numbers.size() - first);
    HostTensor part({dtype, {static_cast<int64_t>(count)}}, where);
    for (size_t i = 0; i < count; ++i) part.set(static_cast<int64_t>(i), numbers[first + i], where);
    parts.push_back(constant_of(graph, part, where));
  }
  return parts.size() == 1 ? parts[0] : concat(parts, {.axis = 0}, where);
}

}  // namespace cutset
