// SPDX-License-Identifier: Apache-2.0
// The initializers of the graph of a model and of its bodies.
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
// Throws kInvalidData if an initializer is malformed, or if two initializers of one graph have the same name.
// Throws kUnsupported if an initializer is sparse.
Initializers take_initializers(onnx_proto::GraphProto& graph, const ExternalData* files);

// Removes the initializers that the graph also lists as inputs if a caller gives them another value, and
// returns their names. `is_given` returns whether a caller gives the initializer with this name.
std::set<std::string> remove_overridden(onnx_proto::GraphProto& graph,
                                        const std::function<bool(const std::string&)>& is_given);

// Returns the inputs of a graph that are not initializers, in their order. Old models also list initializers
// as inputs.
std::vector<const onnx_proto::ValueInfoProto*> inputs_of(const onnx_proto::GraphProto& graph);

// Returns the names that a graph itself defines: inputs, initializers and results of nodes.
std::set<std::string> names_defined_by(const onnx_proto::GraphProto& graph);

// Names, each with the graph that defines it.
using NamesOfGraphs = std::set<std::pair<const onnx_proto::GraphProto*, std::string>>;

// Returns the weights that minimize() does not train, in a graph and in all bodies in it: the operands `mean`
// and `var` of BatchNormalization, and the scales and zero points of the ops of quantization. A name in a
// body belongs to the nearest graph around the node that defines the name.
NamesOfGraphs untrained_operands(const onnx_proto::GraphProto& graph);

// Returns the graphs that are attributes of a node: the bodies of If, Loop and Scan.
std::vector<const onnx_proto::GraphProto*> bodies_of(const onnx_proto::NodeProto& node);

}  // namespace cutset::onnx
