// The values of a model while it is imported.
#pragma once
#include <cutset/host_tensor.h>
#include <cutset/tensor.h>

#include <memory>

namespace cutset::onnx {

// A value of a model: a tensor of the graph, elements that are known while the graph is built, or both. The default is
// a value that does not exist, such as an optional input that a node leaves out.
struct Value {
  Value() = default;
  Value(Tensor t) : tensor(std::move(t)) {}
  Value(HostTensor elements) : known(std::make_shared<const HostTensor>(std::move(elements))) {}
  // Whether the value exists.
  explicit operator bool() const { return tensor || known; }
  const TensorType& type() const { return tensor ? tensor.type() : known->type(); }

  Tensor tensor;                            // empty until the graph needs elements that are known
  std::shared_ptr<const HostTensor> known;  // null if the elements are computed when the program runs
  bool is_weight = false;     // whether `known` becomes a variable when the graph needs it, and not a constant
  bool from_weights = false;  // whether `known` was computed from the first values of weights
  bool from_inputs = false;   // whether `known` follows from elements of ImportOptions::known
  int id = -1;                // its index in the table of values (value_table.h); -1 if the table does not have it
};

}  // namespace cutset::onnx
