// SPDX-License-Identifier: Apache-2.0
// The export half of <cutset/onnx.h>.
#include <cutset/onnx.h>

#include <algorithm>

#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/graph/snapshot.h"
#include "frontends/cpp/session/first_values.h"
#include "frontends/cpp/session/fit_variables.h"
#include "frontends/onnx/export/model_file.h"
#include "frontends/onnx/protobuf_library.h"
#include "runtime/files/files.h"

namespace cutset::onnx {
namespace {

// Returns the function that the options name, or else "predict" or "evaluate".
Result<std::string> chosen_function(const GraphSnapshot& graph, const std::string& wanted) {
  CUTSET_ASSIGN(const std::vector<std::string> names, graph.functions());
  const auto has = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (wanted.empty())
    for (const char* usual : {"predict", "evaluate"})
      if (has(usual)) return std::string(usual);
  if (has(wanted)) return wanted;
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return invalid_argument(wanted.empty() ? "the graph has no function 'predict' or 'evaluate'"
                                         : "the graph has no function '" + wanted + "'",
                          "its functions are: " + all);
}

using MakeValues = std::function<Result<ValueOf>(const GraphSnapshot&, const ListedFunction&, ExportedFile&)>;

Result<ExportedFile> export_with(const std::string& path, const Graph& graph, const ExportOptions& options,
                                 const MakeValues& make_values) {
  CUTSET_TRY(check_writable(path));
  const auto snapshot = snapshot_of(*graph.state());
  ExportedFile exported;
  CUTSET_ASSIGN(exported.function, chosen_function(*snapshot, options.function));
  CUTSET_ASSIGN(SizedFunction sized, list_with_sizes(*snapshot, exported.function, options.open_batch));
  if (sized.function.trains)
    return invalid_argument(
        "the function '" + exported.function + "' updates variables, which a model of ONNX does not have",
        "export 'evaluate', or a function that Graph::function makes");
  CUTSET_ASSIGN(const ValueOf value_of, make_values(*snapshot, sized.function, exported));
  CUTSET_ASSIGN(ModelParts parts, export_function(sized, value_of));
  exported.nodes = parts.model.graph().node_size();
  for (const HostTensor& elements : parts.elements) exported.weight_bytes += elements.type().bytes();
  exported.open_batch = sized.batch_input.has_value();
  exported.why_fixed = sized.why_fixed;
  CUTSET_ASSIGN(exported.files, write_model(path, std::move(parts), options.external_data));
  return exported;
}

// Returns the values of the file for the variables that it has, and the initial values of the graph for the
// others.
Result<ValueOf> values_of_graph(const ExportOptions& options, const GraphSnapshot& graph,
                                const ListedFunction& function, ExportedFile& made) {
  CUTSET_ASSIGN(TensorMap values, initial_values(graph, DType::f32));
  if (!options.weights.empty()) {
    CUTSET_ASSIGN(TensorMap tensors, read_safetensors(options.weights));
    CUTSET_ASSIGN(made.loaded, fit_variables(options.weights, tensors, function.variables, options.read));
    for (auto& [name, value] : tensors) values.insert_or_assign(name, std::move(value));
  }
  return ValueOf(
      [values = std::move(values)](const Variable& variable) { return first_value(variable, values); });
}

}  // namespace

ExportedFile export_file(const std::string& path, const Graph& graph, const ExportOptions& options) {
  check_protobuf_library();
  return check(
      export_with(path, graph, options,
                  [&](const GraphSnapshot& snapshot, const ListedFunction& function, ExportedFile& made) {
                    return values_of_graph(options, snapshot, function, made);
                  }));
}

ExportedFile export_file(const std::string& path, const Graph& graph, const Session& session,
                         const ExportOptions& options) {
  if (!options.weights.empty())
    raise(invalid_argument("the weights come from a session, and from the file '" + options.weights + "'",
                           "call Session::load, or export the graph without a session"));
  check_protobuf_library();
  return check(export_with(
      path, graph, options,
      [&](const GraphSnapshot&, const ListedFunction&, ExportedFile&) -> Result<ValueOf> {
        return ValueOf([&](const Variable& v) -> Result<HostTensor> { return session.variable(v.name); });
      }));
}

}  // namespace cutset::onnx
