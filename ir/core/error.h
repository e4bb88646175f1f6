// The only exception type of Cutset's C++ API.
#pragma once
#include <source_location>
#include <stdexcept>
#include <string>

#include "ir/core/result.h"

namespace cutset {

// Thrown by the functions of the public headers when a call fails. Below the public headers, errors are values of type
// Failure (ir/core/result.h), and the public functions turn them into exceptions. what() is one line: the line of the
// user's program, the error message, and the hint in parentheses.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& what, std::string where, std::string hint)
      : std::runtime_error(line(what, where, hint)), code_(code), where_(std::move(where)), hint_(std::move(hint)) {}
  explicit Error(const Failure& f) : Error(f.code, f.what, f.where, f.hint) {}
  // Uses `where`, the line of the failed call, if the failure itself does not name a line.
  Error(const Failure& f, std::source_location where)
      : Error(f.code, f.what, f.where.empty() ? line_of(where) : f.where, f.hint) {}
  // The file name without its folder, and the line: "file.cc:12".
  static std::string line_of(std::source_location where) {
    const std::string file = where.file_name();
    return file.substr(file.find_last_of('/') + 1) + ":" + std::to_string(where.line());
  }
  ErrorCode code() const { return code_; }
  // The line of the user's program as "file.cc:12", or empty if it is not known.
  const std::string& where() const { return where_; }
  // What the user can do next, or empty.
  const std::string& hint() const { return hint_; }

 private:
  static std::string line(const std::string& what, const std::string& where, const std::string& hint) {
    return (where.empty() ? "" : where + ": ") + what + (hint.empty() ? "" : " (" + hint + ")");
  }
  ErrorCode code_;
  std::string where_, hint_;
};

}  // namespace cutset
