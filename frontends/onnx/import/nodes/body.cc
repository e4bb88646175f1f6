// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/nodes/body.h"

#include "frontends/onnx/element_types.h"
#include "frontends/onnx/import/model/initializers.h"
#include "frontends/onnx/messages.h"
#include "frontends/onnx/names.h"
#include "ir/core/number_text.h"

namespace cutset::onnx {

Body::Body(Node& node, const char* attribute)
    : bodies_(node.bodies()), graph_(node.body(attribute)), name_(attribute), inputs_(inputs_of(graph_)) {
  for (const onnx_proto::ValueInfoProto* input : inputs_)
    if (input->name().empty()) invalid("an input of " + name_ + " has no name");
}

void Body::require_inputs(int count) const {
  if (static_cast<int>(inputs_.size()) != count)
    invalid(name_ + " has " + counted(inputs_.size(), "input") + ", but the node gives it " +
            std::to_string(count));
}

int Body::outputs() const { return graph_.output_size(); }

bool Body::is_list(int i) const {
  return inputs_[static_cast<size_t>(i)]->type().tensor_type().shape().dim_size() == 1;
}

void Body::check_type(const onnx_proto::ValueInfoProto& declared, const Value& value) const {
  const std::string what = "'" + shown(declared.name()) + "' of " + name_;
  if (value.sequence) {
    if (declared.has_type() && !declared.type().has_sequence_type())
      invalid(what + " is a sequence of tensors, but is declared with another type");
    return;
  }
  if (declared.has_type() && !declared.type().has_tensor_type()) unsupported(what + " is not a tensor");
  const int32_t type = declared.type().tensor_type().elem_type();
  if (type != 0 && dtype_of_onnx(type, what) != value.type().dtype)
    invalid(what + " has the type " + to_string(value.type()) + ", but is declared with the element type " +
            std::string(name_of(dtype_of_onnx(type))));
}

std::optional<Values> Body::convert(const Values& inputs, const std::string& label) {
  std::map<std::string, Value> named;
  for (size_t i = 0; i < inputs.size(); ++i) {
    check_type(*inputs_[i], inputs[i]);
    if (!named.emplace(inputs_[i]->name(), inputs[i]).second)
      invalid(name_ + " has two inputs '" + shown(inputs_[i]->name()) + "'");
  }
  std::optional<Values> outputs = bodies_.convert_body(graph_, named, label);
  if (outputs)
    for (size_t i = 0; i < outputs->size(); ++i)
      check_type(graph_.output(static_cast<int>(i)), (*outputs)[i]);
  return outputs;
}

TensorType Body::declared_output(int i) const {
  const auto& output = graph_.output(i);
  const auto& type = output.type().tensor_type();
  const std::string what = "the output '" + shown(output.name()) + "' of " + name_;
  bool open = type.elem_type() == 0 || !type.has_shape();
  TensorType declared{open ? DType::f32 : dtype_of_onnx(type.elem_type(), what), {}};
  for (const auto& size : type.shape().dim()) {
    open = open || !size.has_dim_value();
    declared.shape.push_back(size.dim_value());
  }
  if (open)
    unsupported(name_ + " runs no iteration, so the model must declare the element type and the shape of " +
                what + "; add them to the model");
  return declared;
}

}  // namespace cutset::onnx
