// The import of the nodes of one graph of a model.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontends/onnx/messages.h"
#include "frontends/onnx/names.h"
#include "frontends/onnx/node.h"
#include "frontends/onnx/refusals.h"

namespace cutset::onnx {

// Converts nodes in their order. A value that is needed while the graph is built, such as a shape, is computed when a
// converter asks for it: its nodes are converted into a graph of their own, which runs on a reference device. So there
// is one implementation of every op.
class Importer {
 public:
  // `nodes` must outlive the importer.
  Importer(const google::protobuf::RepeatedPtrField<::onnx::NodeProto>& nodes, int64_t opset);
  // Makes the nodes of this file the sources of all ops that are added from now on. After an empty path, the source of an op is the line of
  // its caller again.
  void set_file(const std::string& path);
  // Where attributes find elements that are in other files; null: nowhere. Must outlive the importer.
  void set_external_data(const ExternalData* files) { surroundings_.files = files; }
  // Lets nodes assign to weights in "train" (ImportOptions::batch_statistics).
  void let_nodes_assign();

  Graph& graph() { return surroundings_.graph; }
  // Gives a name to a value that no node computes.
  void define(const std::string& name, Value value);
  // Gives a name to a weight: elements that become a variable when the graph needs them. The variable has the name, as a name of the
  // graph. It is trained unless `untrained` of set_training() has the name.
  void define_weight(const std::string& name, HostTensor elements);
  // Must be called before weights are defined. By default, none is trained.
  void set_training(bool trainable, std::set<std::string> untrained);
  bool is_defined(const std::string& name) const { return values_.contains(name); }
  // The type of a value that is defined.
  const TensorType& type(const std::string& name) const { return values_.at(name).type(); }
  // Converts the nodes with these indices. A node that cannot be converted, or that reads the results of such a node, has no
  // results.
  void convert(const std::vector<int>& indices);
  // Converts all nodes.
  void convert_all();
  // A value as a tensor of the graph. Throws kInvalidData if nothing has this name.
  Tensor tensor(const std::string& name);

  // Throws one Error that lists why nodes could not be converted: the first 20 reasons, and the number of the others. Does nothing if
  // all were converted.
  void raise_refusals() const;

 private:
  using Producers = std::map<std::string, int>;
  // An importer of some of the nodes, for values that are computed while the graph is built.
  Importer(const Importer& whole, std::shared_ptr<const Producers> producers);
  void set_callbacks();
  void convert(int index);
  Tensor constant(const HostTensor& elements);
  // The elements of a value, or null if they depend on an input whose elements are unknown.
  const HostTensor* known(const std::string& name);
  std::vector<int> nodes_before(const std::string& name);
  std::shared_ptr<const HostTensor> compute(const std::string& name, const std::vector<int>& indices);

  const google::protobuf::RepeatedPtrField<::onnx::NodeProto>& nodes_;
  Surroundings surroundings_;
  std::shared_ptr<const Producers> producers_;  // the node that computes each value
  std::map<std::string, Value> values_;
  std::set<std::string> untrained_;
  bool trainable_ = false;
  Names variables_{{"graph", "train", "evaluate"}};  // the names of the variables of the graph
  std::set<std::string> assigned_;                   // weights to which a node assigns
  std::set<std::string> missing_;                    // the results of nodes that could not be converted
  std::map<std::string, std::shared_ptr<const HostTensor>> computed_;
  int64_t known_bytes_ = 0;                           // of the elements that converters have computed
  Refusals refusals_;                                 // of nodes
  ErrorCode refusal_code_ = ErrorCode::kUnsupported;  // kInvalidData if a node is invalid
};

}  // namespace cutset::onnx
