#include <cutset/onnx.h>

#include <map>
#include <optional>
#include <set>

#include "frontends/cpp/failure.h"
#include "frontends/onnx/external_data.h"
#include "frontends/onnx/importer.h"
#include "frontends/onnx/initializers.h"
#include "frontends/onnx/message_cost.h"
#include "frontends/onnx/tensor_proto.h"
#include "ir/core/names.h"

namespace cutset::onnx {
namespace {

constexpr int kMaxNodes = 100000;
// A file of 10 MB may hold 5 million empty messages, which would take 1.4 GB.
constexpr uint64_t kMostMessageBytes = uint64_t{1} << 27;
// Inputs that are not initializers, or outputs. The memory for them grows with the square of their number.
constexpr size_t kMaxPorts = 1000;

constexpr int64_t kNewestOpset = 28;  // of the default operator set, in ONNX 1.23

int64_t opset_of(const ::onnx::ModelProto& model) {
  std::optional<int64_t> version;
  for (const auto& set : model.opset_import()) {
    if (!is_default_domain(set.domain())) continue;
    if (version.value_or(set.version()) != set.version())
      invalid("the model names two versions of its operator set, " + std::to_string(*version) + " and " +
              std::to_string(set.version()));
    version = set.version();
  }
  if (!version) invalid("the model does not name the version of its operator set");
  if (*version < 1) invalid("the version of the operator set is " + std::to_string(*version));
  // Ops of a newer version may compute something else.
  if (*version > kNewestOpset)
    unsupported("the version of the operator set is " + std::to_string(*version) +
                "; the newest that is supported is " + std::to_string(kNewestOpset));
  return *version;
}

// The type of an input, with the sizes that the model states and those of the options. Adds the sizes of the options that it has to
// `used`.
TensorType type_of(const ::onnx::ValueInfoProto& input, const ImportOptions& options, std::set<std::string>& used) {
  if (!input.type().has_tensor_type()) unsupported("the input '" + shown(input.name()) + "' is not a tensor");
  const auto& type = input.type().tensor_type();
  TensorType known{dtype_of_onnx(type.elem_type(), "the input '" + shown(input.name()) + "'"), {}};
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

// Throws if an old model lists an initializer as an input of another type.
void check_initializer(const ::onnx::ValueInfoProto& input, const TensorType& type) {
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
  std::set<std::string> used, listed, names_of_inputs;
  for (const auto& input : graph.input()) {
    if (input.name().empty()) invalid("an input has no name");
    if (!listed.insert(input.name()).second) invalid("there are two inputs '" + shown(input.name()) + "'");
    if (importer.is_defined(input.name())) {  // old models list initializers as inputs, too
      check_initializer(input, importer.type(input.name()));
      continue;
    }
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

// Throws if the model states another element type of an output, or a size that no tensor has. Old exporters state -1 for an open size. Other
// sizes are not compared: exporters state those of the batch with which a model was made, also if the batch is open.
void check_output(const ::onnx::ValueInfoProto& output, DType type) {
  if (!output.type().has_tensor_type()) return;
  const auto& stated = output.type().tensor_type();
  if (stated.elem_type() != 0 && stated.elem_type() != onnx_type(type))
    invalid("the output '" + shown(output.name()) + "' is computed as " + name_of(type) +
            ", but the model states another element type");
  for (const auto& size : stated.shape().dim())
    if (size.dim_value() < -1)
      invalid("the output '" + shown(output.name()) + "' has a size of " + std::to_string(size.dim_value()));
}

::onnx::ModelProto parsed(std::span<const unsigned char> bytes) {
  ::onnx::ModelProto model;
  if (message_cost(bytes, MessageKind::kModel, kMostMessageBytes) > kMostMessageBytes)
    unsupported("the model has messages that take more than 2^27 bytes of memory beside their texts and raw data");
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
  if (graph.output_size() == 0) invalid("the model has no outputs");
  for (const auto& function : model.functions())  // its calls would run the converter of the op instead
    if (is_default_domain(function.domain()))
      unsupported("the model replaces the op '" + shown(function.name()) + "' by a function of its own");
  Importer importer(graph, opset_of(model), files);
  importer.set_file(path);
  if (options.batch_statistics) importer.let_nodes_assign();
  importer.define_initializers(take_initializers(graph, files), options.trainable, untrained_operands(graph));
  Model made{importer.graph(), {}, {}, {}};
  define_inputs(importer, graph, options, made.inputs);
  importer.convert_all();
  importer.raise_refusals();
  Names names({"loss"});
  std::set<std::string> listed;
  for (const auto& output : graph.output()) {
    if (output.name().empty()) invalid("an output has no name");
    if (!listed.insert(output.name()).second) invalid("there are two outputs '" + shown(output.name()) + "'");
    const Tensor result = importer.tensor(output.name());
    check_output(output, result.dtype());
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
