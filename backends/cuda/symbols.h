// SPDX-License-Identifier: Apache-2.0
// Finds the functions of a library that is opened at run time.
#pragma once
#include <dlfcn.h>

#include <array>
#include <bit>
#include <iterator>

namespace cutset::cuda {

// Returns the functions of an open library. The members of Api are pointers to functions, and Api::kSymbols
// has their names in the same order. If the library lacks a function, its member is null, and `missing`
// becomes the name of the first such function.
template <class Api>
Api find_functions(void* library, const char*& missing) {
  std::array<void*, std::size(Api::kSymbols)> found;
  for (size_t i = 0; i < found.size(); ++i) {
    found[i] = dlsym(library, Api::kSymbols[i]);
    if (!found[i] && !missing) missing = Api::kSymbols[i];
  }
  return std::bit_cast<Api>(found);
}

}  // namespace cutset::cuda
