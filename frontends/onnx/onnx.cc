#include <cutset/onnx.h>

#include <set>

#include "frontends/cpp/failure.h"
#include "frontends/onnx/external_data.h"
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

// The type of an input, with the sizes that the model states and those of the options.
TensorType type_of(const ::onnx::ValueInfoProto& input, const ImportOptions& options) {
  if (!input.type().has_tensor_type()) unsupported("the input '" + input.name() + "' is not a tensor");
  const auto& type = input.type().tensor_type();
  TensorType known{dtype_of_onnx(type.elem_type()), {}};
  if (!type.has_shape())
    throw Error(ErrorCode::kUnsupported, "the shape of the input '" + input.name() + "' is not in the model", "",
                "name its type in ImportOptions::inputs");
  for (const auto& size : type.shape().dim()) {
    const auto given = options.sizes.find(size.dim_param());
    if (size.has_dim_value()) {
      known.shape.push_back(size.dim_value());
    } else if (known.shape.empty() && options.batch) {
      known.shape.push_back(*options.batch);
    } else if (size.has_dim_param() && given != options.sizes.end()) {
      known.shape.push_back(given->second);
    } else {
      const std::string which = "size " + std::to_string(known.shape.size()) + " of the input '" + input.name() + "'";
      throw Error(ErrorCode::kInvalidArgument,
                  "the model leaves " + which + " open" +
                      (size.dim_param().empty() ? "" : " and calls it '" + size.dim_param() + "'"),
                  "", size.dim_param().empty() ? "give the type of the input" : "give this size");
    }
  }
  return known;
}

// The names of the initializers that are not weights: running statistics, and scales and zero points of quantization.
std::set<std::string> statistics(const ::onnx::GraphProto& graph) {
  std::set<std::string> names;
  for (const auto& node : graph.node()) {
    const bool scales = node.op_type().find("uantize") != std::string::npos || node.op_type().starts_with("QLinear");
    const int first = node.op_type() == "BatchNormalization" ? 3 : scales ? 1 : node.input_size();
    for (int i = first; i < node.input_size(); ++i) names.insert(node.input(i));
  }
  return names;
}

// Defines the initializers and frees their elements in the message, so that they are in memory once.
void define_initializers(Importer& importer, ::onnx::GraphProto& graph, const ImportOptions& options,
                         const ExternalData* files) {
  if (graph.sparse_initializer_size() > 0) unsupported("sparse initializers");
  const std::set<std::string> fixed = statistics(graph);
  for (auto& initializer : *graph.mutable_initializer()) {
    const std::string& name = initializer.name();
    if (importer.is_defined(name)) invalid("there are two initializers '" + name + "'");
    HostTensor elements = host_tensor(initializer, "the initializer '" + name + "'", files);
    for (const auto clear : {&::onnx::TensorProto::clear_raw_data, &::onnx::TensorProto::clear_float_data})
      (initializer.*clear)();
    if (is_float(elements.dtype()) && !elements.shape().empty())
      importer.define_weight(name, std::move(elements), options.trainable && !fixed.contains(name));
    else
      importer.define(name, std::move(elements));
  }
}

Tensor add_input(Graph& graph, const std::string& name, const TensorType& type) {
  try {
    return graph.input(name, type.dtype, type.shape);
  } catch (const Error& e) {
    throw Error(e.code(), text_of(e), "", "");
  }
}

void define_inputs(Importer& importer, const ::onnx::GraphProto& graph, const ImportOptions& options) {
  Names names;
  for (const auto& input : graph.input()) {
    if (importer.is_defined(input.name())) continue;  // old models list initializers as inputs, too
    const auto given = options.inputs.find(input.name());
    const TensorType type = given == options.inputs.end() ? type_of(input, options) : given->second;
    Value value = add_input(importer.graph(), names.unique(input.name()), type);
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

Model import_parsed(::onnx::ModelProto model, const ImportOptions& options, const ExternalData* files) {
  ::onnx::GraphProto& graph = *model.mutable_graph();
  if (graph.node_size() > kMaxNodes)
    unsupported("the model has " + std::to_string(graph.node_size()) + " nodes; the limit is " +
                std::to_string(kMaxNodes));
  Importer importer(graph.node(), opset_of(model));
  if (options.batch_statistics) importer.let_nodes_assign();
  define_initializers(importer, graph, options, files);
  define_inputs(importer, graph, options);
  importer.convert_all();
  importer.refusals().raise();
  Model made{importer.graph(), {}, {}};
  Names names;
  for (const auto& output : graph.output()) {
    const Tensor result = importer.tensor(output.name());
    const std::string& name = made.outputs.emplace_back(names.unique(output.name()));
    made.graph.output(name, result);
    made.results.emplace(name, result);
  }
  return made;
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

Model import_model(std::span<const unsigned char> bytes, const ImportOptions& options) {
  return import_parsed(parsed(bytes), options, nullptr);
}

Model import_file(const std::string& path, const ImportOptions& options) {
  ::onnx::ModelProto model;
  {
    const std::string bytes = check(read_file(path, kLargestMessage));
    model = parsed({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
  }
  const ExternalData files(path);
  return import_parsed(std::move(model), options, &files);
}

}  // namespace cutset::onnx
