// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/converters.h"

#include "frontends/onnx/messages.h"
#include "frontends/onnx/names.h"

namespace cutset::onnx {
namespace {

// Returns the converters of all families.
const Converters& converters() {
  static const Converters all = ConverterFamily::table();
  return all;
}

// Reasons why ops of ONNX have no converter.
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

// Returns the name under which the table has the op of a node.
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
           ", which belongs to ONNX Runtime; save the model before ONNX Runtime optimizes it, or quantize it "
           "in the format QDQ";
  if (node.domain() == "ai.onnx.ml")
    return of_domain +
           ", whose trees and classifiers are no ops of tensors; convert them to tensors before the export";
  return of_domain + "; the model may define it as a function";
}

}  // namespace cutset::onnx
