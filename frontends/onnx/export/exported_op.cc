// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/export/exported_op.h"

#include <algorithm>
#include <cstdlib>

#include "frontends/onnx/element_types.h"

namespace cutset::onnx {

Result<ExportedOp> ExportedOp::make(const ListedOp& op, ExportedFunction& function) {
  const OpInfo* info = find_op(op.name);
  if (!info) return execution_failed("there is no op '" + op.name + "'");
  CUTSET_ASSIGN(auto ranges, operand_ranges(*info, op.attributes, op.operands.size()));
  return ExportedOp(op, *info, std::move(ranges), function);
}

std::vector<std::string> ExportedOp::all() const {
  std::vector<std::string> names;
  for (const int v : op_.operands) names.push_back(function_.names[static_cast<size_t>(v)]);
  return names;
}

const HostTensor* ExportedOp::known(size_t entry) const {
  const ListedOp* source = maker(entry);
  return source ? source->elements.get() : nullptr;
}

const AttrValue& ExportedOp::attribute(const char* name) const {
  for (const auto& [its, value] : op_.attributes)
    if (its == name) return value;
  for (const AttrField& field : info_.schema.fields)
    if (std::string_view(field.name) == name) return field.value;
  std::fprintf(stderr, "cutset: an exporter reads the attribute '%s', which '%s' does not have\n", name,
               info_.name);
  std::abort();
}

int64_t ExportedOp::axis() const {
  const int64_t axis = number("axis");
  return axis < 0 ? axis + type(0).rank() : axis;
}

std::string ExportedOp::whole(int64_t value) {
  HostTensor element({DType::i64, {}});
  element.as<int64_t>()[0] = value;
  return constant(std::move(element));
}

std::string ExportedOp::scalar(DType type, double value) {
  HostTensor element({type, {}});
  element.set(0, value);
  return constant(std::move(element));
}

std::string ExportedOp::list(const std::vector<int64_t>& numbers) {
  return constant(HostTensor({static_cast<int64_t>(numbers.size())}, numbers));
}

std::string ExportedOp::size(const Size& size) {
  if (size.is_fixed()) return list({size.rest});
  std::string& name = function_.sizes[size];
  if (!name.empty()) return name;
  const SizedFunction& sized = function_.sized;
  const ListedInput& input = sized.function.inputs[*sized.batch_input];
  if (size == Size{1, 0}) {
    const int64_t dimension = *input.batch_dimension;
    return name = node("Shape", {input.name}, {{"start", dimension}, {"end", dimension + 1}});
  }
  std::string product = this->size({1, 0});
  if (size.per_sample != 1) product = node("Mul", {product, list({size.per_sample})});
  if (size.rest != 0) product = node("Add", {product, list({size.rest})});
  return function_.sizes[size] = product;
}

std::string ExportedOp::list_of(const Sizes& sizes) {
  std::vector<int64_t> fixed;
  ValueNames parts;
  for (const Size& size : sizes) fixed.push_back(size.rest);
  if (std::all_of(sizes.begin(), sizes.end(), [](const Size& size) { return size.is_fixed(); }))
    return list(fixed);
  for (const Size& size : sizes) parts.push_back(this->size(size));
  return parts.size() == 1 ? parts[0] : node("Concat", parts, {{"axis", int64_t{0}}});
}

std::string ExportedOp::product_of(const Sizes& sizes) {
  int64_t fixed = 1;
  std::string product;
  for (const Size& size : sizes) {
    if (size.is_fixed()) fixed *= size.rest;
    if (!size.is_fixed())
      product = product.empty() ? this->size(size) : node("Mul", {product, this->size(size)});
  }
  if (product.empty()) return constant(HostTensor::scalar(fixed));
  if (fixed != 1) product = node("Mul", {product, list({fixed})});
  return node("Squeeze", {product});
}

std::string ExportedOp::select(const std::string& condition, const std::string& x, const std::string& y,
                               DType type) {
  if (type != DType::i1) return node("Where", {condition, x, y});
  return node("Or", {node("And", {condition, x}), node("And", {node("Not", {condition}), y})});
}

std::string ExportedOp::cast(const std::string& value, DType to) {
  return node("Cast", {value}, {{"to", int64_t{onnx_type(to)}}});
}

}  // namespace cutset::onnx
