#include <cutset/onnx.h>

#include <map>
#include <set>

#include "frontends/cpp/failure.h"
#include "frontends/onnx/external_data.h"
#include "frontends/onnx/importer.h"
#include "frontends/onnx/initializers.h"
#include "frontends/onnx/tensor_proto.h"
#include "ir/core/names.h"

namespace cutset::onnx {
namespace {

constexpr int kMaxNodes = 100000;
// Inputs that are not initializers, or outputs. The memory for them grows with the square of their number.
constexpr size_t kMaxPorts = 1000;

int64_t opset_of(const ::onnx::ModelProto& model) {
  for (const auto& set : model.opset_import())
    if (set.domain().empty() || set.domain() == "ai.onnx") return set.version();
  invalid("the model does not name the version of its operator set");
}

// The type of an input, with the sizes that the model states and those of the options. Adds the sizes of the options that it has to
// `used`.
TensorType type_of(const ::onnx::ValueInfoProto& input, const ImportOptions& options, std::set<std::string>& used) {
  if (!input.type().has_tensor_type()) unsupported("the input '" + shown(input.name()) + "' is not a tensor");
  const auto& type = input.type().tensor_type();
  TensorType known{dtype_of_onnx(type.elem_type()), {}};
  if (!type.has_shape())
    throw Error(ErrorCode::kUnsupported, "the shape of the input '" + shown(input.name()) + "' is not in the model", "",
                "name its type in ImportOptions::inputs");
  for (const auto& size : type.shape().dim()) {
    const auto given = options.sizes.find(size.dim_param());
    if (size.has_dim_value()) {
      known.shape.push_back(size.dim_value());
    } else if (size.has_dim_param() && given != options.sizes.end()) {
      known.shape.push_back(given->second);
      used.insert(given->first);
    } else if (known.shape.empty() && options.batch) {
      known.shape.push_back(*options.batch);
    } else {
      const std::string which =
          "size " + std::to_string(known.shape.size()) + " of the input '" + shown(input.name()) + "'";
      const std::string name = shown(size.dim_param());
      throw Error(ErrorCode::kInvalidArgument,
                  "the model leaves " + which + " open" + (name.empty() ? "" : " and calls it '" + name + "'"), "",
                  name.empty() ? "give the type of the input in ImportOptions::inputs"
                               : "set it in ImportOptions::sizes, or with --size " + name + "=N");
    }
  }
  return known;
}

// Throws if an option names what the model does not have.
template <class T>
void check_used(const std::map<std::string, T>& option, const std::set<std::string>& used, const char* what) {
  for (const auto& [name, value] : option)
    if (!used.contains(name))
      throw Error(ErrorCode::kInvalidArgument, std::string("the model has no ") + what + " '" + shown(name) + "'", "",
                  "");
}

Tensor add_input(Graph& graph, const std::string& name, const TensorType& type) {
  try {
    return graph.input(name, type.dtype, type.shape);
  } catch (const Error& e) {
    throw Error(e.code(), text_of(e), "", "");
  }
}

void define_inputs(Importer& importer, const ::onnx::GraphProto& graph, const ImportOptions& options,
                   std::map<std::string, Tensor>& inputs) {
  Names names;
  std::set<std::string> used, names_of_inputs;
  for (const ::onnx::ValueInfoProto* declared : inputs_of(graph)) {
    const ::onnx::ValueInfoProto& input = *declared;
    if (names_of_inputs.contains(input.name())) invalid("there are two inputs '" + shown(input.name()) + "'");
    if (names_of_inputs.size() == kMaxPorts)
      unsupported("the model has more than " + std::to_string(kMaxPorts) + " inputs");
    const auto given = options.inputs.find(input.name());
    const TensorType type = given == options.inputs.end() ? type_of(input, options, used) : given->second;
    const std::string name = names.unique(input.name());
    Value value = add_input(importer.graph(), name, type);
    inputs.emplace(name, value.tensor);
    if (const auto known = options.known.find(input.name()); known != options.known.end()) {
      if (known->second.type() != type)
        throw Error(ErrorCode::kInvalidArgument,
                    "the known elements of the input '" + shown(input.name()) + "' are a " +
                        to_string(known->second.type()) + ", but the input is a " + to_string(type),
                    "", "");
      value.known = std::make_shared<const HostTensor>(known->second);
    }
    importer.define(input.name(), std::move(value));
    names_of_inputs.insert(input.name());
  }
  check_used(options.sizes, used, "open size");
  check_used(options.inputs, names_of_inputs, "input");
  check_used(options.known, names_of_inputs, "input");
}

::onnx::ModelProto parsed(std::span<const unsigned char> bytes) {
  ::onnx::ModelProto model;
  if (!parse(model, bytes)) invalid("the bytes are not a model of ONNX, or nest more than 100 messages");
  if (!model.has_graph()) invalid("the model has no graph");
  return model;
}

// `path` is the file of the model, for the sources of ops; `files` is null if it has none.
Model import_parsed(::onnx::ModelProto model, const ImportOptions& options, const std::string& path,
                    const ExternalData* files) {
  ::onnx::GraphProto& graph = *model.mutable_graph();
  if (graph.node_size() > kMaxNodes)
    unsupported("the model has " + std::to_string(graph.node_size()) + " nodes; the limit is " +
                std::to_string(kMaxNodes));
  if (static_cast<size_t>(graph.output_size()) > kMaxPorts)
    unsupported("the model has more than " + std::to_string(kMaxPorts) + " outputs");
  Importer importer(graph, opset_of(model), files);
  importer.set_file(path);
  if (options.batch_statistics) importer.let_nodes_assign();
  importer.define_initializers(take_initializers(graph, files), options.trainable, untrained_operands(graph));
  Model made{importer.graph(), {}, {}, {}};
  define_inputs(importer, graph, options, made.inputs);
  importer.convert_all();
  importer.raise_refusals();
  Names names({"loss"});
  for (const auto& output : graph.output()) {
    const Tensor result = importer.tensor(output.name());
    const std::string& name = made.outputs.emplace_back(names.unique(output.name()));
    made.graph.output(name, result);
    made.results.emplace(name, result);
  }
  importer.set_file("");
  return made;
}

}  // namespace

std::vector<std::string> input_names(std::span<const unsigned char> bytes) {
  const ::onnx::ModelProto model = parsed(bytes);
  std::vector<std::string> names;
  for (const ::onnx::ValueInfoProto* input : inputs_of(model.graph())) names.push_back(input->name());
  return names;
}

Model import_model(std::span<const unsigned char> bytes, const ImportOptions& options) {
  return import_parsed(parsed(bytes), options, "model", nullptr);
}

Model import_file(const std::string& path, const ImportOptions& options) {
  ::onnx::ModelProto model;
  {
    const std::string bytes = check(read_file(path, kLargestMessage));
    model = parsed({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
  }
  const ExternalData files(path);
  return import_parsed(std::move(model), options, is_printable(path) ? path : "model", &files);
}

}  // namespace cutset::onnx
