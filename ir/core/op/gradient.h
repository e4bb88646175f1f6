// SPDX-License-Identifier: Apache-2.0
// The gradient of an op in terms of other ops, without MLIR. The function `gradient` of an op folder builds
// it with a GradientBuilder. The pass `differentiate` implements the builder, and appends MLIR ops.
#pragma once
#include <string_view>
#include <vector>

#include "ir/core/attributes.h"
#include "ir/core/types.h"

namespace cutset {

// A handle to a value of the graph that is differentiated. It is valid while the builder that made it lives.
// An empty handle stands for no value.
class GraphValue {
 public:
  GraphValue() = default;
  explicit GraphValue(const void* handle) : handle_(handle) {}
  explicit operator bool() const { return handle_ != nullptr; }
  const void* handle() const { return handle_; }

 private:
  const void* handle_ = nullptr;
};
using GraphValues = std::vector<GraphValue>;

// The op whose gradient is built.
struct Differentiated {
  GraphValues operands, results;
  // The gradient of each result. It is empty if the loss does not depend on the result. At least one gradient
  // is not empty.
  GraphValues gradients;
  const Attributes& attributes;  // for a backward op that takes the same attributes
};

// The function `gradient` of an op returns the gradient of each operand, in the order of the operands. An
// operand without a gradient has an empty entry, and empty entries at the end may be left out. A gradient has
// the type of its operand.
class GradientBuilder {
 public:
  virtual ~GradientBuilder() = default;
  // Appends the op `name`, written without "cutset.", and returns its results. Absent optional operands are
  // left out. An op with several operands that are optional or variadic needs the attribute kOperandSegments.
  // After an error, such as an empty operand, no op is appended and every result is empty, so that gradients
  // need no checks. The builder keeps the error.
  virtual GraphValues op(std::string_view name, const GraphValues& operands,
                         const Attributes& attributes) = 0;
  // Returns the type of a value, or the default type, a scalar, if the value is empty.
  virtual TensorType type(GraphValue value) const = 0;
  // Returns a constant scalar. For an integer type, `value` is truncated towards zero.
  virtual GraphValue constant(DType dtype, double value) = 0;

  // Appends an op and returns its first result.
  GraphValue operator()(std::string_view name, const GraphValues& operands,
                        const Attributes& attributes = {}) {
    const GraphValues results = op(name, operands, attributes);
    return results.empty() ? GraphValue() : results.front();
  }
  // Sums `gradient` to the shape of `operand`, for an operand that was broadcast. Returns `gradient` itself
  // if it has the type of `operand` or is empty.
  GraphValue sum_to_size(GraphValue gradient, GraphValue operand) {
    if (!gradient || type(gradient) == type(operand)) return gradient;
    return (*this)("sum_to_size", {gradient, operand});
  }
};

}  // namespace cutset
