// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/converters.h"

#include "frontends/onnx/messages.h"
#include "frontends/onnx/names.h"

namespace cutset::onnx {
namespace {

// The converters of all families.
const Converters& converters() {
  static const Converters all = [] {
    Converters table;
    for (const auto add : {add_activations,
                           add_arithmetic,
                           add_attention,
                           add_branches,
                           add_casts,
                           add_comparisons,
                           add_constants,
                           add_convolutions,
                           add_images,
                           add_indexing,
                           add_loops,
                           add_losses,
                           add_matrix_products,
                           add_normalizations,
                           add_poolings,
                           add_quantization,
                           add_quantized_products,
                           add_recurrent,
                           add_reductions,
                           add_resizing,
                           add_scans,
                           add_sequences,
                           add_sequences_of_tensors,
                           add_shapes,
                           add_skip_normalizations,
                           add_slices,
                           add_spectra,
                           add_texts})
      add(table);
    return table;
  }();
  return all;
}

// Why ops of ONNX itself have no converter.
constexpr const char* kDependsOnData =
    "the shape of its result depends on elements that are computed when the program runs, and a graph has "
    "fixed shapes; end the model before this op, and compute it on the results";
const std::map<std::string_view, const char*>& reasons() {
  static const std::map<std::string_view, const char*> all = {
      {"Compress", kDependsOnData},
      {"NonMaxSuppression", kDependsOnData},
      {"Unique", kDependsOnData},
      {"Optional", "values that may be missing are not supported; give the value in any case"},
      {"OptionalGetElement", "values that may be missing are not supported; give the value in any case"},
      {"OptionalHasElement", "values that may be missing are not supported; give the value in any case"}};
  return all;
}

// The name of the op of a node in the table.
std::string op_of(const onnx_proto::NodeProto& node) {
  return is_default_domain(node.domain()) ? node.op_type() : node.domain() + "." + node.op_type();
}

}  // namespace

Converter converter_of(const onnx_proto::NodeProto& node) {
  const auto found = converters().find(op_of(node));
  return found == converters().end() ? nullptr : found->second;
}

std::string why_not_converted(const onnx_proto::NodeProto& node) {
  const std::string none = "there is no converter for this op";
  if (is_default_domain(node.domain())) {
    const auto reason = reasons().find(node.op_type());
    return reason == reasons().end() ? none : none + ": " + reason->second;
  }
  const std::string of_domain = none + " of the domain '" + shown(node.domain()) + "'";
  if (node.domain() == "com.microsoft")
    return of_domain +
           ", which is that of ONNX Runtime; save the model before ONNX Runtime optimizes it, or quantize it "
           "in the format QDQ";
  if (node.domain() == "ai.onnx.ml")
    return of_domain +
           ", whose trees and classifiers are no ops of tensors; convert them to tensors before the export";
  return of_domain + "; the model may define it as a function";
}

}  // namespace cutset::onnx
