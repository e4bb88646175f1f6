// What a call that is wrong tells its caller: the text of its error, and the line that it names.
#pragma once
#include <cutset/error.h>

#include <string>

namespace cutset::testing {

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

// Where an error of this very line says that it is.
#define CUTSET_HERE \
  (std::string(__FILE__).substr(std::string(__FILE__).find_last_of('/') + 1) + ":" + std::to_string(__LINE__))

// The call throws an error with `text`, and says that it was made at this line. Include gmock where this is used.
#define EXPECT_ERROR_HERE(text, ...)                             \
  EXPECT_THAT(::cutset::testing::error_of([&] { __VA_ARGS__; }), \
              ::testing::AllOf(::testing::HasSubstr(text), ::testing::HasSubstr(CUTSET_HERE + ": ")))
