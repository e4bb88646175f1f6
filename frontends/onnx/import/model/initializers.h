// SPDX-License-Identifier: Apache-2.0
// The initializers of a model: of its graph, and of the bodies of its nodes.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontends/onnx/import/values/value.h"

namespace cutset::onnx_proto {
class GraphProto;
class NodeProto;
class ValueInfoProto;
}  // namespace cutset::onnx_proto

namespace cutset::onnx {

class ExternalData;

// The names and values of the initializers of each graph.
using Initializers = std::map<const onnx_proto::GraphProto*, std::vector<std::pair<std::string, Value>>>;

// Returns the initializers of a graph and of all bodies in it, and takes their elements out of the message.
// Throws kInvalidData if one is malformed or if two of one graph have the same name, and kUnsupported if one
// is sparse.
Initializers take_initializers(onnx_proto::GraphProto& graph, const ExternalData* files);

// Removes the initializers that the graph also lists as inputs and that a caller gives another value, and
// returns their names. `is_given` says so for the name of an initializer.
std::set<std::string> remove_overridden(onnx_proto::GraphProto& graph,
                                        const std::function<bool(const std::string&)>& is_given);

// The inputs of a graph that are not initializers, in their order. Old models list initializers as inputs,
// too.
std::vector<const onnx_proto::ValueInfoProto*> inputs_of(const onnx_proto::GraphProto& graph);

// The names that a graph itself defines: those of its inputs, its initializers and the results of its nodes.
std::set<std::string> names_defined_by(const onnx_proto::GraphProto& graph);

// Names, each with the graph that defines it.
using NamesOfGraphs = std::set<std::pair<const onnx_proto::GraphProto*, std::string>>;

// The weights that minimize() does not train, in a graph and in all bodies in it: the operands `mean` and
// `var` of BatchNormalization, and all operands but the first of the ops of quantization, which are scales
// and zero points. A name in a body is that of the nearest graph around the node that defines it.
NamesOfGraphs untrained_operands(const onnx_proto::GraphProto& graph);

// The graphs that are attributes of a node: the bodies of If, Loop and Scan.
std::vector<const onnx_proto::GraphProto*> bodies_of(const onnx_proto::NodeProto& node);

}  // namespace cutset::onnx
