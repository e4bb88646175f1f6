// SPDX-License-Identifier: Apache-2.0
// The names of values in the graph of a model and in the bodies that are nested in it.
#pragma once
#include <map>
#include <optional>
#include <string>

namespace cutset::onnx {

// The names of one graph. The scope of a body also sees the names of the graphs around the body. The scopes
// of these graphs do not see the names of the body. An input or an initializer of a body hides an outer value
// with the same name, as ONNX allows. The importer refuses a result of a node that hides an outer value.
class Scope {
 public:
  // The id of the results of a node that could not be converted.
  static constexpr int kMissing = -2;

  // Makes the scope of the whole model, or of a body in `outer`, which must outlive the new scope.
  explicit Scope(const Scope* outer = nullptr) : outer_(outer), depth_(outer ? outer->depth_ + 1 : 0) {}
  // Returns the id of the value with this name, in this scope or else in the nearest scope around it.
  std::optional<int> find(const std::string& name) const;
  // Whether this scope itself has the name.
  bool has(const std::string& name) const { return ids_.contains(name); }
  // Gives a name to a value. The scope must not have the name.
  void define(const std::string& name, int id) { ids_.emplace(name, id); }
  // Returns the number of scopes around this scope: 0 for the graph of the model.
  int depth() const { return depth_; }

 private:
  const Scope* outer_;
  int depth_;
  std::map<std::string, int> ids_;
};

}  // namespace cutset::onnx
