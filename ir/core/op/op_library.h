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

// The data that an op library registers. The library is refused unless it was built against this version of
// Cutset.
struct OpLibrary {
  const char* version;                 // the version of Cutset
  size_t op_info_size;                 // sizeof(OpInfo) in that version
  const char* name;                    // "mylib" for libcutset_ops_mylib.so
  std::span<const OpInfo* const> ops;  // must live as long as the process
};

// A registered op library.
struct RegisteredOpLibrary {
  std::string name;
  std::filesystem::path file;      // the library
  std::filesystem::path compiler;  // the library of its MLIR classes
};

// Makes the ops of a library available to find_op and all_ops. Any thread may call it. Fails, registering
// nothing, in these cases:
// - The library was built against another version of Cutset.
// - The library has no name.
// - Another op has the name of one of its ops.
// - close_op_registry() has been called.
Status register_op_library(const OpLibrary& library);

// Registers a library while the loader initialises it. A constructor cannot return an error, so
// op_library_status() returns the error of the first refused library.
struct OpLibraryRegistration {
  explicit OpLibraryRegistration(const OpLibrary& library) noexcept;
};
Status op_library_status();

// Returns the registered libraries.
std::vector<RegisteredOpLibrary> op_libraries();

// Ends the registration of libraries. Call it before making a table that lists all ops, as backends and the
// dialect do, so that no table lacks an op.
void close_op_registry();

}  // namespace cutset
