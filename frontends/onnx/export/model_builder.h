// SPDX-License-Identifier: Apache-2.0
// A model of ONNX under construction: its nodes, its initializers and the names of its values.
#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "frontends/onnx/messages.h"
#include "frontends/onnx/names.h"
#include "ir/core/result.h"
#include "runtime/files/host_tensor.h"

namespace cutset::onnx {

// The versions of ONNX's operator set and of the file format in exported models.
inline constexpr int64_t kExportedOpset = 20, kExportedFormat = 9;

// An attribute of a node: a whole number, a number, a text, a list of whole numbers or of texts, or a tensor.
struct NodeAttribute {
  std::string name;
  std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<std::string>, HostTensor> value;
};
using NodeAttributes = std::vector<NodeAttribute>;
using ValueNames = std::vector<std::string>;

// The sizes of an input or an output: numbers, names of sizes, and an empty text for a size without a name.
using SizeNames = std::vector<std::variant<int64_t, std::string>>;

// Builds the graph of a model. Each value has a unique name.
class ModelBuilder {
 public:
  // Reserves the name of an input or an output, which is not changed. Fails if it is reserved already.
  Status reserve(const std::string& name);
  // Sets the beginning of the names of the nodes that are added from now on, such as "conv1/conv".
  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }

  // Adds a node and returns the names of its results. An empty name among `operands` leaves out an optional
  // operand.
  ValueNames nodes(const std::string& op, const ValueNames& operands, size_t results,
                   const NodeAttributes& attributes);
  // Adds a node with one result and returns its name.
  std::string node(const std::string& op, const ValueNames& operands, const NodeAttributes& attributes = {}) {
    return nodes(op, operands, 1, attributes)[0];
  }
  // Returns the name of an initializer with these elements. Equal small constants share an initializer.
  std::string constant(HostTensor elements);
  // Reserves and returns a name that no value has: `name`, with a number at its end if `name` is taken.
  std::string fresh(const std::string& name) { return names_.unique(name); }
  // Adds an initializer under a name that fresh() returned.
  void set_initializer(const std::string& name, HostTensor elements);

  void add_input(const std::string& name, DType type, const SizeNames& sizes);
  // Gives the name to a value that a node computes, or else to a copy of the value.
  void add_output(const std::string& name, const std::string& value, DType type, const SizeNames& sizes);

  // Removes the nodes and initializers that no output needs, and returns the graph. The elements of the
  // initializers are moved to `elements`, in the order of the initializers.
  onnx_proto::GraphProto finish(std::vector<HostTensor>& elements);

 private:
  onnx_proto::GraphProto graph_;
  Names names_;
  std::string prefix_;
  std::vector<std::pair<std::string, HostTensor>> initializers_;
  std::map<std::pair<std::string, std::string>, std::string> small_;  // by type and bytes
  std::map<std::string, std::string> renamed_;                        // values that are outputs
  std::set<std::string> computed_;                                    // the results of nodes
};

}  // namespace cutset::onnx
