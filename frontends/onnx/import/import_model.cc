// SPDX-License-Identifier: Apache-2.0
#include <cutset/onnx.h>

#include <map>
#include <optional>
#include <set>

#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/graph/record_call.h"
#include "frontends/onnx/element_types.h"
#include "frontends/onnx/import/errors.h"
#include "frontends/onnx/import/importer.h"
#include "frontends/onnx/import/model/export_signature.h"
#include "frontends/onnx/import/model/external_data.h"
#include "frontends/onnx/import/model/functions.h"
#include "frontends/onnx/import/model/initializers.h"
#include "frontends/onnx/import/model/limits.h"
#include "frontends/onnx/import/model/locations.h"
#include "frontends/onnx/import/model/message_cost.h"
#include "frontends/onnx/import/model/model_inputs.h"
#include "frontends/onnx/import/model/training_notes.h"
#include "frontends/onnx/import/model/weights.h"
#include "frontends/onnx/messages.h"
#include "frontends/onnx/names.h"
#include "frontends/onnx/protobuf_library.h"
#include "ir/core/names.h"

namespace cutset::onnx {
namespace {

// A file of 10 MB may hold 5 million empty messages, which would take 1.4 GB.
constexpr uint64_t kMostMessageBytes = uint64_t{1} << 27;

constexpr int64_t kNewestOpset = 28;  // the version of the default operator set in ONNX 1.23

int64_t opset_of(const onnx_proto::ModelProto& model) {
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

// Throws if the model states another element type of an output, or a negative size. Old exporters state -1
// for an open size. Other sizes are not compared: exporters state the sizes for the batch with which the
// model was made, even if the batch is open.
void check_output(const onnx_proto::ValueInfoProto& output, DType type) {
  if (!output.type().has_tensor_type()) return;
  const auto& stated = output.type().tensor_type();
  if (stated.elem_type() != 0 && stated.elem_type() != onnx_type(type))
    invalid("the output '" + shown(output.name()) + "' is computed as " + name_of(type) +
            ", but the model states another element type");
  for (const auto& size : stated.shape().dim())
    if (size.dim_value() < -1)
      invalid("the output '" + shown(output.name()) + "' has a size of " + std::to_string(size.dim_value()));
}

onnx_proto::ModelProto parsed(std::span<const unsigned char> bytes) {
  check_protobuf_library();
  onnx_proto::ModelProto model;
  if (message_cost(bytes, MessageKind::kModel, kMostMessageBytes) > kMostMessageBytes)
    unsupported(
        "the model has messages that take more than 2^27 bytes of memory beside their texts and raw data");
  if (!parse(model, bytes)) invalid("the bytes are not a model of ONNX, or nest more than 100 messages");
  if (!model.has_graph()) invalid("the model has no graph");
  return model;
}

onnx_proto::ModelProto parsed_file(const std::string& path, const std::string& bytes) {
  try {
    return parsed({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
  } catch (const Error& e) {
    raise_without_line(e, "'" + shown(path, path.size()) + "': ");
  }
}

// The model and the options of an import. A graph keeps them, so that the model can be imported again for
// other sizes.
struct Source {
  onnx_proto::ModelProto model;  // its initializers are in `initializers`, and no elements are in other files
  int64_t opset = 0;
  ImportOptions options;
  std::string path;  // the file of the model, for the sources of ops
  Initializers initializers;
  std::set<std::string> constants;      // the known inputs that are constants
  std::set<std::string> without_batch;  // the inputs that have no batch dimension
};

struct Imported {
  Model model;
  // The weights and inputs that should be constants (decisions.h). Weights are named by their elements, and
  // inputs by their names in the model.
  std::set<const HostTensor*> deciding_weights;
  std::set<std::string> deciding_inputs;
  std::vector<Tensor> results;  // the results in the order of the model
};

Imported import_again(const std::shared_ptr<const Source>& source,
                      const std::map<std::string, Kept<Tensor>>& inputs, const Counterpart& now);

// Adds the model to a graph, for the sizes that `options` gives.
Imported import_graph(const std::shared_ptr<const Source>& kept_source, const ImportOptions& options,
                      Graph into) {
  const Source& source = *kept_source;
  const onnx_proto::GraphProto& graph = source.model.graph();
  NamesOfGraphs untrained = untrained_operands(graph);
  untrained.merge(values_that_are_no_parameters(graph));
  Importer importer(graph, source.opset, nullptr,
                    Weights(options.trainable, std::move(untrained), options.batch_statistics),
                    std::move(into));
  importer.set_file(source.path);
  importer.define_initializers(source.initializers);
  ModelInputs inputs = define_inputs(importer, graph, options, source.constants, source.without_batch);
  Model model{importer.graph(), std::move(inputs.tensors), {}, {}, std::move(inputs.fixed_batches)};
  RecordCall call(model.graph.state(), std::source_location::current());
  importer.convert_all();
  Names names({"loss"});
  for (const auto& output : graph.output()) names.keep(output.name());
  std::set<std::string> listed;
  std::vector<Tensor> results;
  for (const auto& output : graph.output()) {
    if (output.name().empty()) invalid("an output has no name");
    if (!listed.insert(output.name()).second) invalid("there are two outputs '" + shown(output.name()) + "'");
    const Tensor result = importer.tensor(output.name());
    check_output(output, result.dtype());
    model.outputs.push_back(names.unique(output.name()));
    results.push_back(result);
  }
  std::map<std::string, Kept<Tensor>> kept_inputs;
  for (const auto& [name, tensor] : model.inputs) kept_inputs.emplace(name, kept(tensor));
  results = call.keep(std::move(results), [kept_source, kept_inputs](const Counterpart& now) {
    return import_again(kept_source, kept_inputs, now).results;
  });
  for (size_t i = 0; i < results.size(); ++i) model.results.emplace(model.outputs[i], results[i]);
  importer.set_file("");
  return {std::move(model), importer.weights_that_only_decide(), importer.inputs_that_decide(),
          std::move(results)};
}

// Returns the options for an import with inputs of these types.
ImportOptions options_for(const Source& source, const std::map<std::string, Tensor>& inputs) {
  ImportOptions options = source.options;
  options.batch.reset();
  options.sizes.clear();
  options.shapes.clear();
  for (const auto& [name, tensor] : inputs) options.shapes.emplace(name, tensor.shape());
  for (auto& [name, type] : options.inputs)
    if (const auto its = inputs.find(name); its != inputs.end()) type.shape = its->second.shape();
  return options;
}

// Adds the model again, to a graph with other sizes that has its inputs and variables already.
Imported import_again(const std::shared_ptr<const Source>& source,
                      const std::map<std::string, Kept<Tensor>>& inputs, const Counterpart& now) {
  std::map<std::string, Tensor> sized;
  for (const auto& [name, input] : inputs) sized.emplace(name, now(input));
  Undo undo(now.graph());
  Imported imported = import_graph(source, options_for(*source, sized), Graph(now.graph()));
  if (!imported.deciding_weights.empty() || !imported.deciding_inputs.empty())
    unsupported("for inputs of these sizes, elements of other weights or inputs decide what the graph is");
  undo.keep();
  return imported;
}

// Imports a model. `path` is the file of the model, for the sources of ops. `files` is null if the model has
// no file.
Model import_parsed(onnx_proto::ModelProto&& model, const ImportOptions& options, const std::string& path,
                    const ExternalData* files) {
  const auto source = std::make_shared<Source>();
  source->model = std::move(model);
  source->opset = opset_of(source->model);
  source->options = options;
  source->path = path;
  inline_functions(source->model, source->opset);
  onnx_proto::GraphProto& graph = *source->model.mutable_graph();
  if (graph.node_size() > kMostNodes)
    unsupported("the model has " + std::to_string(graph.node_size()) + " nodes; the limit is " +
                std::to_string(kMostNodes));
  if (static_cast<size_t>(graph.output_size()) > kMostOutputs)
    unsupported("the model has more than " + std::to_string(kMostOutputs) + " outputs");
  if (graph.output_size() == 0) invalid("the model has no outputs");
  const auto is_given = [&](const std::string& name) {
    const auto has = [&](const auto& given) {
      return given.contains(name) || given.contains(valid_name(name));
    };
    return has(options.inputs) || has(options.shapes) || has(options.known);
  };
  source->without_batch = remove_overridden(graph, is_given);
  std::vector<std::string> notes = options.trainable ? training_notes(graph) : std::vector<std::string>();
  source->initializers = take_initializers(graph, files);
  if (options.known_are_constants)
    for (const auto& [name, elements] : options.known) source->constants.insert(name);
  Imported imported = import_graph(source, options, Graph());
  if (!imported.deciding_weights.empty() || !imported.deciding_inputs.empty()) {
    // The second import has fewer weights, so more conditions are known. It converts the same nodes or fewer,
    // and no other weight or input decides what the graph is.
    for (auto& [of, members] : source->initializers)
      for (auto& [name, value] : members)
        if (imported.deciding_weights.contains(value.known.get())) value.is_weight = false;
    source->constants.merge(imported.deciding_inputs);
    imported = import_graph(source, options, Graph());
  }
  if (options.returns_results)
    for (const std::string& name : imported.model.outputs)
      imported.model.graph.output(name, imported.model.results.at(name));
  imported.model.training_notes = std::move(notes);
  return std::move(imported.model);
}

}  // namespace

std::vector<std::string> input_names(std::span<const unsigned char> bytes) {
  const onnx_proto::ModelProto model = parsed(bytes);
  std::vector<std::string> names;
  for (const onnx_proto::ValueInfoProto* input : inputs_of(model.graph())) names.push_back(input->name());
  return names;
}

std::vector<std::string> weight_files(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  std::vector<std::string> files;
  for (const std::string& location :
       locations_of_elements(parsed_file(path, check(read_file(path, kLargestMessage)))))
    files.push_back(folder + location);
  return files;
}

Model import_model(std::span<const unsigned char> bytes, const ImportOptions& options) {
  return import_parsed(parsed(bytes), options, "model", nullptr);
}

Model import_file(const std::string& path, const ImportOptions& options) {
  ExternalData files(path, options.hard_links);
  onnx_proto::ModelProto model = parsed_file(path, files.read_model());
  return import_parsed(std::move(model), options, is_printable(path) ? path : "model", &files);
}

}  // namespace cutset::onnx
