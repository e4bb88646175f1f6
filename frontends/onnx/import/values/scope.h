// SPDX-License-Identifier: Apache-2.0
// The names of values in the graph of a model and in the bodies that are nested in it.
#pragma once
#include <map>
#include <optional>
#include <string>

namespace cutset::onnx {

// The names of one graph. The scope of a body also sees the names of the graphs around it, and these do not
// see its names. An input or an initializer of a body hides an outer value of its name, as ONNX allows. A
// result of a node must not: the importer refuses it.
class Scope {
 public:
  // The id of the results of a node that could not be converted.
  static constexpr int kMissing = -2;

  // The scope of the whole model, or of a body in `outer`, which must outlive it.
  explicit Scope(const Scope* outer = nullptr) : outer_(outer), depth_(outer ? outer->depth_ + 1 : 0) {}
  // The id of the value with this name, in this scope or else in the nearest one around it.
  std::optional<int> find(const std::string& name) const;
  // Whether this scope itself has the name.
  bool has(const std::string& name) const { return ids_.contains(name); }
  // Gives a name to a value. The scope must not have the name.
  void define(const std::string& name, int id) { ids_.emplace(name, id); }
  // The number of scopes around this one: 0 for the graph of the model.
  int depth() const { return depth_; }

 private:
  const Scope* outer_;
  int depth_;
  std::map<std::string, int> ids_;
};

}  // namespace cutset::onnx
