// SPDX-License-Identifier: Apache-2.0
// Adds the ops that control flow needs between the nodes of its bodies: selections by conditions, slices, and
// joined results of iterations.
#pragma once
#include <optional>
#include <string>

#include "frontends/onnx/import/nodes/body.h"

namespace cutset::onnx {

// Throws kInvalidData unless the value is one truth value. `what` names it in errors.
void check_condition(const Value& condition, const std::string& what);
// Returns whether a condition is true, or nothing if this is known only when the program runs. A condition
// that depends on a weight is not known, because a program may run with other values of the weight.
std::optional<bool> known_condition(Node& node, const Value& condition);

// Returns `yes` where the condition is true, and `no` otherwise. `what` names the value in errors. Throws
// kUnsupported if the types differ.
Value select(Node& node, const Value& condition, const Value& yes, const Value& no, const std::string& what);
// Returns the conjunction of two conditions.
Value both(Node& node, const Value& a, const Value& b);

// Returns the slices of a value along `axis`, without this dimension.
Values slices_of(Node& node, const Value& value, int64_t axis);
// Joins the results of iterations along a new dimension `axis`, which may be negative. There must be at least
// one result. Throws kUnsupported if their types differ.
Value join(Node& node, const Values& parts, int64_t axis, const std::string& what);
// Returns zeros of a type. Throws kInvalidData if the type is invalid.
Value zeros(Node& node, const TensorType& type, const std::string& what);

}  // namespace cutset::onnx
