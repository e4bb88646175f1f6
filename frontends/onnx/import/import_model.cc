#include <cutset/onnx.h>

#include <map>
#include <optional>
#include <set>

#include "frontends/cpp/failure.h"
#include "frontends/onnx/element_types.h"
#include "frontends/onnx/import/errors.h"
#include "frontends/onnx/import/export_signature.h"
#include "frontends/onnx/import/external_data.h"
#include "frontends/onnx/import/functions.h"
#include "frontends/onnx/import/importer.h"
#include "frontends/onnx/import/initializers.h"
#include "frontends/onnx/import/limits.h"
#include "frontends/onnx/import/locations.h"
#include "frontends/onnx/import/message_cost.h"
#include "frontends/onnx/import/model_inputs.h"
#include "frontends/onnx/import/weights.h"
#include "frontends/onnx/messages.h"
#include "frontends/onnx/names.h"
#include "ir/core/names.h"

namespace cutset::onnx {
namespace {

// A file of 10 MB may hold 5 million empty messages, which would take 1.4 GB.
constexpr uint64_t kMostMessageBytes = uint64_t{1} << 27;

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

::onnx::ModelProto parsed_file(const std::string& path) {
  const std::string bytes = check(read_file(path, kLargestMessage));
  try {
    return parsed({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
  } catch (const Error& e) {
    raise_without_line(e, "'" + shown(path, path.size()) + "': ");
  }
}

// What is imported, and how.
struct Source {
  const ::onnx::GraphProto& graph;
  int64_t opset;
  const ImportOptions& options;
  const std::string& path;    // the file of the model, for the sources of ops
  const ExternalData* files;  // null: there are none
};

struct Imported {
  Model model;
  // What should be constants (decisions.h): weights, by their elements, and inputs, by their names in the model.
  std::set<const HostTensor*> deciding_weights;
  std::set<std::string> deciding_inputs;
};

Imported import_graph(const Source& source, const Initializers& initializers, const std::set<std::string>& constants) {
  const ::onnx::GraphProto& graph = source.graph;
  NamesOfGraphs untrained = untrained_operands(graph);
  untrained.merge(values_that_are_no_parameters(graph));
  Importer importer(graph, source.opset, source.files,
                    Weights(source.options.trainable, std::move(untrained), source.options.batch_statistics));
  importer.set_file(source.path);
  importer.define_initializers(initializers);
  ModelInputs inputs = define_inputs(importer, graph, source.options, constants);
  Model made{importer.graph(), std::move(inputs.tensors), {}, {}, std::move(inputs.fixed_batches)};
  importer.convert_all();
  Names names({"loss"});
  for (const auto& output : graph.output()) names.keep(output.name());
  std::set<std::string> listed;
  for (const auto& output : graph.output()) {
    if (output.name().empty()) invalid("an output has no name");
    if (!listed.insert(output.name()).second) invalid("there are two outputs '" + shown(output.name()) + "'");
    const Tensor result = importer.tensor(output.name());
    check_output(output, result.dtype());
    const std::string& name = made.outputs.emplace_back(names.unique(output.name()));
    if (source.options.returns_results) made.graph.output(name, result);
    made.results.emplace(name, result);
  }
  importer.set_file("");
  return {std::move(made), importer.weights_that_only_decide(), importer.inputs_that_decide()};
}

// `path` is the file of the model, for the sources of ops; `files` is null if it has none.
Model import_parsed(::onnx::ModelProto model, const ImportOptions& options, const std::string& path,
                    const ExternalData* files) {
  const int64_t opset = opset_of(model);
  inline_functions(model, opset);
  ::onnx::GraphProto& graph = *model.mutable_graph();
  if (graph.node_size() > kMostNodes)
    unsupported("the model has " + std::to_string(graph.node_size()) + " nodes; the limit is " +
                std::to_string(kMostNodes));
  if (static_cast<size_t>(graph.output_size()) > kMostOutputs)
    unsupported("the model has more than " + std::to_string(kMostOutputs) + " outputs");
  if (graph.output_size() == 0) invalid("the model has no outputs");
  Initializers initializers = take_initializers(graph, files);
  const Source source{graph, opset, options, path, files};
  std::set<std::string> constants;
  if (options.known_are_constants)
    for (const auto& [name, elements] : options.known) constants.insert(name);
  Imported imported = import_graph(source, initializers, constants);
  if (imported.deciding_weights.empty() && imported.deciding_inputs.empty()) return std::move(imported.model);
  // Fewer weights make more conditions known, so the second import converts the same nodes or fewer. No other weight or input decides then.
  for (auto& [of, members] : initializers)
    for (auto& [name, value] : members)
      if (imported.deciding_weights.contains(value.known.get())) value.is_weight = false;
  constants.merge(imported.deciding_inputs);
  return import_graph(source, initializers, constants).model;
}

}  // namespace

std::vector<std::string> input_names(std::span<const unsigned char> bytes) {
  const ::onnx::ModelProto model = parsed(bytes);
  std::vector<std::string> names;
  for (const ::onnx::ValueInfoProto* input : inputs_of(model.graph())) names.push_back(input->name());
  return names;
}

std::vector<std::string> weight_files(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  std::vector<std::string> files;
  for (const std::string& location : locations_of_elements(parsed_file(path))) files.push_back(folder + location);
  return files;
}

Model import_model(std::span<const unsigned char> bytes, const ImportOptions& options) {
  return import_parsed(parsed(bytes), options, "model", nullptr);
}

Model import_file(const std::string& path, const ImportOptions& options) {
  ::onnx::ModelProto model = parsed_file(path);
  const ExternalData files(path);
  return import_parsed(std::move(model), options, is_printable(path) ? path : "model", &files);
}

}  // namespace cutset::onnx
