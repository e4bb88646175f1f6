// SPDX-License-Identifier: Apache-2.0
// The values of a model while it is imported.
#pragma once
#include <cutset/host_tensor.h>
#include <cutset/tensor.h>

#include <memory>
#include <utility>
#include <vector>

#include "frontends/onnx/import/errors.h"

namespace cutset::onnx {

// A value of a model: a tensor of the graph, elements that are known while the graph is built, or both. A
// value may also be a sequence of tensors. The default is a value that does not exist, such as an optional
// input that a node leaves out.
struct Value {
  Value() = default;
  Value(Tensor t) : tensor(std::move(t)) {}
  Value(HostTensor elements) : known(std::make_shared<const HostTensor>(std::move(elements))) {}
  // Makes a sequence of values in the table of values (value_table.h). A sequence exists only while the graph
  // is built.
  explicit Value(std::vector<Value> tensors)
      : sequence(std::make_shared<const std::vector<Value>>(std::move(tensors))) {}
  // Whether the value exists.
  explicit operator bool() const { return tensor.defined() || known || sequence; }
  // Returns the type of the tensor. Throws kUnsupported if the value is a sequence.
  const TensorType& type() const {
    if (sequence) unsupported("a sequence of tensors stands where only a tensor is supported");
    return tensor.defined() ? tensor.type() : known->type();
  }

  Tensor tensor;                            // empty for known elements until the graph needs them
  std::shared_ptr<const HostTensor> known;  // null if the elements are computed when the program runs
  std::shared_ptr<const std::vector<Value>> sequence;  // null: a tensor
  bool is_weight = false;  // whether `known` becomes a variable when the graph needs it, and not a constant
  bool from_weights = false;  // whether `known` was computed from the first values of weights
  bool from_inputs = false;   // whether `known` follows from elements of ImportOptions::known
  int id = -1;  // its index in the table of values (value_table.h); -1 if the table does not have it
};

}  // namespace cutset::onnx
