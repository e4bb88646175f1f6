// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/values/control_values.h"

#include <cutset/ops.h>
#include <cutset/shapes.h>

#include "ir/core/check_types.h"

namespace cutset::onnx {

void check_condition(const Value& condition, const std::string& what) {
  const TensorType& type = condition.type();
  if (type.dtype != DType::i1 || type.elements() != 1)
    invalid(what + " has the type " + to_string(type) + ", but must be one truth value");
}

namespace {

const Value& folded(Node& node, const Value& value) {
  return value.id < 0 ? value : node.context().folded(value.id);
}

}  // namespace

std::optional<bool> known_condition(Node& node, const Value& condition) {
  const Value& value = folded(node, condition);
  if (!value.known || value.is_weight || value.from_weights) return std::nullopt;
  if (value.from_inputs) node.context().decide(value.id, node.shown_name());
  return value.known->at(0) != 0;
}

Value select(Node& node, const Value& condition, const Value& yes, const Value& no, const std::string& what) {
  if (yes.id >= 0 && yes.id == no.id) return yes;
  if (yes.type() != no.type())
    unsupported(
        what + " has the type " + to_string(yes.type()) + " or " + to_string(no.type()) +
        ", and a condition that is computed when the program runs decides which; give both the same type, or "
        "make the condition known with ImportOptions::known or --known");
  return node.bodies().compute({condition, yes, no}, [](const std::vector<Tensor>& t) -> std::vector<Tensor> {
    return {where(reshape(t[0], {.shape = {}}), t[1], t[2])};
  })[0];
}

Value both(Node& node, const Value& a, const Value& b) {
  return node.bodies().compute({a, b}, [](const std::vector<Tensor>& t) -> std::vector<Tensor> {
    return {bitwise_and(reshape(t[0], {.shape = {}}), reshape(t[1], {.shape = {}}))};
  })[0];
}

Values slices_of(Node& node, const Value& value, int64_t axis) {
  const int64_t length = value.type().shape[static_cast<size_t>(axis)];
  if (length == 0) return {};
  return node.bodies().compute({value}, [axis, length](const std::vector<Tensor>& t) {
    std::vector<Tensor> slices =
        split_with_sizes(t[0], {.axis = axis, .sizes = std::vector<int64_t>(static_cast<size_t>(length), 1)});
    for (Tensor& slice : slices) slice = squeeze(slice, {axis});
    return slices;
  });
}

Value join(Node& node, const Values& parts, int64_t axis, const std::string& what) {
  for (const Value& part : parts)
    if (part.type() != parts[0].type())
      unsupported(what + " has the type " + to_string(parts[0].type()) + " in the first iteration and " +
                  to_string(part.type()) + " in a later one, so its iterations are not one tensor");
  const int64_t at = dimension(axis, parts[0].type().rank() + 1);
  return node.bodies().compute(
      parts, [at](const std::vector<Tensor>& t) -> std::vector<Tensor> { return {stack(t, at)}; })[0];
}

// The graph makes the zeros, so a large type needs no memory here.
Value zeros(Node& node, const TensorType& type, const std::string& what) {
  if (const Status status = check_type(type); !status.ok())
    invalid(what + " has an invalid type: " + status.error().text());
  const Shape shape = type.shape;
  return node.bodies().compute({HostTensor({type.dtype, {}})},
                               [shape](const std::vector<Tensor>& t) -> std::vector<Tensor> {
                                 return {broadcast_to(t[0], shape)};
                               })[0];
}

}  // namespace cutset::onnx
