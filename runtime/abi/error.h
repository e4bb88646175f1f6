// SPDX-License-Identifier: Apache-2.0
// Makes errors of the device ABI, for backends that are written in C++.
#pragma once
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "runtime/abi/cutset_device.h"

namespace cutset::abi {

// An exception that becomes an error with the code `code`.
class Exception : public std::runtime_error {
 public:
  Exception(cutset_code code, const std::string& message) : std::runtime_error(message), code_(code) {}
  cutset_code code() const { return code_; }

 private:
  cutset_code code_;
};

// Returns an error as the ABI demands it: it is valid until the next call on the same thread.
inline const cutset_error* keep_error(cutset_code code, std::string message) noexcept {
  static thread_local std::string text;
  static thread_local cutset_error error;
  text = std::move(message);
  error = {.size = sizeof error, .code = code, .message = text.c_str()};
  return &error;
}

// Runs f and returns null. If f throws, returns the exception as an error of the ABI: an Exception with its
// code, std::bad_alloc as CUTSET_OUT_OF_MEMORY, and any other exception as CUTSET_FAILED.
template <class F>
const cutset_error* guard(F&& f) noexcept {
  static constexpr cutset_error kOutOfMemory = {sizeof(cutset_error), CUTSET_OUT_OF_MEMORY, "out of memory"};
  try {
    try {
      f();
      return nullptr;
    } catch (const std::bad_alloc&) {
      return &kOutOfMemory;
    } catch (const Exception& e) {
      return keep_error(e.code(), e.what());
    } catch (const std::exception& e) {
      return keep_error(CUTSET_FAILED, e.what());
    } catch (...) {
      return keep_error(CUTSET_FAILED, "an exception of an unknown type");
    }
  } catch (...) {
    return &kOutOfMemory;
  }
}

// The error of a wait that `abandon` has ended.
class Abandoned : public Exception {
 public:
  Abandoned() : Exception(CUTSET_ABANDONED, "abandoned: the step failed on another device or queue") {}
};

}  // namespace cutset::abi
