// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/names.h"

#include "ir/core/names.h"

namespace cutset::onnx {

std::string valid_name(const std::string& name) {
  constexpr size_t kLongest = 1000;
  const auto is_valid = [](const std::string& text) { return check_name(text, "a value").ok(); };
  const size_t first = name.find_first_not_of('/');
  std::string result = first == std::string::npos ? "" : name.substr(first, kLongest);
  if (is_valid(result)) return result;
  for (char& c : result)
    if (c == '/' || !is_valid(std::string("x") + c)) c = '_';
  return is_valid(result) ? result : "_" + result.substr(0, kLongest - 1);
}

std::string shown(const std::string& text, size_t most) {
  std::string result = text.substr(0, most);
  if (!is_printable(result))
    for (char& c : result)
      if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
  return result + (text.size() > most ? "..." : "");
}

std::string Names::unique(const std::string& name) { return free_name(valid_name(name), name); }
std::string Names::fresh(const std::string& name) { return free_name(valid_name(name), ""); }

// Returns `first`, or `first` with a number at its end, but never a name that is kept for another name than
// `own`.
std::string Names::free_name(const std::string& first, const std::string& own) {
  const auto take = [&](const std::string& text) {
    return (text == own || !kept_.contains(text)) && taken_.insert(text).second;
  };
  std::string result = first;
  while (!take(result)) result = first + "." + std::to_string(++last_[first]);
  return result;
}

}  // namespace cutset::onnx
