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

// The state of the export of one function.
struct ExportedFunction {
  const SizedFunction& sized;
  ModelBuilder& builder;
  std::vector<std::string> names;          // by value: its name in the model; empty while it has none
  std::vector<const ListedOp*> makers;     // by value: the op that computes the value; null for an input
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
  // Return whether operand `entry` of OpInfo::operands is given, its name in the model, and the names of all
  // operands. An operand that is read only for its type has no name.
  bool has(size_t entry) const { return ranges_[entry].size > 0; }
  const std::string& in(size_t entry) const { return function_.names[value(entry)]; }
  std::vector<std::string> all() const;
  // Return the type of an operand or a result for the batch with which the function was listed, and its
  // sizes.
  const TensorType& type(size_t entry) const { return type_of(value(entry)); }
  const Sizes& sizes(size_t entry) const { return function_.sized.sizes[value(entry)]; }
  const TensorType& result_type(size_t i = 0) const { return type_of(static_cast<size_t>(op_.results[i])); }
  const Sizes& result_sizes(size_t i = 0) const {
    return function_.sized.sizes[static_cast<size_t>(op_.results[i])];
  }
  // Whether an output needs result `i`.
  bool needs(size_t i) const { return function_.needed[static_cast<size_t>(op_.results[i])]; }
  // Returns the op that computes an operand, or null for an input. The functions below take the number of any
  // value of the function.
  const ListedOp* maker(size_t entry) const { return function_.makers[value(entry)]; }
  const ListedOp* maker_of(int value) const { return function_.makers[static_cast<size_t>(value)]; }
  const std::string& name_of(int value) const { return function_.names[static_cast<size_t>(value)]; }
  const TensorType& type_of_value(int value) const { return type_of(static_cast<size_t>(value)); }
  const Sizes& sizes_of(int value) const { return function_.sized.sizes[static_cast<size_t>(value)]; }
  // Returns the elements of an operand if it is a constant, or else null.
  const HostTensor* known(size_t entry) const;

  // Return an attribute, or its default if the op does not have it.
  int64_t number(const char* name) const { return std::get<int64_t>(attribute(name)); }
  double real(const char* name) const { return std::get<double>(attribute(name)); }
  bool flag(const char* name) const { return std::get<bool>(attribute(name)); }
  const std::string& text(const char* name) const { return std::get<std::string>(attribute(name)); }
  const std::vector<int64_t>& numbers(const char* name) const { return std::get<IntList>(attribute(name)); }
  DType dtype(const char* name) const { return std::get<DType>(attribute(name)); }
  // Returns the attribute `axis` as a dimension of the first operand, counted from the front.
  int64_t axis() const;

  // Add nodes (ModelBuilder).
  std::string node(const std::string& op, const ValueNames& operands, const NodeAttributes& attributes = {}) {
    return function_.builder.node(op, operands, attributes);
  }
  ValueNames nodes(const std::string& op, const ValueNames& operands, size_t results,
                   const NodeAttributes& attributes = {}) {
    return function_.builder.nodes(op, operands, results, attributes);
  }
  // Add a constant and return its name: a tensor, a scalar, or a list of whole numbers (i64).
  std::string constant(HostTensor elements) { return function_.builder.constant(std::move(elements)); }
  std::string scalar(DType type, double value);
  std::string whole(int64_t value);  // a scalar of i64
  std::string list(const std::vector<int64_t>& numbers);
  // Return the name of a list of i64 with these sizes, and the name of a scalar of i64 with their product.
  // Nodes compute the values if they depend on the batch.
  std::string list_of(const Sizes& sizes);
  std::string product_of(const Sizes& sizes);
  // Selects x where the condition is true, and y elsewhere. Both have the type `type`. Uses other nodes than
  // Where for truth values, because ONNX Runtime has no such kernel.
  std::string select(const std::string& condition, const std::string& x, const std::string& y, DType type);
  // Converts a value to another element type with ONNX's Cast.
  std::string cast(const std::string& value, DType to);
  // Returns the name of an operand. Converts the operand with ONNX's Cast if it has another element type.
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
  // Returns the name of a list with one number, the size.
  std::string size(const Size& size);

  const ListedOp& op_;
  const OpInfo& info_;
  std::vector<OperandRange> ranges_;
  ExportedFunction& function_;
};

}  // namespace cutset::onnx
