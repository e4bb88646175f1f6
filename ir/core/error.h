// The one exception of Cutset's C++ API.
#pragma once
#include <source_location>
#include <stdexcept>
#include <string>

#include "ir/core/result.h"

namespace cutset {

// What is wrong with which op and tensor, where in the user's source, and what to do next. Thrown by the
// functions and values of the public headers; below them errors are values (ir/core/result.h).
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& what, std::string where, std::string hint)
      : std::runtime_error(line(what, where, hint)), code_(code), where_(std::move(where)), hint_(std::move(hint)) {}
  explicit Error(const Failure& f) : Error(f.code, f.what, f.where, f.hint) {}
  // `where` is the line of the call that failed, for a failure that names no line itself.
  Error(const Failure& f, std::source_location where)
      : Error(f.code, f.what, f.where.empty() ? line_of(where) : f.where, f.hint) {}
  // "file.cc:12", without the folder.
  static std::string line_of(std::source_location where) {
    const std::string file = where.file_name();
    return file.substr(file.find_last_of('/') + 1) + ":" + std::to_string(where.line());
  }
  ErrorCode code() const { return code_; }
  const std::string& where() const { return where_; }  // "file:line", or empty
  const std::string& hint() const { return hint_; }

 private:
  static std::string line(const std::string& what, const std::string& where, const std::string& hint) {
    return (where.empty() ? "" : where + ": ") + what + (hint.empty() ? "" : " (" + hint + ")");
  }
  ErrorCode code_;
  std::string where_, hint_;
};

}  // namespace cutset
