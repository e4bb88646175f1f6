#include "frontends/onnx/import.h"

#include <set>

#include "frontends/onnx/importer.h"
#include "frontends/onnx/tensor_proto.h"

namespace cutset::onnx {
namespace {

constexpr int kMaxNodes = 100000;

int64_t opset_of(const ::onnx::ModelProto& model) {
  for (const auto& set : model.opset_import())
    if (set.domain().empty() || set.domain() == "ai.onnx") return set.version();
  invalid("the model does not name the version of its operator set");
}

// The type of an input, with the sizes that the model states.
TensorType type_of(const ::onnx::ValueInfoProto& input) {
  if (!input.type().has_tensor_type()) unsupported("the input '" + input.name() + "' is not a tensor");
  const auto& type = input.type().tensor_type();
  TensorType known{dtype_of_onnx(type.elem_type()), {}};
  if (!type.has_shape()) unsupported("the shape of the input '" + input.name() + "' is not in the model");
  for (const auto& size : type.shape().dim()) {
    if (!size.has_dim_value())
      unsupported("a size of the input '" + input.name() + "' is not in the model; name its type in the options");
    known.shape.push_back(size.dim_value());
  }
  return known;
}

void define_inputs(Importer& importer, const ::onnx::GraphProto& graph, const ImportOptions& options) {
  for (const auto& initializer : graph.initializer())
    importer.define(initializer.name(), host_tensor(initializer, "the initializer '" + initializer.name() + "'"));
  if (graph.sparse_initializer_size() > 0) unsupported("sparse initializers");
  for (const auto& input : graph.input()) {
    if (importer.is_defined(input.name())) continue;  // old models list initializers as inputs, too
    const auto given = options.inputs.find(input.name());
    const TensorType type = given == options.inputs.end() ? type_of(input) : given->second;
    Value value = importer.graph().input(input.name(), type.dtype, type.shape, {.batch_dimension = std::nullopt});
    if (const auto known = options.known.find(input.name()); known != options.known.end()) {
      if (known->second.type() != type)
        throw Error(ErrorCode::kInvalidArgument,
                    "the known elements of the input '" + input.name() + "' are a " + to_string(known->second.type()) +
                        ", but the input is a " + to_string(type),
                    "", "");
      value.known = std::make_shared<const HostTensor>(known->second);
    }
    importer.define(input.name(), std::move(value));
  }
}

::onnx::ModelProto parsed(std::span<const unsigned char> bytes) {
  ::onnx::ModelProto model;
  if (!parse(model, bytes)) invalid("the bytes are not a model of ONNX");
  if (!model.has_graph()) invalid("the model has no graph");
  return model;
}

}  // namespace

std::vector<std::string> input_names(std::span<const unsigned char> bytes) {
  const ::onnx::ModelProto model = parsed(bytes);
  std::set<std::string> initializers;
  for (const auto& initializer : model.graph().initializer()) initializers.insert(initializer.name());
  std::vector<std::string> names;
  for (const auto& input : model.graph().input())
    if (!initializers.contains(input.name())) names.push_back(input.name());
  return names;
}

Imported import_model(std::span<const unsigned char> bytes, const ImportOptions& options) {
  const ::onnx::ModelProto model = parsed(bytes);
  const ::onnx::GraphProto& graph = model.graph();
  if (graph.node_size() > kMaxNodes)
    unsupported("the model has " + std::to_string(graph.node_size()) + " nodes; the limit is " +
                std::to_string(kMaxNodes));
  Importer importer(graph.node(), opset_of(model));
  define_inputs(importer, graph, options);
  importer.convert_all();
  importer.refusals().raise();
  Imported imported;
  for (const auto& output : graph.output()) {
    importer.graph().output(output.name(), importer.tensor(output.name()));
    imported.outputs.push_back(output.name());
  }
  imported.graph = importer.graph();
  imported.variables = std::move(importer.variables);
  return imported;
}

}  // namespace cutset::onnx
