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

// Whether a domain is ONNX's own.
bool is_default_domain(const std::string& domain);

class Node {
 public:
  Node(const onnx_proto::NodeProto& proto, std::vector<Value> operands, ImportContext& context);

  // Return the number of operands, including operands at the end that are left out as "", and whether operand
  // `i` is given.
  int operands() const;
  bool has(int i) const;
  // Returns operand `i` as a tensor of the graph. Throws kInvalidData if it is not given.
  Tensor in(int i);
  // Returns operand `i` as a tensor of the graph, or an empty Tensor if it is not given.
  Tensor optional(int i) { return has(i) ? in(i) : Tensor(); }
  std::vector<Tensor> all();
  // Returns operand `i` without adding known elements to the graph.
  const Value& value(int i) const;
  const TensorType& type(int i) const { return value(i).type(); }
  // Returns operand `i`, which may be a sequence of tensors. All other functions throw kUnsupported for a
  // sequence.
  const Value& tensor_or_sequence(int i) const;
  // Returns the tensors of operand `i`. Throws kInvalidData if it is not a sequence.
  const std::vector<Value>& sequence(int i) const;
  // Whether an operand is a sequence of tensors.
  bool reads_sequence() const;
  // Returns the elements of an operand that decides what the graph is, such as a shape. Throws kUnsupported
  // if they are unknown until the program runs.
  const HostTensor& known(int i);
  // Returns the same elements as whole numbers. A scalar is a list of one number.
  std::vector<int64_t> known_ints(int i);
  // Returns the only element of operand `i` as a whole number. Throws kInvalidData if the operand has several
  // elements or none.
  int64_t known_number(int i);
  // Returns the elements of operand `i`, or null if they are computed when the program runs. Records that
  // they decide what the graph is (decisions.h). For elements that do not decide this, read value(i).known,
  // which records nothing.
  const HostTensor* known_or_null(int i);

  // Returns the first given operand that no function above has read, or -1 if there is none. operands() and
  // all() read all operands.
  int unread_operand() const;

  // Returns the first attribute that no function below has read, or null if there is none. A converter calls
  // ignore() for attributes that do not change what Cutset computes.
  const std::string* unread_attribute() const;
  void ignore(std::initializer_list<const char*> attributes) const;

  // Returns, for each operand, whether the converter took it as a tensor of the graph. If so, the program
  // reads its elements.
  const std::vector<bool>& reads_operand() const { return reads_operand_; }

  // Return the number of results, and whether result `i` has a name.
  int results() const;
  bool wants(int i) const;

  // Return the value of an attribute, or the default if the node does not have it. Throw kInvalidData if it
  // has another kind.
  int64_t number(const char* name, int64_t otherwise) const;
  double real(const char* name, double otherwise) const;
  std::string text(const char* name, const std::string& otherwise) const;
  std::optional<std::vector<int64_t>> numbers(const char* name) const;
  std::optional<std::vector<double>> reals(const char* name) const;
  std::optional<std::vector<std::string>> texts(const char* name) const;
  std::optional<HostTensor> tensor(const char* name) const;
  bool has_attribute(const char* name) const { return find(name) != nullptr; }

  // Returns a list of numbers that is an attribute in old versions of an op and operand `i` in new versions,
  // or std::nullopt if neither is given.
  std::optional<std::vector<int64_t>> numbers_or_operand(const char* name, int i);

  int64_t opset() const { return context_.opset(); }
  bool may_be_dropped() const { return context_.may_be_dropped(); }
  // Returns the assignments of nodes to the weights that are these operands. This node may add to them.
  // Returns an empty list if an operand is not a weight, or if nodes may not assign.
  std::vector<Assigned*> assigned(std::initializer_list<int> operands);
  Graph& graph() { return context_.graph(); }
  // Returns the node as errors name it.
  std::string shown_name() const;
  // Returns the name of result `i` as errors show it.
  std::string shown_result(int i) const;
  // Returns the graph that is an attribute. Throws kInvalidData if the node does not have it.
  const onnx_proto::GraphProto& body(const char* name) const;
  ImportContext& context() { return context_; }
  // Returns the interface for nodes with bodies or sequences. Throws kUnsupported where nodes are repeated.
  BodyContext& bodies();
  // Returns a tensor of the graph with these elements.
  Tensor constant(const HostTensor& elements) { return context_.constant(elements); }

 private:
  const onnx_proto::AttributeProto* find(const char* name) const;

  const onnx_proto::NodeProto& proto_;
  std::vector<Value> operands_;
  mutable std::vector<bool> read_;            // by operand: whether the converter has read it
  mutable std::vector<bool> read_attribute_;  // by attribute: whether the converter has read it
  std::vector<bool> reads_operand_;
  ImportContext& context_;
};

// Returns `axis` as a dimension of a tensor of rank `rank`. A negative axis counts from the end. Throws
// kInvalidData if the tensor does not have the dimension.
int64_t dimension(int64_t axis, int64_t rank);
// Returns the dimension of each axis in a list. Also throws kInvalidData if two axes are the same dimension.
std::vector<int64_t> dimensions(std::vector<int64_t> axes, int64_t rank);

}  // namespace cutset::onnx
