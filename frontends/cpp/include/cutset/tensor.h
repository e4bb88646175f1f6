// A tensor of a graph: a handle to a value that the program will compute. It has no data; Session::run returns data as
// HostTensors (<cutset/host_tensor.h>).
#pragma once
#include <cutset/types.h>

#include <concepts>
#include <cstdint>
#include <memory>
#include <source_location>

namespace cutset {

class Graph;
class GraphState;

// A handle that is cheap to copy and keeps its graph alive. It belongs to one thread at a time, together with its
// graph.
class Tensor {
 public:
  // An empty Tensor. It stands for an optional operand that is left out; any other use of it throws a cutset::Error.
  Tensor() = default;
  // Whether the Tensor is not empty.
  explicit operator bool() const { return graph_ != nullptr; }
  // The element type and the shape. An empty Tensor has the default type.
  const TensorType& type() const { return type_; }
  const Shape& shape() const { return type_.shape; }
  DType dtype() const { return type_.dtype; }

  // Only the functions of this library that build graphs use the members below: the state of the graph, and the id of
  // the value in it.
  Tensor(std::shared_ptr<GraphState> graph, int value, TensorType type)
      : graph_(std::move(graph)), value_(value), type_(std::move(type)) {}
  const std::shared_ptr<GraphState>& graph() const { return graph_; }
  int value() const { return value_; }

 private:
  std::shared_ptr<GraphState> graph_;
  int value_ = -1;
  TensorType type_;
};

// An operand of an operator, with the line of the expression. Operators cannot have default arguments, so the type of
// the operand captures the line. Tensors convert to Located.
struct Located {
  // An operand, and the line of the expression.
  Located(const Tensor& t, std::source_location w = std::source_location::current()) : tensor(t), where(w) {}
  const Tensor& tensor;        // valid until the end of the expression
  std::source_location where;  // the line that errors name
};
// Arithmetic, element by element: add, sub, mul, div and neg of <cutset/ops.h>. The operands have the same element
// type, and their shapes broadcast by the rules of NumPy; otherwise the operator throws.
Tensor operator+(const Located& x, const Located& y);
Tensor operator-(const Located& x, const Located& y);
Tensor operator*(const Located& x, const Located& y);
Tensor operator/(const Located& x, const Located& y);
Tensor operator-(const Located& x);

// A number that an operator combines with a tensor, with the line of the expression. It gets the element type of the
// tensor: for an f32 tensor x, `x * 0.5` multiplies by 0.5 in f32, and in f64 if the program is compiled for f64. A
// number that the type does not have (0.5 or 2^40 with an i32) throws a cutset::Error; <cutset/constants.h> lists the
// cases.
struct Number {
  // Any integer or floating-point number except bool.
  template <class T>
    requires(std::integral<T> || std::floating_point<T>) && (!std::same_as<T, bool>)
  Number(T v, std::source_location w = std::source_location::current())
      : value(static_cast<double>(v)), exact(is_exact(v)), where(w) {}
  double value;                // the number, rounded to a double
  bool exact;                  // whether `value` is the number that was written; integers beyond 2^53 are not
  std::source_location where;  // the line that errors name

 private:
  template <class T>
  static bool is_exact(T v) {
    if constexpr (std::integral<T>) {
      constexpr uint64_t kLimit = uint64_t{1} << 53;
      return v < 0 ? -static_cast<int64_t>(v + 1) < static_cast<int64_t>(kLimit) : static_cast<uint64_t>(v) <= kLimit;
    }
    return true;
  }
};
// Arithmetic with a number, which broadcasts to every element of the tensor.
Tensor operator+(const Located& x, const Number& y);
Tensor operator-(const Located& x, const Number& y);
Tensor operator*(const Located& x, const Number& y);
Tensor operator/(const Located& x, const Number& y);
Tensor operator+(const Number& x, const Located& y);
Tensor operator-(const Number& x, const Located& y);
Tensor operator*(const Number& x, const Located& y);
Tensor operator/(const Number& x, const Located& y);

}  // namespace cutset
