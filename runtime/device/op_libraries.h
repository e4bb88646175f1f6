// SPDX-License-Identifier: Apache-2.0
// Loads op libraries (ir/core/op/op_library.h).
#pragma once
#include <filesystem>

#include "ir/core/result.h"

namespace cutset {

// Loads an op library, which thereby registers its ops. Does nothing if it is loaded already. Any thread may
// call it. Fails, naming the file, if it cannot be loaded, if it registers no ops, or if the registry refuses
// it.
Status load_op_library(const std::filesystem::path& file);

// Loads the libraries that the environment variable CUTSET_OP_LIBRARIES names, which are separated by colons.
// The first call loads them, and later calls return its result. Fails if load_op_library fails, or if a
// library that the program is linked to has been refused. Every function that opens devices or makes a graph
// calls this function first.
Status load_op_libraries();

// Loads the MLIR classes of all libraries that are registered. The compiler must be loaded, and no MLIR
// context may have been made. Fails, naming the file, if a library cannot be loaded.
Status load_compilers_of_op_libraries();

}  // namespace cutset
