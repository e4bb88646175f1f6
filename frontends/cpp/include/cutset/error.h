// The one exception of Cutset's C++ API.
#pragma once
#include <stdexcept>
#include <string>

namespace cutset {

enum class ErrorCode;

// What is wrong with which op and tensor, where in the user's source, and what to do next. Thrown by the
// functions of the public headers and by nothing below them.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& what, std::string where, std::string hint)
      : std::runtime_error(line(what, where, hint)), code_(code), where_(std::move(where)), hint_(std::move(hint)) {}
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
