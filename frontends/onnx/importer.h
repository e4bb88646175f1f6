// The import of the nodes of a model: of its graph, and of the bodies of its nodes.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontends/onnx/folder.h"
#include "frontends/onnx/initializers.h"
#include "frontends/onnx/messages.h"
#include "frontends/onnx/names.h"
#include "frontends/onnx/refusals.h"
#include "frontends/onnx/scope.h"
#include "frontends/onnx/value_table.h"

namespace cutset::onnx {

// Converts nodes in their order. The nodes of a body are converted when the converter of its node asks for it, once per iteration, so the
// graph of a loop is unrolled. A node of a body is converted once for all iterations in which it has the same operands.
class Importer {
 public:
  // `graph` and `files`, which may be null, must outlive the importer.
  Importer(const ::onnx::GraphProto& graph, int64_t opset, const ExternalData* files);
  // Makes the nodes of this file the sources of all ops that are added from now on. After an empty path, the source of an op is the line of
  // its caller again.
  void set_file(const std::string& path);
  // Lets nodes of the graph assign to weights in "train" (ImportOptions::batch_statistics). Nodes of bodies never do, because a body may
  // have several iterations, or may be a branch that is not taken.
  void let_nodes_assign() { nodes_assign_ = true; }

  Graph& graph() { return surroundings_.graph; }
  // Gives a name to a value that no node computes.
  void define(const std::string& name, Value value);
  // Defines the initializers of all graphs. A weight becomes a variable when the graph needs it. All iterations of a body share this
  // variable. It has the name of the weight, as a name of the graph. It is trained if `trainable` is set and `untrained` does not have the
  // name.
  void define_initializers(Initializers initializers, bool trainable, std::set<std::string> untrained);
  bool is_defined(const std::string& name) const { return main_.has(name); }
  // The type of a value of the graph that is defined.
  const TensorType& type(const std::string& name) const { return values_[*main_.find(name)].type(); }
  // Converts all nodes of the graph. A node that cannot be converted, or that reads the results of such a node, has no results.
  void convert_all();
  // A value as a tensor of the graph. Throws kInvalidData if nothing has this name.
  Tensor tensor(const std::string& name);

  // Throws one Error that lists why nodes could not be converted: the first 20 reasons, and the number of the others. Does nothing if
  // all were converted.
  void raise_refusals() const;

 private:
  void set_callbacks();
  void check_limits(const ::onnx::NodeProto& node);
  void convert(const ::onnx::NodeProto& node, Scope& scope);
  // Returns whether the node has results.
  bool convert_step(const ::onnx::NodeProto& node, Step& step, Scope& scope);
  void define_result(const std::string& name, int id, Scope& scope);
  void refuse(const ::onnx::NodeProto& node, const std::string& why);
  void refuse_unknown_ops(const ::onnx::NodeProto& node);
  std::optional<std::vector<Value>> convert_body(const ::onnx::GraphProto& body,
                                                 const std::map<std::string, Value>& inputs, const std::string& label);
  std::vector<Value> compute(const std::vector<Value>& operands, const Compute& compute);
  void count_unrolled(int64_t more);
  void count_unrolled(const ::onnx::NodeProto& node);
  Tensor tensor(int id);
  int id_of(const Value& value) { return value.id >= 0 ? value.id : values_.add(value); }
  bool reserve(const std::vector<int>& weights);
  [[noreturn]] void end_import(const std::string& why);

  const ::onnx::GraphProto& graph_;
  Surroundings surroundings_;
  ValueTable values_;
  Folder folder_;
  Scope main_;
  const Scope* scope_ = &main_;  // of the node that is being converted
  std::map<const ::onnx::GraphProto*, std::vector<std::pair<std::string, int>>> initializers_;
  std::map<int, std::string> weights_;                         // the names of weights
  std::map<const ::onnx::NodeProto*, const Step*> converted_;  // the last step of each node of a body
  std::set<std::string> untrained_;
  bool trainable_ = false, nodes_assign_ = false;
  Names variables_{{"graph", "train", "evaluate"}};    // the names of the variables of the graph
  std::set<int> assigned_;                             // weights to which a node assigns
  int64_t known_bytes_ = 0;                            // of the elements that converters have computed
  int64_t unrolled_ = 0;                               // the nodes of all bodies, with their operands and results
  std::map<const ::onnx::NodeProto*, int64_t> sizes_;  // what each node of a body adds to it
  int64_t incomplete_bodies_ = 0;                      // bodies that lack results of nodes that could not be converted
  bool ended_ = false;                                 // whether the model exceeds a limit
  Refusals refusals_;                                  // of nodes
  ErrorCode refusal_code_ = ErrorCode::kUnsupported;   // kInvalidData if a node is invalid
};

}  // namespace cutset::onnx
