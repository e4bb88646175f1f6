// Errors as values. gcc 12 has no std::expected, so these two types are ours.
//
// `Failure` says what is wrong with which op and tensor, where in the user's source, and what to do next.
// `Result<T>` holds a T or a Failure; `Status` is Result<void>. Nothing here throws: reading the value of a failed
// Result, or the error of a successful one, is a programming error and aborts. Values may be handed between threads;
// they own all they refer to.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <variant>

namespace cutset {

enum class ErrorCode {
  kInvalidArgument,  // the caller asked for something that has no meaning (exit code 2)
  kInvalidData,      // bytes from outside are malformed
  kUnavailable,      // a library, driver, device or file is not there
  kUnsupported,      // a backend refuses, with its reason
  kFailed,           // it was tried and did not work
};

struct Failure {
  ErrorCode code = ErrorCode::kFailed;
  std::string what;   // one sentence
  std::string where;  // the user's "file:line", or empty
  std::string hint;   // what to do next, or empty

  // "file:line: what (hint)" on one line.
  std::string text() const {
    std::string s = where.empty() ? what : where + ": " + what;
    return hint.empty() ? s : s + " (" + hint + ")";
  }
};

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

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Failure error) : state_(std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  const Failure& error() const {
    const Failure* e = std::get_if<1>(&state_);
    if (e) return *e;
    std::fputs("error of a successful Result\n", stderr);
    std::abort();
  }

  T& operator*() & { return checked(); }
  const T& operator*() const& { return const_cast<Result*>(this)->checked(); }
  T&& operator*() && { return std::move(checked()); }
  T* operator->() { return &checked(); }
  const T* operator->() const { return &const_cast<Result*>(this)->checked(); }

 private:
  T& checked() {
    if (!ok()) {
      std::fprintf(stderr, "cutset: value of a failed Result: %s\n", error().text().c_str());
      std::abort();
    }
    return std::get<0>(state_);
  }
  std::variant<T, Failure> state_;
};

struct Unit {};

class [[nodiscard]] Status : public Result<Unit> {
 public:
  Status() : Result<Unit>(Unit{}) {}
  Status(Failure error) : Result<Unit>(std::move(error)) {}
};

// Hands an error on to the caller, or binds the value.
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
#define CUTSET_ASSIGN(declaration, expression) CUTSET_ASSIGN_(CUTSET_JOIN(result_, __LINE__), declaration, expression)

}  // namespace cutset
