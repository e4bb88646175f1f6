// SPDX-License-Identifier: Apache-2.0
// Helpers for tests of errors: the text of an error, and the line of the caller that it names.
#pragma once
#include <cutset/error.h>

#include <string>

namespace cutset::testing {

// Returns the text of the cutset::Error that f throws, or "no error" if f throws no error.
template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace cutset::testing

// The place that an error of a call on this line must name: "FILE:LINE".
#define CUTSET_HERE \
  (std::string(__FILE__).substr(std::string(__FILE__).find_last_of('/') + 1) + ":" + std::to_string(__LINE__))

// Expects that the call throws an error that contains `text` and names this line. A file that uses it
// includes gmock.
#define EXPECT_ERROR_HERE(text, ...)                             \
  EXPECT_THAT(::cutset::testing::error_of([&] { __VA_ARGS__; }), \
              ::testing::AllOf(::testing::HasSubstr(text), ::testing::HasSubstr(CUTSET_HERE + ": ")))
