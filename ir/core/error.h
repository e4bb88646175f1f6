// SPDX-License-Identifier: Apache-2.0
// The only exception type of Cutset's C++ API, and its codes.
#pragma once
#include <source_location>
#include <stdexcept>
#include <string>

namespace cutset {

struct Failure;  // an error as a value (ir/core/result.h); users of the API meet only the exception

// The kind of an error. It helps a program to decide how to handle the error.
enum class ErrorCode {
  kInvalidArgument,  // the caller's request has no meaning; the command line exits with code 2
  kInvalidData,      // a file or a message is malformed
  kUnavailable,      // a library, driver, device or file does not exist
  kUnsupported,      // a backend does not support the problem
  kFailed,           // the operation was valid, but its execution failed
};

// Thrown by the functions of the public headers when a call fails. Below the public headers, errors are
// values of type Failure (ir/core/result.h), and the public functions turn them into exceptions. what() is
// one line: the line of the user's program, the error message, and the hint in parentheses.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& what, std::string source, std::string hint);
  explicit Error(const Failure& failure);
  // Uses `source`, the line of the failed call, if the failure itself does not name a line.
  Error(const Failure& failure, std::source_location source);
  // Returns the file name without its folder, and the line: "file.cc:12".
  static std::string line_of(std::source_location source);
  ErrorCode code() const { return code_; }
  // Returns the line of the user's program as "file.cc:12", or an empty text if it is not known.
  const std::string& source() const { return source_; }
  // Returns what the user can do next, or an empty text.
  const std::string& hint() const { return hint_; }

 private:
  ErrorCode code_;
  std::string source_, hint_;
};

}  // namespace cutset
