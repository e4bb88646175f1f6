// SPDX-License-Identifier: Apache-2.0
// A node of a model, as converters (converters.h) read it: its operands and its attributes.
#pragma once
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "frontends/onnx/import/errors.h"
#include "frontends/onnx/import/import_context.h"

namespace cutset::onnx_proto {
class AttributeProto;
class NodeProto;
}  // namespace cutset::onnx_proto

namespace cutset::onnx {

// Whether the ops of a domain are those of ONNX itself.
bool is_default_domain(const std::string& domain);

class Node {
 public:
  Node(const onnx_proto::NodeProto& proto, std::vector<Value> operands, ImportContext& context);

  // The number of operands, with those at the end that are left out as ""; and whether operand `i` is given.
  int operands() const;
  bool has(int i) const;
  // Operand `i` as a tensor of the graph. Throws kInvalidData if it is not given.
  Tensor in(int i);
  // The same, or an empty Tensor if the operand is not given.
  Tensor optional(int i) { return has(i) ? in(i) : Tensor(); }
  std::vector<Tensor> all();
  // Operand `i` as it is, without adding known elements to the graph.
  const Value& value(int i) const;
  const TensorType& type(int i) const { return value(i).type(); }
  // Operand `i` as it is, also if it is a sequence of tensors. All other functions throw kUnsupported for a
  // sequence.
  const Value& tensor_or_sequence(int i) const;
  // The tensors of operand `i`. Throws kInvalidData if it is no sequence.
  const std::vector<Value>& sequence(int i) const;
  // Whether an operand is a sequence of tensors.
  bool reads_sequence() const;
  // The elements of an operand that decides what the graph is, such as a shape. Throws kUnsupported if they
  // are unknown until the program runs.
  const HostTensor& known(int i);
  // The same as whole numbers; a scalar is a list of one number.
  std::vector<int64_t> known_ints(int i);
  // The only element of operand `i` as a whole number. Throws kInvalidData if there is another number of
  // elements.
  int64_t known_number(int i);
  // The elements of operand `i`, or null if they are computed when the program runs. Notes that they decide
  // what the graph is (decisions.h), so this is only for an operand that does; value(i).known looks without
  // noting.
  const HostTensor* known_or_null(int i);

  // The first operand that is given and that no function above was called for; -1 if there is none.
  // operands() and all() read all.
  int unread_operand() const;

  // The first attribute that no function below was called for; null if there is none. A converter that means
  // to ignore attributes names them in ignore(), because they state no more than what Cutset does in any
  // case.
  const std::string* unread_attribute() const;
  void ignore(std::initializer_list<const char*> attributes) const;

  // By operand: whether the converter took it as a tensor of the graph, so that the program reads its
  // elements.
  const std::vector<bool>& reads_operand() const { return reads_operand_; }

  // The number of results, and whether result `i` has a name.
  int results() const;
  bool wants(int i) const;

  // The value of an attribute, or the default if the node does not have it. Throws kInvalidData if it has
  // another kind.
  int64_t number(const char* name, int64_t otherwise) const;
  double real(const char* name, double otherwise) const;
  std::string text(const char* name, const std::string& otherwise) const;
  std::optional<std::vector<int64_t>> numbers(const char* name) const;
  std::optional<std::vector<double>> reals(const char* name) const;
  std::optional<std::vector<std::string>> texts(const char* name) const;
  std::optional<HostTensor> tensor(const char* name) const;
  bool has_attribute(const char* name) const { return find(name) != nullptr; }

  // A list of numbers that is an attribute in old versions of an op and operand `i` in new ones; std::nullopt
  // if neither is given.
  std::optional<std::vector<int64_t>> numbers_or_operand(const char* name, int i);

  int64_t opset() const { return context_.opset(); }
  bool may_be_dropped() const { return context_.may_be_dropped(); }
  // The assignments of nodes to the weights that are these operands, to which this node may add. Nothing if
  // one is not a weight, or if nodes may not assign.
  std::vector<Assigned*> assigned(std::initializer_list<int> operands);
  Graph& graph() { return context_.graph(); }
  // The node as errors name it.
  std::string shown_name() const;
  // The name of result `i` as errors show it.
  std::string shown_result(int i) const;
  // The graph that is an attribute. Throws kInvalidData if the node does not have it.
  const onnx_proto::GraphProto& body(const char* name) const;
  ImportContext& context() { return context_; }
  // What a node with bodies or sequences asks. Throws kUnsupported where nodes are repeated.
  BodyContext& bodies();
  // A tensor of the graph with these elements.
  Tensor constant(const HostTensor& elements) { return context_.constant(elements); }

 private:
  const onnx_proto::AttributeProto* find(const char* name) const;

  const onnx_proto::NodeProto& proto_;
  std::vector<Value> operands_;
  mutable std::vector<bool> read_;            // by operand: whether the converter asked for it
  mutable std::vector<bool> read_attribute_;  // the same by attribute
  std::vector<bool> reads_operand_;
  ImportContext& context_;
};

// `axis` as a dimension of a tensor of rank `rank`; a negative one counts from the end. Throws kInvalidData
// if the tensor does not have the dimension.
int64_t dimension(int64_t axis, int64_t rank);
// The same for each axis of a list. Also throws kInvalidData if two of them are the same dimension.
std::vector<int64_t> dimensions(std::vector<int64_t> axes, int64_t rank);

}  // namespace cutset::onnx
