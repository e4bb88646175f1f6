// A tensor of a graph: a handle to a value that the program will compute, cheap to copy.
#pragma once
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

}  // namespace cutset
