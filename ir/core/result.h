// SPDX-License-Identifier: Apache-2.0
// Errors as values. These types stand in for std::expected, which gcc 12 does not have.
//
// A Failure describes an error. A Result<T> holds a T or a Failure, and a Status is a Result without a value.
// Nothing here throws. Reading the value of a failed Result, or the error of a successful Result, is a
// programming error and aborts the process. The types own all their data, so they may be passed between
// threads.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <variant>

#include "ir/core/error.h"

namespace cutset {

struct Failure {
  ErrorCode code = ErrorCode::kFailed;
  std::string what;    // the error message, with a small first letter and no full stop
  std::string source;  // the line of the user's program as "file:line", or empty
  std::string hint;    // what the user can do next, or empty

  // Returns `source`, `what` and `hint` on one line: "file:line: what (hint)".
  std::string text() const {
    std::string s = source.empty() ? what : source + ": " + what;
    return hint.empty() ? s : s + " (" + hint + ")";
  }
};

// Make a Failure with the code in the name of the function and an empty `source`.
inline Failure invalid_argument(std::string what, std::string hint = {}) {
  return {ErrorCode::kInvalidArgument, std::move(what), {}, std::move(hint)};
}
inline Failure invalid_data(std::string what, std::string hint = {}) {
  return {ErrorCode::kInvalidData, std::move(what), {}, std::move(hint)};
}
inline Failure unavailable(std::string what, std::string hint = {}) {
  return {ErrorCode::kUnavailable, std::move(what), {}, std::move(hint)};
}
inline Failure unsupported(std::string what, std::string hint = {}) {
  return {ErrorCode::kUnsupported, std::move(what), {}, std::move(hint)};
}
inline Failure execution_failed(std::string what, std::string hint = {}) {
  return {ErrorCode::kFailed, std::move(what), {}, std::move(hint)};
}

// A T or a Failure. Both convert to a Result implicitly, so a function can return either.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Failure error) : state_(std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  // Returns the failure. Aborts if the result is ok.
  const Failure& error() const {
    const Failure* e = std::get_if<1>(&state_);
    if (e) return *e;
    std::fputs("cutset: the error of a successful Result was read\n", stderr);
    std::abort();
  }

  // Return the value. Abort if the result is a failure.
  T& operator*() & { return checked(); }
  const T& operator*() const& { return const_cast<Result*>(this)->checked(); }
  T&& operator*() && { return std::move(checked()); }
  T* operator->() { return &checked(); }
  const T* operator->() const { return &const_cast<Result*>(this)->checked(); }

 private:
  T& checked() {
    if (!ok()) {
      std::fprintf(stderr, "cutset: the value of a failed Result was read: %s\n", error().text().c_str());
      std::abort();
    }
    return std::get<0>(state_);
  }
  std::variant<T, Failure> state_;
};

struct Unit {};

// Success or a Failure. A default-constructed Status is success.
class [[nodiscard]] Status : public Result<Unit> {
 public:
  Status() : Result<Unit>(Unit{}) {}
  Status(Failure error) : Result<Unit>(std::move(error)) {}
};

// CUTSET_TRY(e) returns from the enclosing function with the failure of `e` if `e`, a Result or Status, has
// failed. CUTSET_ASSIGN(declaration, e) does the same, and otherwise initializes `declaration` with the value
// of `e`.
#define CUTSET_JOIN_(a, b) a##b
#define CUTSET_JOIN(a, b) CUTSET_JOIN_(a, b)
#define CUTSET_TRY(expression)                                                                 \
  do {                                                                                         \
    if (auto status_ = (expression); !status_.ok()) return ::cutset::Failure(status_.error()); \
  } while (false)
#define CUTSET_ASSIGN_(holder, declaration, expression)       \
  auto holder = (expression);                                 \
  if (!holder.ok()) return ::cutset::Failure(holder.error()); \
  declaration = *std::move(holder)
#define CUTSET_ASSIGN(declaration, expression) \
  CUTSET_ASSIGN_(CUTSET_JOIN(result_, __LINE__), declaration, expression)

}  // namespace cutset
