// SPDX-License-Identifier: Apache-2.0
#include <cutset/constants.h>

#include <cmath>

#include "frontends/cpp/graph/append.h"
#include "frontends/cpp/graph/graph_state.h"

namespace cutset {
namespace {

// The value is an attribute of full_like in double precision, and the operand `like` gives the element type.
// A program that is compiled for f64 therefore gets the number as it was written.
Tensor scalar(const std::shared_ptr<GraphState>& graph, DType dtype, const Number& value) {
  auto refuse = [&](const std::string& why) { raise(invalid_argument(why), value.source); };
  if (!is_dtype(dtype) || dtype == DType::i1)
    refuse(is_dtype(dtype) ? "a number cannot be combined with a tensor of type i1"
                           : "there is no such element type");
  if (!value.exact) refuse("an integer operand is stored as a double, so it must be from -2^53 to 2^53");
  HostTensor scalar({dtype, {}});
  scalar.set(0, value.value, value.source);
  if (std::isfinite(value.value) && !std::isfinite(scalar.at(0)))
    refuse(std::to_string(value.value) + " is too large for " + name_of(dtype));
  const BuiltValue like = check(graph->builder->type_only({dtype, {}}, graph->source(value.source)));
  return append("full_like", {{Tensor(graph, like.id, like.type)}}, {{"value", value.value}},
                value.source)[0];
}

}  // namespace

Tensor constant(Graph& graph, const Number& value, DType dtype) {
  return scalar(graph.state(), dtype, value);
}
Tensor constant(const Tensor& like, const Number& value) {
  if (!like.defined())
    raise(invalid_argument("the tensor beside the number is an empty Tensor",
                           "a Tensor is empty until it is assigned, and after it was moved from"),
          value.source);
  return scalar(like.graph(), like.dtype(), value);
}

}  // namespace cutset
