// SPDX-License-Identifier: Apache-2.0
// Makes names in a graph from names of ONNX.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace cutset::onnx {

// Returns the name without slashes at its beginning, and with "_" in place of each character that a name in a
// graph cannot have (ir/core/names.h). The result is a valid name of at most 1,000 characters.
std::string valid_name(const std::string& name);

// Returns a name, or another text of a model, as an error message shows it: its first `most` bytes, and "..."
// if there are more. If the text is not printable (ir/core/names.h), each byte that is not printable ASCII
// becomes "?".
std::string shown(const std::string& text, size_t most = 64);

// The names of one kind in a graph.
class Names {
 public:
  // `reserved` are names that the graph keeps for itself.
  explicit Names(std::set<std::string> reserved = {}) : taken_(std::move(reserved)) {}
  // Keeps a name for the value that has it in the model, so that no changed name becomes equal to it: of the
  // outputs "a b" and "a_b", the second output keeps its name.
  void keep(const std::string& name) { kept_.insert(name); }
  // Returns valid_name(name), with a number at the end if it was returned before, is reserved, or is kept for
  // another name.
  std::string unique(const std::string& name);
  // Returns such a name for a value that has no name in the model. It is never a name that is kept.
  std::string fresh(const std::string& name);

 private:
  std::string free_name(const std::string& first, const std::string& own);

  std::set<std::string> taken_, kept_;
  std::map<std::string, int64_t> last_;  // the last number at the end of each name
};

}  // namespace cutset::onnx
