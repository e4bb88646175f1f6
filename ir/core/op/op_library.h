// SPDX-License-Identifier: Apache-2.0
// Op libraries: ops that users define outside of this source tree (docs/howto/add-op-library.md).
//
// An op library NAME consists of two files. libcutset_ops_NAME.so holds the rules, the reference kernels and
// the builder functions of its ops. libcutset_ops_NAME_compiler.so, in the same folder, holds their MLIR
// classes. A library registers its ops when the loader loads it: with the program that is linked to it, or in
// load_op_libraries() (runtime/device/op_libraries.h). It is never unloaded.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "ir/core/op/op_info.h"

namespace cutset {

// What an op library registers. The library is refused unless it was built against this version of Cutset.
struct OpLibrary {
  const char* version;                 // the version of Cutset
  size_t op_info_size;                 // sizeof(OpInfo) in that version
  const char* name;                    // "mylib" for libcutset_ops_mylib.so
  std::span<const OpInfo* const> ops;  // must live as long as the process
};

// An op library that is registered.
struct RegisteredOpLibrary {
  std::string name;
  std::filesystem::path file;      // the library
  std::filesystem::path compiler;  // the library of its MLIR classes
};

// Makes the ops of a library available to find_op and all_ops. Fails, registering nothing, if the library was
// built against another version of Cutset, if it has no name, if another op has the name of one of its ops,
// or if close_op_registry() has been called. Any thread may call it.
Status register_op_library(const OpLibrary& library);

// Registers a library while the loader initialises it. A constructor cannot return an error, so the error of
// the first library that was refused is kept for op_library_status().
struct OpLibraryRegistration {
  explicit OpLibraryRegistration(const OpLibrary& library) noexcept;
};
Status op_library_status();

// The libraries that are registered.
std::vector<RegisteredOpLibrary> op_libraries();

// From now on no library can be registered. Tables that list all ops, such as those of backends and of the
// dialect, call this function before they are made, so that no table lacks an op.
void close_op_registry();

}  // namespace cutset
