// Constants of a graph, and the arithmetic of tensors and numbers.
#include <cutset/graph.h>

#include <cmath>

#include "frontends/cpp/append.h"
#include "frontends/cpp/graph_state.h"

namespace cutset {
namespace {

// The value is an attribute in double precision beside an operand that is read for its type: a program that is
// compiled for f64 gets the number as it was written.
Tensor scalar(const std::shared_ptr<GraphState>& graph, DType dtype, const Number& value) {
  auto refuse = [&](const std::string& why) { raise(invalid_argument(why), value.where); };
  if (!is_dtype(dtype) || dtype == DType::i1)
    refuse(is_dtype(dtype) ? "a number cannot stand beside a tensor of i1" : "there is no such element type");
  if (!value.exact) refuse("the integer is beyond 2^53, which a number beside a tensor does not hold exactly");
  HostTensor held({dtype, {}});
  held.set(0, value.value, value.where);
  if (std::isfinite(value.value) && !std::isfinite(held.at(0)))
    refuse(std::to_string(value.value) + " is too large for " + name_of(dtype));
  const BuiltValue like = check(graph->builder->type_only({dtype, {}}, graph->origin(value.where)));
  return append("fill", {{graph, like.id, like.type}}, {{"value", value.value}}, value.where)[0];
}

Tensor beside(const Located& x, const Number& value) {
  if (!x.tensor)
    raise(invalid_argument("the tensor beside the number is an empty Tensor",
                           "a Tensor is empty until it is assigned, and after it was moved from"),
          x.where);
  return scalar(x.tensor.graph(), x.tensor.dtype(), value);
}

}  // namespace

Tensor Graph::constant(const HostTensor& value, std::source_location where) {
  const BuiltValue v = check(state_->builder->constant(value.type(), value.bytes(), state_->origin(where)), where);
  return {state(), v.id, v.type};
}

Tensor constant(Graph& graph, const Number& value, DType dtype) { return scalar(graph.state(), dtype, value); }
Tensor constant(const Tensor& like, const Number& value) { return beside({like, value.where}, value); }

Tensor operator+(const Located& x, const Located& y) { return add(x.tensor, y.tensor, x.where); }
Tensor operator-(const Located& x, const Located& y) { return sub(x.tensor, y.tensor, x.where); }
Tensor operator*(const Located& x, const Located& y) { return mul(x.tensor, y.tensor, x.where); }
Tensor operator/(const Located& x, const Located& y) { return div(x.tensor, y.tensor, x.where); }
Tensor operator-(const Located& x) { return neg(x.tensor, x.where); }

Tensor operator+(const Located& x, const Number& y) { return add(x.tensor, beside(x, y), x.where); }
Tensor operator-(const Located& x, const Number& y) { return sub(x.tensor, beside(x, y), x.where); }
Tensor operator*(const Located& x, const Number& y) { return mul(x.tensor, beside(x, y), x.where); }
Tensor operator/(const Located& x, const Number& y) { return div(x.tensor, beside(x, y), x.where); }
Tensor operator+(const Number& x, const Located& y) { return add(beside(y, x), y.tensor, y.where); }
Tensor operator-(const Number& x, const Located& y) { return sub(beside(y, x), y.tensor, y.where); }
Tensor operator*(const Number& x, const Located& y) { return mul(beside(y, x), y.tensor, y.where); }
Tensor operator/(const Number& x, const Located& y) { return div(beside(y, x), y.tensor, y.where); }

}  // namespace cutset
