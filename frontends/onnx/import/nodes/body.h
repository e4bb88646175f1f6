// SPDX-License-Identifier: Apache-2.0
// A body: a graph that is an attribute of If, Loop or Scan.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "frontends/onnx/import/nodes/node.h"

namespace cutset::onnx_proto {
class ValueInfoProto;
}  // namespace cutset::onnx_proto

namespace cutset::onnx {

using Values = std::vector<Value>;

class Body {
 public:
  // Throws kInvalidData if the node does not have the attribute.
  Body(Node& node, const char* attribute);
  // Throws kInvalidData if the body does not have this number of inputs.
  void require_inputs(int count) const;
  // Returns the number of outputs.
  int outputs() const;
  // Whether the model declares input `i` with one dimension. In ONNX, iteration numbers and conditions are
  // scalars, but some models have lists of one element.
  bool is_list(int i) const;

  // Converts the nodes of the body with these inputs, in the layer `label`, and returns its outputs. Returns
  // nothing if nodes could not be converted; the converter must then return no results. Throws kInvalidData
  // if an element type is not the declared type, or if a sequence of tensors is declared with another type.
  // Throws kUnsupported if a value is neither a tensor nor a sequence.
  std::optional<Values> convert(const Values& inputs, const std::string& label);
  // Returns the declared type of an output. Throws kUnsupported if the model does not state it.
  TensorType declared_output(int i) const;

 private:
  void check_type(const onnx_proto::ValueInfoProto& declared, const Value& value) const;

  BodyContext& bodies_;
  const onnx_proto::GraphProto& graph_;
  std::string name_;
  std::vector<const onnx_proto::ValueInfoProto*> inputs_;
};

}  // namespace cutset::onnx
