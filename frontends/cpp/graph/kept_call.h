// SPDX-License-Identifier: Apache-2.0
// Calls of functions that append several ops. A graph keeps them, so that they can be made again for other
// shapes: the ops of such a call may depend on the sizes of its operands.
#pragma once
#include <cutset/tensor.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontends/cpp/bridge/bridge.h"

namespace cutset {

// Returns `x` with f applied to each of its tensors that is not empty. For a struct of operands or results,
// the overload stands next to the function that takes or returns the struct.
template <class F>
Tensor with_each(const Tensor& x, F f) {
  return x.value() < 0 ? x : f(x);
}
template <class F>
std::vector<Tensor> with_each(std::vector<Tensor> all, F f) {
  for (Tensor& x : all) x = with_each(x, f);
  return all;
}
template <size_t kCount, class F>
std::array<Tensor, kCount> with_each(std::array<Tensor, kCount> all, F f) {
  for (Tensor& x : all) x = with_each(x, f);
  return all;
}

// Operands or options in the form in which a call is kept. Their tensors do not refer to their graph, because
// the graph keeps the call.
template <class T>
struct Kept {
  T without_graph;
};
template <class T>
Kept<T> kept(const T& x) {
  return {with_each(x, [](const Tensor& t) { return Tensor(nullptr, t.value(), {}); })};
}

// Finds the tensors of a graph with other shapes that stand for the tensors of the original graph.
class Counterpart {
 public:
  // Returns the type that a value has now; throws if there is none.
  using TypeOf = std::function<TensorType(int value)>;
  Counterpart(std::shared_ptr<GraphState> graph, TypeOf type_of)
      : graph_(std::move(graph)), type_of_(std::move(type_of)) {}
  template <class T>
  T operator()(const Kept<T>& x) const {
    return with_each(x.without_graph,
                     [&](const Tensor& t) { return Tensor(graph_, t.value(), type_of_(t.value())); });
  }
  const std::shared_ptr<GraphState>& graph() const { return graph_; }

 private:
  std::shared_ptr<GraphState> graph_;
  TypeOf type_of_;
};

// A call, with the state of the graph that it reads.
struct KeptCall {
  BuiltPart part;
  // Makes the same call for the counterparts of its operands. Returns its results in the same order, without
  // empty tensors.
  std::function<std::vector<Tensor>(const Counterpart&)> again;
  std::string layer, device;  // the scopes in which the call was made
  int64_t variables = 0;      // GraphState::variables
};

}  // namespace cutset
