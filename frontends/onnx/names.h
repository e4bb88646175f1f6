// Names of ONNX as names in a graph.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace cutset::onnx {

// Returns the name without slashes at its beginning, and with "_" in place of each character that a name in a graph cannot have
// (ir/core/names.h). The result is a valid name of at most 1,000 characters.
std::string valid_name(const std::string& name);

// The names of one kind in a graph.
class Names {
 public:
  // Returns valid_name(name), with a number at the end if it was returned before.
  std::string unique(const std::string& name);

 private:
  std::set<std::string> taken_;
  std::map<std::string, int64_t> last_;  // the last number behind each name
};

}  // namespace cutset::onnx
