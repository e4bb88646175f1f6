// For tests of what a user meets: the text of the error that a call throws.
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
