// SPDX-License-Identifier: Apache-2.0
// Turns failures into exceptions of the type cutset::Error. Only the public functions do so; all functions
// below them return failures as values.
#pragma once
#include <cutset/error.h>

#include <source_location>
#include <string>
#include <utility>

#include "ir/core/result.h"

namespace cutset {

// Throws the failure as an Error.
[[noreturn]] void raise(const Failure& failure);
// Throws the failure as an Error. If it names no line of the user's program, the Error has `source`, the line
// of the call.
[[noreturn]] void raise(const Failure& failure, std::source_location source);

// Returns the value of `result`, or throws its failure. `source` is used as in raise().
template <class T>
T check(Result<T> result) {
  if (!result.ok()) raise(result.error());
  return *std::move(result);
}
template <class T>
T check(Result<T> result, std::source_location source) {
  if (!result.ok()) raise(result.error(), source);
  return *std::move(result);
}
void check(const Status& status);
void check(const Status& status, std::source_location source);

// Returns the text of an error without the source line at its start.
std::string text_of(const Error& error);
// Returns the text of an error without the source line and without the hint at its end.
std::string message_of(const Error& error);
// Throws the error again without its source line, for callers whose users do not know the source because it
// is a file of Cutset. `before` is put before its text.
[[noreturn]] void raise_without_line(const Error& error, const std::string& before = "");

}  // namespace cutset
