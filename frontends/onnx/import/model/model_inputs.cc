// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/model/model_inputs.h"

#include "frontends/cpp/checks/failure.h"
#include "frontends/onnx/element_types.h"
#include "frontends/onnx/import/errors.h"
#include "frontends/onnx/import/model/input_types.h"
#include "frontends/onnx/messages.h"
#include "frontends/onnx/names.h"

namespace cutset::onnx {
namespace {

// Throws if an old model lists an initializer as an input of another type.
void check_initializer(const onnx_proto::ValueInfoProto& input, const TensorType& type) {
  if (!input.type().has_tensor_type()) return;
  const auto& stated = input.type().tensor_type();
  bool same = stated.elem_type() == onnx_type(type.dtype);
  if (stated.has_shape()) {
    same &= stated.shape().dim_size() == type.rank();
    for (int d = 0; same && d < stated.shape().dim_size(); ++d)
      same = !stated.shape().dim(d).has_dim_value() ||
             stated.shape().dim(d).dim_value() == type.shape[static_cast<size_t>(d)];
  }
  if (!same)
    invalid("the initializer '" + shown(input.name()) + "' is " + to_string(type) +
            ", but the input of the same name has another type");
}

// Adds an input. Throws if the graph is made again for other sizes, and the model does not allow a size of
// this input.
Tensor add_input(Graph& graph, const std::string& name, const TensorType& type, bool has_batch) {
  InputOptions options;
  if (!has_batch) options.batch_dimension.reset();
  Tensor input;
  try {
    input = graph.input(name, type.dtype, type.shape, options);
  } catch (const Error& e) {
    raise_without_line(e);
  }
  if (input.type() != type)
    throw Error(ErrorCode::kInvalidArgument,
                "the input '" + name + "' has the shape " + to_string(input.shape()) +
                    ", but the model fixes the shape " + to_string(type.shape),
                "", "give the sizes of the model, or export it with sizes that are open");
  return input;
}

}  // namespace

ModelInputs define_inputs(Importer& importer, const onnx_proto::GraphProto& graph,
                          const ImportOptions& options, const std::set<std::string>& constants,
                          const std::set<std::string>& without_batch) {
  ModelInputs inputs;
  const auto types =
      input_types(graph, options, [&](const std::string& name) { return importer.is_defined(name); });
  for (const auto& input : graph.input()) {
    const auto found = types.find(input.name());
    if (found == types.end()) {
      check_initializer(input, importer.type(input.name()));
      continue;
    }
    const InputType& type = found->second;
    const bool is_constant = constants.contains(input.name());
    Value value;
    if (!is_constant) {
      const bool has_batch = !without_batch.contains(input.name());
      value = add_input(importer.graph(), type.name, type.type, has_batch);
      inputs.tensors.emplace(type.name, value.tensor);
      if (type.fixes_batch && has_batch) inputs.fixed_batches.insert(type.name);
    }
    if (const auto elements = options.known.find(input.name()); elements != options.known.end()) {
      if (elements->second.type() != type.type)
        throw Error(ErrorCode::kInvalidArgument,
                    "the known elements of the input '" + shown(input.name()) + "' are a " +
                        to_string(elements->second.type()) + ", but the input is a " + to_string(type.type),
                    "", "");
      value.known = std::make_shared<const HostTensor>(elements->second);
      value.from_inputs = !is_constant;
    }
    importer.define(input.name(), std::move(value));
  }
  return inputs;
}

}  // namespace cutset::onnx
