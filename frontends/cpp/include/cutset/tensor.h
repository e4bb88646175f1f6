// A tensor of a graph: a handle to a value that the program will compute, cheap to copy.
#pragma once
#include <concepts>
#include <cstdint>
#include <memory>
#include <source_location>

#include "ir/core/types.h"

namespace cutset {

class Graph;
class GraphState;

// Keeps its graph alive. A default-constructed one stands for "none" where an operand is optional.
class Tensor {
 public:
  Tensor() = default;
  explicit operator bool() const { return graph_ != nullptr; }
  const TensorType& type() const { return type_; }
  const Shape& shape() const { return type_.shape; }
  DType dtype() const { return type_.dtype; }

  // For the functions that build graphs.
  Tensor(std::shared_ptr<GraphState> graph, int value, TensorType type)
      : graph_(std::move(graph)), value_(value), type_(std::move(type)) {}
  const std::shared_ptr<GraphState>& graph() const { return graph_; }
  int value() const { return value_; }

 private:
  std::shared_ptr<GraphState> graph_;
  int value_ = -1;
  TensorType type_;
};

// An operand of an operator, with the line that wrote it: operators cannot take a default argument, so
// the operand's type captures it.
struct Located {
  Located(const Tensor& t, std::source_location w = std::source_location::current()) : tensor(t), where(w) {}
  const Tensor& tensor;
  std::source_location where;
};
Tensor operator+(const Located& x, const Located& y);
Tensor operator-(const Located& x, const Located& y);
Tensor operator*(const Located& x, const Located& y);
Tensor operator/(const Located& x, const Located& y);
Tensor operator-(const Located& x);

// A number beside a tensor, with the line that wrote it. It takes the tensor's element type: `x * 0.5` of an f32
// tensor multiplies by 0.5 in f32, and in f64 where the program is compiled for f64. A number that an integer
// type does not have (0.5, or 2^40 beside an i32) is a cutset::Error.
struct Number {
  template <class T>
    requires(std::integral<T> || std::floating_point<T>) && (!std::same_as<T, bool>)
  Number(T v, std::source_location w = std::source_location::current())
      : value(static_cast<double>(v)), exact(is_exact(v)), where(w) {}
  double value;
  bool exact;  // the double is the number that was written
  std::source_location where;

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
Tensor operator+(const Located& x, const Number& y);
Tensor operator-(const Located& x, const Number& y);
Tensor operator*(const Located& x, const Number& y);
Tensor operator/(const Located& x, const Number& y);
Tensor operator+(const Number& x, const Located& y);
Tensor operator-(const Number& x, const Located& y);
Tensor operator*(const Number& x, const Located& y);
Tensor operator/(const Number& x, const Located& y);

}  // namespace cutset
