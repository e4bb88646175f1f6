// A node of a model, as converters (converters.h) read it: its operands and its attributes.
#pragma once
#include <cutset/graph.h>

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontends/onnx/value.h"

namespace onnx {
class AttributeProto;
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace cutset::onnx {

class ExternalData;

// Ops that a converter of control flow adds between nodes.
using Compute = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

// What a node asks the import that it belongs to. Values are named by their ids.
struct Surroundings {
  Graph graph;
  int64_t opset = 0;  // the version of the default operator set
  // Reserves weights for the assignments of one node. Returns false, and reserves none, if a value is not a weight or is reserved.
  // Empty: no node may assign.
  std::function<bool(const std::vector<int>&)> reserve;
  const ExternalData* files = nullptr;                // elements in other files; null: there are none
  std::function<const Value&(int)> folded;            // a value, with its elements if they can be computed now
  std::function<Tensor(int)> tensor;                  // a value as a tensor of the graph
  std::function<Tensor(const HostTensor&)> constant;  // adds a tensor of known elements to the graph

  // Whether a condition that is computed when the program runs may drop the results of the node. Its operands need not be valid then, as
  // far as the ops give a defined result for them.
  bool may_be_dropped = false;

  // What nodes with bodies ask. Empty where there are none.
  // Adds ops whose results are values.
  std::function<std::vector<Value>(const std::vector<Value>&, const Compute&)> compute;
  // Converts the nodes of a body in the layer `label`, with values for its inputs, and returns its outputs. Returns nothing if a node
  // could not be converted; the import lists the reason.
  std::function<std::optional<std::vector<Value>>(const ::onnx::GraphProto&, const std::map<std::string, Value>&,
                                                  const std::string& label)>
      convert_body;
  // Counts values that a converter makes between nodes. Ends the import if all bodies together are too large.
  std::function<void(int64_t)> count_values;
};

// Whether the ops of a domain are those of ONNX itself.
bool is_default_domain(const std::string& domain);

// Throws an Error (kUnsupported) of the node that is being converted. The importer adds the name of the node.
[[noreturn]] void unsupported(const std::string& why);
// Throws an Error (kInvalidData), for a node that ONNX does not allow.
[[noreturn]] void invalid(const std::string& why);

class Node {
 public:
  Node(const ::onnx::NodeProto& proto, std::vector<Value> operands, Surroundings& surroundings);

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
  // The elements of an operand that decides a shape. Throws kUnsupported if they are unknown until the program runs.
  const HostTensor& known(int i);
  // The same as whole numbers; a scalar is a list of one number.
  std::vector<int64_t> known_ints(int i);
  // The only element of operand `i` as a whole number. Throws kInvalidData if there is another number of elements.
  int64_t known_number(int i);
  // The elements of operand `i`, or null if they are unknown.
  const HostTensor* known_or_null(int i);

  // The first operand that is given and that no function above was called for; -1 if there is none. operands() and all() read all.
  int unread_operand() const;

  // The number of results, and whether result `i` has a name.
  int results() const;
  bool wants(int i) const;

  // The value of an attribute, or the default if the node does not have it. Throws kInvalidData if it has another kind.
  int64_t number(const char* name, int64_t otherwise) const;
  double real(const char* name, double otherwise) const;
  std::string text(const char* name, const std::string& otherwise) const;
  std::optional<std::vector<int64_t>> numbers(const char* name) const;
  std::optional<std::vector<double>> reals(const char* name) const;
  std::optional<std::vector<std::string>> texts(const char* name) const;
  std::optional<HostTensor> tensor(const char* name) const;
  bool has_attribute(const char* name) const { return find(name) != nullptr; }

  // A list of numbers that is an attribute in old versions of an op and operand `i` in new ones; std::nullopt if neither
  // is given.
  std::optional<std::vector<int64_t>> numbers_or_operand(const char* name, int i);

  int64_t opset() const { return surroundings_.opset; }
  bool may_be_dropped() const { return surroundings_.may_be_dropped; }
  // Reserves the weights that are these operands for assignments of this node in "train". Returns false, and reserves none, if one is
  // not a weight, if another node has reserved one, or if nodes may not assign.
  bool reserve_assignments(std::initializer_list<int> operands);
  Graph& graph() { return surroundings_.graph; }
  // The node as errors name it.
  std::string shown_name() const;
  // The name of result `i` as errors show it.
  std::string shown_result(int i) const;
  // The graph that is an attribute. Throws kInvalidData if the node does not have it.
  const ::onnx::GraphProto& body(const char* name) const;
  // What nodes with bodies ask the import (Surroundings).
  Surroundings& surroundings() { return surroundings_; }
  // A tensor of the graph with these elements.
  Tensor constant(const HostTensor& elements) { return surroundings_.constant(elements); }

 private:
  const ::onnx::AttributeProto* find(const char* name) const;

  const ::onnx::NodeProto& proto_;
  std::vector<Value> operands_;
  mutable std::vector<bool> read_;  // by operand
  Surroundings& surroundings_;
};

// `axis` as a dimension of a tensor of rank `rank`; a negative one counts from the end. Throws kInvalidData if the
// tensor does not have the dimension.
int64_t dimension(int64_t axis, int64_t rank);
// The same for each axis of a list. Also throws kInvalidData if two of them are the same dimension.
std::vector<int64_t> dimensions(std::vector<int64_t> axes, int64_t rank);

}  // namespace cutset::onnx
