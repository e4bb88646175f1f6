// SPDX-License-Identifier: Apache-2.0
// Collects the reasons why nodes of a model, or ops of a function, could not be converted.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cutset::onnx {

// Reasons, each with the number of nodes or ops that have it, and with the first three places: lines in the
// user's program, or nodes of a model.
class Refusals {
 public:
  void add(const std::string& reason, const std::string& line = "");
  bool empty() const { return reasons_.empty(); }
  // Returns how often add() was called.
  size_t count() const { return count_; }
  // Returns the first `most` reasons in the order of their texts, and the number of the others: "2 nodes A:
  // why; 1 node B: why". `noun` is the word for a thing that has a reason, such as "node".
  std::string list(const std::string& noun, size_t most = SIZE_MAX) const;

 private:
  struct Reason {
    size_t count = 0;
    std::vector<std::string> lines;  // the first three, in the order in which they were added
    bool more = false;               // whether there were more lines
  };
  std::map<std::string, Reason> reasons_;
  size_t count_ = 0;
};

}  // namespace cutset::onnx
