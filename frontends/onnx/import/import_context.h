// SPDX-License-Identifier: Apache-2.0
// The interface between the converters of nodes and the import.
#pragma once
#include <cutset/graph.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontends/onnx/import/values/value.h"
#include "frontends/onnx/names.h"

namespace cutset::onnx_proto {
class GraphProto;
}  // namespace cutset::onnx_proto

namespace cutset::onnx {

class ExternalData;
struct Assigned;

// Ops that a converter of control flow adds between nodes.
using Compute = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

// The part of the interface for nodes with bodies, and for nodes that make or read sequences of tensors.
class BodyContext {
 public:
  virtual ~BodyContext() = default;
  // Applies `ops` to values, and returns the results as values.
  virtual std::vector<Value> compute(const std::vector<Value>& operands, const Compute& ops) = 0;
  // Converts the nodes of a body in the layer `label`, with values for its inputs, and returns its outputs.
  // Returns nothing if a node could not be converted; the import lists the reason.
  virtual std::optional<std::vector<Value>> convert_body(const onnx_proto::GraphProto& body,
                                                         const std::map<std::string, Value>& inputs,
                                                         const std::string& label) = 0;
  // Begins a group of nodes whose results are kept only if the condition has the value `kept_if` when the
  // program runs.
  virtual void begin_dropping(const Value& condition, bool kept_if) = 0;
  // Ends the group that began last.
  virtual void end_dropping() = 0;
  // Counts the tensors of a sequence. Ends the import if all sequences together have too many.
  virtual void count_sequence(int64_t length) = 0;
  // Counts values that a converter makes between nodes. Ends the import if all bodies together are too large.
  virtual void count_values(int64_t more) = 0;
};

// The part of the interface for all nodes. A value is an id in the table of values (value_table.h).
class ImportContext {
 public:
  // `opset` is the version of the default operator set. `files` reads the elements in other files; it is null
  // if there are none.
  ImportContext(int64_t opset, const ExternalData* files, Graph graph)
      : graph_(std::move(graph)), opset_(opset), files_(files) {}
  virtual ~ImportContext() = default;

  Graph& graph() { return graph_; }
  int64_t opset() const { return opset_; }
  const ExternalData* files() const { return files_; }
  // Adds a tensor of known elements to the graph. If the elements have more than 1 KiB, which Graph::constant
  // does not take, they become a variable "constant" that minimize() does not train. Truth values become a
  // cast of u8.
  Tensor constant(const HostTensor& elements);
  // Whether a condition that is computed when the program runs may drop the results of the node. If so, the
  // operands of the node need not be valid, provided that the ops give a defined result for them.
  bool may_be_dropped() const { return may_be_dropped_; }

  // Returns a value as a tensor of the graph, as the node that is being converted reads it (gates.h).
  virtual Tensor tensor(int id) = 0;
  // Returns a value, with its elements if they can be computed now.
  virtual const Value& folded(int id) = 0;
  // Records that the elements of the value decide what the graph is. `node` names the node in errors.
  virtual void decide(int id, const std::string& node) = 0;
  // Returns, for each of these weights, what nodes assign to it. The node that is being converted may add to
  // them. Returns an empty list if a value is not a weight or is named twice, or if the node may not assign.
  virtual std::vector<Assigned*> assigned(const std::vector<int>& weights) = 0;

  // Returns the interface for nodes with bodies or sequences, or null where nodes are converted again to
  // compute known elements (folder.h). A node with bodies or sequences is never repeated: the nodes of its
  // bodies, and the ops that it adds, are repeated instead.
  virtual BodyContext* bodies() = 0;

 protected:
  Names variables_{{"graph", "train", "evaluate"}};  // the names of the variables of the graph
  bool may_be_dropped_ = false;

 private:
  Graph graph_;
  int64_t opset_;
  const ExternalData* files_;
};

// Calls begin_dropping() and, at the end of its life, end_dropping().
class MayBeDropped {
 public:
  MayBeDropped(BodyContext& bodies, const Value& condition, bool kept_if) : bodies_(bodies) {
    bodies_.begin_dropping(condition, kept_if);
  }
  ~MayBeDropped() { bodies_.end_dropping(); }
  MayBeDropped(const MayBeDropped&) = delete;

 private:
  BodyContext& bodies_;
};

}  // namespace cutset::onnx
