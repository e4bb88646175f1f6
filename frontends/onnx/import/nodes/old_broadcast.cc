// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/nodes/old_broadcast.h"

#include <cutset/shapes.h>

namespace cutset::onnx {

std::pair<Tensor, Tensor> operands_of(Node& node) {
  const Tensor a = node.in(0), b = node.in(1);
  if (node.opset() >= 7) return {a, b};
  const bool broadcasts = node.number("broadcast", 0) != 0, at_axis = node.has_attribute("axis");
  const int64_t attribute = node.number("axis", 0), rank = a.type().rank(), of_b = b.type().rank();
  const std::string types = to_string(a.type()) + " and " + to_string(b.type());
  if (!broadcasts) {
    if (a.shape() != b.shape())
      invalid("the operands are " + types +
              "; before version 7 of the operator set, they need the attribute "
              "broadcast = 1");
    return {a, b};
  }
  if (b.type().elements() == 1 && !at_axis) return {a, reshape(b, {.shape = {}})};
  const int64_t axis = !at_axis ? rank - of_b : attribute < 0 ? attribute + rank : attribute;
  bool fits = axis >= 0 && of_b <= rank - axis;
  for (int64_t d = 0; fits && d < of_b; ++d) {
    const int64_t size = b.shape()[static_cast<size_t>(d)];
    fits = size == 1 || size == a.shape()[static_cast<size_t>(axis + d)];
  }
  if (!fits)
    invalid("the operands are " + types +
            ", and the second one does not fit the dimensions of the first one from axis " +
            std::to_string(axis) + " on");
  std::vector<int64_t> behind;
  for (int64_t d = of_b; d < rank - axis; ++d) behind.push_back(d);
  return {a, behind.empty() ? b : unsqueeze(b, behind)};
}

}  // namespace cutset::onnx
