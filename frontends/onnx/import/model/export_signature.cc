// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/model/export_signature.h"

#include <algorithm>
#include <string_view>

#include "frontends/onnx/messages.h"

namespace cutset::onnx {
namespace {

constexpr std::string_view kSignature = "pkg.torch.export.ExportedProgram.graph_signature";
constexpr std::string_view kFoldedFrom = "pkg.onnxscript.optimizer.folded_from";

// Returns the texts between single quotes that follow `prefix`.
std::set<std::string_view> quoted_after(std::string_view text, std::string_view prefix) {
  std::set<std::string_view> found;
  for (size_t at = text.find(prefix); at != std::string_view::npos; at = text.find(prefix, at)) {
    at += prefix.size();
    const size_t end = text.find('\'', at);
    if (end == std::string_view::npos) break;
    found.insert(text.substr(at, end - at));
    at = end + 1;
  }
  return found;
}

template <class Entries>
std::string_view value_of(const Entries& entries, std::string_view key) {
  for (const auto& entry : entries)
    if (entry.key() == key) return entry.value();
  return {};
}

}  // namespace

std::string_view signature_of(const onnx_proto::GraphProto& graph) {
  return value_of(graph.metadata_props(), kSignature);
}

NamesOfGraphs values_that_are_no_parameters(const onnx_proto::GraphProto& graph) {
  const std::string_view signature = signature_of(graph);
  if (signature.empty()) return {};
  const std::set<std::string_view> parameters = quoted_after(signature, "PARAMETER target='");
  std::set<std::string_view> trained = parameters;
  for (const auto& value : graph.value_info()) {
    const auto sources = quoted_after(value_of(value.metadata_props(), kFoldedFrom), "'");
    if (std::any_of(sources.begin(), sources.end(), [&](auto s) { return parameters.contains(s); }))
      trained.insert(value.name());
  }
  NamesOfGraphs others;
  for (const auto& initializer : graph.initializer())
    if (!trained.contains(initializer.name())) others.emplace(&graph, initializer.name());
  return others;
}

}  // namespace cutset::onnx
