// SPDX-License-Identifier: Apache-2.0
// The converters: one function per op of ONNX, which appends ops of Cutset. A file of converters/ holds the
// converters of a family of ops. docs/howto/add-onnx-op.md shows how to add one.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/onnx/family.h"
#include "frontends/onnx/import/nodes/node.h"

namespace cutset::onnx {

// The results of a node in the order of its outputs. Results at the end that the node does not name may be
// missing.
using Results = std::vector<Value>;
// Converts a node. Throws a cutset::Error if the node is invalid or not supported.
using Converter = Results (*)(Node& node);
// The converters by the names of the ops. If an op belongs to another domain than ONNX's, its name begins
// with the domain: "com.microsoft.BiasGelu".
using Converters = std::map<std::string_view, Converter>;

// Returns the converter of a node, or null if there is none.
Converter converter_of(const onnx_proto::NodeProto& node);
// Returns an error message: why a node has no converter, and what to do.
std::string why_not_converted(const onnx_proto::NodeProto& node);

// Registers the converters of one file, when the library is loaded.
using ConverterFamily = Family<Converters>;

}  // namespace cutset::onnx
