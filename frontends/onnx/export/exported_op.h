// SPDX-License-Identifier: Apache-2.0
// An op of a function, as exporters (exporters.h) read it, and the nodes that they make of it.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "frontends/onnx/export/function_sizes.h"
#include "frontends/onnx/export/model_builder.h"
#include "ir/core/op/op_info.h"

namespace cutset::onnx {

// What is known of the function while it is exported.
struct ExportedFunction {
  const SizedFunction& sized;
  ModelBuilder& builder;
  std::vector<std::string> names;          // by value: its name in the model; empty while it has none
  std::vector<const ListedOp*> makers;     // by value: the op that computes it; null for an input
  std::vector<bool> needed;                // by value: whether an output needs its elements
  std::map<Size, std::string> sizes = {};  // names of tensors that hold one size
};

// One op of the function that is exported. It refers to the op and the function, which must outlive it. Not
// thread-safe.
class ExportedOp {
 public:
  // Fails if the operands do not fit the op.
  static Result<ExportedOp> make(const ListedOp& op, ExportedFunction& function);

  const std::string& name() const { return op_.name; }
  // Whether operand `entry` of OpInfo::operands is given, its name in the model, and the names of all
  // operands. An operand that is read only for its type has no name.
  bool has(size_t entry) const { return ranges_[entry].size > 0; }
  const std::string& in(size_t entry) const { return function_.names[value(entry)]; }
  std::vector<std::string> all() const;
  // The type of an operand or a result, for the batch with which the function was listed, and its sizes.
  const TensorType& type(size_t entry) const { return type_of(value(entry)); }
  const Sizes& sizes(size_t entry) const { return function_.sized.sizes[value(entry)]; }
  const TensorType& result_type(size_t i = 0) const { return type_of(static_cast<size_t>(op_.results[i])); }
  const Sizes& result_sizes(size_t i = 0) const {
    return function_.sized.sizes[static_cast<size_t>(op_.results[i])];
  }
  // Whether an output needs result `i`.
  bool needs(size_t i) const { return function_.needed[static_cast<size_t>(op_.results[i])]; }
  // The op that computes an operand, or null for an input. The functions with `value` take the number of any
  // value of the function.
  const ListedOp* maker(size_t entry) const { return function_.makers[value(entry)]; }
  const ListedOp* maker_of(int value) const { return function_.makers[static_cast<size_t>(value)]; }
  const std::string& name_of(int value) const { return function_.names[static_cast<size_t>(value)]; }
  const TensorType& type_of_value(int value) const { return type_of(static_cast<size_t>(value)); }
  const Sizes& sizes_of(int value) const { return function_.sized.sizes[static_cast<size_t>(value)]; }
  // The elements of an operand that is a constant, or null.
  const HostTensor* known(size_t entry) const;

  // The attributes, with their defaults.
  int64_t number(const char* name) const { return std::get<int64_t>(attribute(name)); }
  double real(const char* name) const { return std::get<double>(attribute(name)); }
  bool flag(const char* name) const { return std::get<bool>(attribute(name)); }
  const std::string& text(const char* name) const { return std::get<std::string>(attribute(name)); }
  const std::vector<int64_t>& numbers(const char* name) const { return std::get<IntList>(attribute(name)); }
  DType dtype(const char* name) const { return std::get<DType>(attribute(name)); }
  // The attribute `axis` as a dimension of the first operand, counted from the front.
  int64_t axis() const;

  // Adds nodes (ModelBuilder).
  std::string node(const std::string& op, const ValueNames& operands, const NodeAttributes& attributes = {}) {
    return function_.builder.node(op, operands, attributes);
  }
  ValueNames nodes(const std::string& op, const ValueNames& operands, size_t results,
                   const NodeAttributes& attributes = {}) {
    return function_.builder.nodes(op, operands, results, attributes);
  }
  // The names of constants: elements, a scalar, and a list of whole numbers (i64).
  std::string constant(HostTensor elements) { return function_.builder.constant(std::move(elements)); }
  std::string scalar(DType type, double value);
  std::string whole(int64_t value);  // a scalar of i64
  std::string list(const std::vector<int64_t>& numbers);
  // The name of a list of i64 with these sizes, which nodes compute if they depend on the batch, and that of
  // a scalar of i64 with the product of the sizes.
  std::string list_of(const Sizes& sizes);
  std::string product_of(const Sizes& sizes);
  // x where the condition holds, and y elsewhere, both of this type. ONNX Runtime has no kernel of Where for
  // truth values.
  std::string select(const std::string& condition, const std::string& x, const std::string& y, DType type);
  // A value converted to another element type by ONNX's Cast.
  std::string cast(const std::string& value, DType to);
  // The name of an operand, converted by ONNX's Cast if it has another element type.
  std::string in_as(size_t entry, DType to) {
    return type(entry).dtype == to ? in(entry) : cast(in(entry), to);
  }

 private:
  ExportedOp(const ListedOp& op, const OpInfo& info, std::vector<OperandRange> ranges,
             ExportedFunction& function)
      : op_(op), info_(info), ranges_(std::move(ranges)), function_(function) {}
  size_t value(size_t entry) const { return static_cast<size_t>(op_.operands[ranges_[entry].first]); }
  const TensorType& type_of(size_t value) const { return function_.sized.function.types[value]; }
  const AttrValue& attribute(const char* name) const;
  // The name of a list of one number: a size.
  std::string size(const Size& size);

  const ListedOp& op_;
  const OpInfo& info_;
  std::vector<OperandRange> ranges_;
  ExportedFunction& function_;
};

}  // namespace cutset::onnx
