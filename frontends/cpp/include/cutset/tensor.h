// SPDX-License-Identifier: Apache-2.0
// A tensor of a graph: a handle to a value that the program will compute. It has no data; Session::run
// returns data as HostTensors (<cutset/host_tensor.h>).
#pragma once
#include <cutset/types.h>

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>

namespace cutset {

class Graph;
class GraphState;

// A handle that is cheap to copy and keeps its graph alive. It belongs to one thread at a time, together with
// its graph.
class Tensor {
 public:
  // Makes an empty Tensor. It stands for an optional operand that is left out; any other use of it throws a
  // cutset::Error.
  Tensor() = default;
  // Whether the Tensor is not empty. A Tensor does not convert to bool, because `x > 0` is a Tensor whose
  // elements are known only when the program runs.
  bool defined() const { return graph_ != nullptr; }
  // Returns the element type and the shape. An empty Tensor has the default type.
  const TensorType& type() const { return type_; }
  const Shape& shape() const { return type_.shape; }
  DType dtype() const { return type_.dtype; }

  // Only the functions of this library that build graphs use the members below: the state of the graph, and
  // the id of the value in it.
  Tensor(std::shared_ptr<GraphState> graph, int value, TensorType type)
      : graph_(std::move(graph)), value_(value), type_(std::move(type)) {}
  const std::shared_ptr<GraphState>& graph() const { return graph_; }
  int value() const { return value_; }

 private:
  std::shared_ptr<GraphState> graph_;
  int value_ = -1;
  TensorType type_;
};

// A number that is an operand next to a tensor, with the line of the expression. The number gets the element
// type of the tensor: for an f32 tensor x, `x * 0.5` multiplies by 0.5 in f32, and in f64 if the program is
// compiled for f64. A number that the type cannot represent (0.5 or 2^40 for i32) throws a cutset::Error;
// <cutset/constants.h> lists the cases.
struct Number {
  // Takes any integer or floating-point number except bool.
  template <class T>
    requires((std::integral<T> || std::floating_point<T>) && !std::same_as<T, bool>)
  Number(T v, std::source_location w = std::source_location::current())
      : value(static_cast<double>(v)), exact(is_exact(v)), source(w) {}
  double value;  // the number, rounded to a double
  bool exact;    // whether `value` is known to be the number that was written; false for integers beyond 2^53
  std::source_location source;  // the line that errors name

 private:
  template <class T>
  static bool is_exact(T v) {
    if constexpr (std::integral<T>) {
      constexpr uint64_t kLimit = uint64_t{1} << 53;
      return v < 0 ? -static_cast<int64_t>(v + 1) < static_cast<int64_t>(kLimit)
                   : static_cast<uint64_t>(v) <= kLimit;
    }
    return true;
  }
};

// A parameter that takes a tensor or a number: maximum(x, 0). At least one operand of a function is a tensor.
// The number gets the element type of the tensor and broadcasts to every element. If only the condition of
// where() is a tensor, the number is f32. A TensorOrNumber refers to its tensor, so it lives no longer than
// the expression. Operators cannot have default arguments, so their operands capture the line of the
// expression.
class TensorOrNumber {
 public:
  // Makes an optional operand that is left out.
  TensorOrNumber() = default;
  TensorOrNumber(const Tensor& tensor, std::source_location source = std::source_location::current())
      : tensor_(&tensor), source_(source) {}
  template <class T>
    requires((std::integral<T> || std::floating_point<T>) && !std::same_as<T, bool>)
  TensorOrNumber(T number, std::source_location source = std::source_location::current())
      : number_(Number(number, source)), source_(source) {}

  // Returns the number, or nothing if the operand is a tensor.
  const std::optional<Number>& number() const { return number_; }
  // Returns the tensor, or an empty Tensor if the operand is a number or left out.
  Tensor tensor() const;
  // Returns the line of the expression, which errors name.
  const std::source_location& source() const { return source_; }

 private:
  const Tensor* tensor_ = nullptr;
  std::optional<Number> number_;
  std::source_location source_;
};

// These operators compute element by element, as add, sub, mul, div, mod and neg of <cutset/ops.h> do. The
// operands have the same element type, and their shapes broadcast by the rules of NumPy; otherwise the
// operator throws.
Tensor operator+(const TensorOrNumber& x, const TensorOrNumber& y);
Tensor operator-(const TensorOrNumber& x, const TensorOrNumber& y);
Tensor operator*(const TensorOrNumber& x, const TensorOrNumber& y);
Tensor operator/(const TensorOrNumber& x, const TensorOrNumber& y);
Tensor operator%(const TensorOrNumber& x, const TensorOrNumber& y);
Tensor operator-(const TensorOrNumber& x);
// These operators make x the result: after `x += y`, x is the handle of the tensor x + y.
Tensor& operator+=(Tensor& x, const TensorOrNumber& y);
Tensor& operator-=(Tensor& x, const TensorOrNumber& y);
Tensor& operator*=(Tensor& x, const TensorOrNumber& y);
Tensor& operator/=(Tensor& x, const TensorOrNumber& y);
Tensor& operator%=(Tensor& x, const TensorOrNumber& y);
// These operators compare element by element, as less, equal and so on of <cutset/ops.h> do. The result has
// the element type i1.
Tensor operator<(const TensorOrNumber& x, const TensorOrNumber& y);
Tensor operator<=(const TensorOrNumber& x, const TensorOrNumber& y);
Tensor operator>(const TensorOrNumber& x, const TensorOrNumber& y);
Tensor operator>=(const TensorOrNumber& x, const TensorOrNumber& y);
Tensor operator==(const TensorOrNumber& x, const TensorOrNumber& y);
Tensor operator!=(const TensorOrNumber& x, const TensorOrNumber& y);
// These operators combine tensors of i1, or the bits of integers, element by element, as bitwise_and,
// bitwise_or, bitwise_xor and bitwise_not of <cutset/ops.h> do. `!` is for i1 only and throws for other
// types.
Tensor operator&(const TensorOrNumber& x, const TensorOrNumber& y);
Tensor operator|(const TensorOrNumber& x, const TensorOrNumber& y);
Tensor operator^(const TensorOrNumber& x, const TensorOrNumber& y);
Tensor& operator&=(Tensor& x, const TensorOrNumber& y);
Tensor& operator|=(Tensor& x, const TensorOrNumber& y);
Tensor& operator^=(Tensor& x, const TensorOrNumber& y);
Tensor operator~(const TensorOrNumber& x);
Tensor operator!(const TensorOrNumber& x);

}  // namespace cutset
