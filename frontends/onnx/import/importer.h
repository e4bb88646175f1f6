// SPDX-License-Identifier: Apache-2.0
// Imports the nodes of the graph of a model, and the nodes of its bodies.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontends/onnx/import/import_context.h"
#include "frontends/onnx/import/model/initializers.h"
#include "frontends/onnx/import/model/limits.h"
#include "frontends/onnx/import/model/weights.h"
#include "frontends/onnx/import/values/decisions.h"
#include "frontends/onnx/import/values/folder.h"
#include "frontends/onnx/import/values/gates.h"
#include "frontends/onnx/import/values/scope.h"
#include "frontends/onnx/import/values/value_table.h"
#include "frontends/onnx/refusals.h"

namespace cutset::onnx {

// Converts nodes in their order. The converter of a node with a body converts the body once per iteration, so
// loops are unrolled. If a node of a body has the same operands in several iterations, it is converted once.
// Call the functions in this order: define_initializers, define for the inputs, convert_all, and tensor for
// the outputs.
class Importer final : private ImportContext, private BodyContext {
 public:
  // Adds the ops to `into`. `graph` and `files` must outlive the importer, and `files` may be null. A weight
  // becomes a variable when the graph needs it. All iterations of a body share this variable.
  Importer(const onnx_proto::GraphProto& graph, int64_t opset, const ExternalData* files, Weights weights,
           Graph into);
  // Makes the nodes of this file the sources of all ops that are added from now on. After an empty path, the
  // source of an op is the line of its caller again.
  void set_file(const std::string& path);

  using ImportContext::graph;
  // Gives a name to a value that no node computes, and that is no initializer.
  void define(const std::string& name, Value value);
  // Defines the initializers of all graphs.
  void define_initializers(const Initializers& initializers);
  bool is_defined(const std::string& name) const { return main_.has(name); }
  // Returns the type of a value of the graph. The value must be defined.
  const TensorType& type(const std::string& name) const { return values_[*main_.find(name)].type(); }
  // Converts all nodes of the graph. If nodes cannot be converted, continues with the nodes that do not read
  // their results, and throws one Error at the end. It lists the first 20 reasons, and the number of the
  // others.
  void convert_all();
  // Returns a value as a tensor of the graph. Throws kInvalidData if no value has this name.
  Tensor tensor(const std::string& name);
  // Returns weights_that_only_decide() (decisions.h) for the outputs of the graph. All nodes must be
  // converted.
  std::set<const HostTensor*> weights_that_only_decide() const;
  // Returns the inputs whose known elements decide what the graph is.
  std::set<std::string> inputs_that_decide() const;

 private:
  Tensor tensor(int id) override;
  const Value& folded(int id) override { return folder_.folded(id); }
  void decide(int id, const std::string& node) override { decisions_.add(id, node); }
  // Returns an empty list for nodes of bodies. They assign nothing, because a body may have several
  // iterations, or may be a branch that is not taken.
  std::vector<Assigned*> assigned(const std::vector<int>& weights) override;
  BodyContext* bodies() override { return this; }
  std::vector<Value> compute(const std::vector<Value>& operands, const Compute& ops) override;
  std::optional<std::vector<Value>> convert_body(const onnx_proto::GraphProto& body,
                                                 const std::map<std::string, Value>& inputs,
                                                 const std::string& label) override;
  void begin_dropping(const Value& condition, bool kept_if) override;
  void end_dropping() override;
  void count_sequence(int64_t length) override { limits_.count_sequence(length); }
  void count_values(int64_t more) override { limits_.count_unrolled(more); }

  void convert(const onnx_proto::NodeProto& node, Scope& scope);
  // Converts a node. Returns whether it could be converted.
  bool convert_step(const onnx_proto::NodeProto& node, Step& step, Scope& scope);
  // Throws kUnsupported if the converter of the node has not read one of its attributes.
  void check_attributes(const Node& node) const;
  void define_result(const std::string& name, int id, Scope& scope);
  void define_results(const onnx_proto::NodeProto& node, std::vector<Value>& results, bool is_step,
                      Step& step, Scope& scope);
  void refuse(const onnx_proto::NodeProto& node, const std::string& why);
  void refuse_unknown_ops(const onnx_proto::NodeProto& node);
  void raise_refusals() const;
  int id_of(const Value& value) { return value.id >= 0 ? value.id : values_.add(value); }

  const onnx_proto::GraphProto& graph_;
  ImportLimits limits_;
  ValueTable values_;
  Folder folder_;
  Weights weights_;
  Decisions decisions_;
  Gates gates_;
  Scope main_;
  std::map<int, std::string> known_inputs_;  // the names of inputs whose elements are known
  const Scope* scope_ = &main_;              // the scope of the node that is being converted
  std::map<const onnx_proto::GraphProto*, std::vector<std::pair<std::string, int>>> initializers_;
  std::map<const onnx_proto::NodeProto*, const Step*> converted_;  // the last step of each node of a body
  int64_t incomplete_bodies_ = 0;  // bodies that lack results of nodes that could not be converted
  Refusals refusals_;              // the reasons why nodes could not be converted
  ErrorCode refusal_code_ = ErrorCode::kUnsupported;  // kInvalidData if a node is invalid
};

}  // namespace cutset::onnx
