// SPDX-License-Identifier: Apache-2.0
// The function that the generated functions of <cutset/ops.h> call.
#pragma once
#include <cutset/arguments.h>
#include <cutset/host_tensor.h>
#include <cutset/tensor.h>

#include <source_location>
#include <vector>

#include "ir/core/attributes.h"

namespace cutset {

// Appends the op `op` to the graph of its operands and returns its results. `operands` has one list per name
// of OpInfo::operands: several Tensors of a variadic operand, and otherwise one. An empty Tensor of an
// optional operand is left out. Throws an Error with the line `source` if another operand is empty, if there
// is no operand, if the operands belong to different graphs, or if they do not fit the op.
std::vector<Tensor> append(const char* op, const std::vector<std::vector<Tensor>>& operands,
                           Attributes attributes, std::source_location source);

// Appends an op whose last operands, `alike`, may be numbers. A number becomes a constant with the element
// type of the first tensor among them, or f32 if all of them are numbers. An operand that is left out is an
// empty Tensor. Throws if no operand is a tensor.
std::vector<Tensor> append_beside_numbers(const char* op, const std::vector<Tensor>& before,
                                          const std::vector<TensorOrNumber>& alike,
                                          std::source_location source);

// Returns the sizes per axis of the images x, [n, channels, ...].
std::vector<int64_t> sizes_of(const AxisSizes& sizes, const Tensor& x);

// Throws an Error with the line `source` if `x`, the first operand of the public function `function`, is an
// empty Tensor.
void require_tensor(const Tensor& x, const char* function, std::source_location source);

// Adds a constant with these elements to the graph and returns it.
Tensor constant_of(const std::shared_ptr<GraphState>& graph, const HostTensor& elements,
                   std::source_location source);
// Adds a value that only has a type to the graph of x: an operand of ops that read a shape, such as
// ops::expand. Throws an Error with the line `source` if the type is invalid.
Tensor type_only(const Tensor& x, const TensorType& type, std::source_location source);

}  // namespace cutset
