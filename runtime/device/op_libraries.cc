// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/op_libraries.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "ir/core/op/op_library.h"
#include "runtime/abi/library_file.h"

namespace cutset {
namespace {

bool is_registered(const std::filesystem::path& file) {
  const auto libraries = op_libraries();
  std::error_code ignored;
  return std::any_of(libraries.begin(), libraries.end(), [&](const RegisteredOpLibrary& library) {
    return std::filesystem::equivalent(library.file, file, ignored);
  });
}

// Loads a library. Returns why that failed, or an empty text.
std::string why_not_loaded(const std::filesystem::path& file) {
  if (std::string fault = abi::library_fault(file.string()); !fault.empty()) return fault;
  return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) ? "" : dlerror();
}

Status load_given_libraries() {
  if (const char* files = std::getenv("CUTSET_OP_LIBRARIES")) {
    std::stringstream list(files);
    for (std::string file; std::getline(list, file, ':');)
      if (!file.empty()) CUTSET_TRY(load_op_library(file));
  }
  return op_library_status();
}

}  // namespace

Status load_op_library(const std::filesystem::path& file) {
  std::error_code ignored;
  // An absolute path is never searched for in the folders of the loader.
  const std::filesystem::path path = std::filesystem::absolute(file, ignored);
  if (const std::string why = why_not_loaded(path); !why.empty())
    return unavailable(
        "cannot load the op library '" + file.string() + "': " + why,
        "an op library is a file libcutset_ops_NAME.so that was built against this installation");
  CUTSET_TRY(op_library_status());
  if (!is_registered(path))
    return invalid_data("'" + file.string() + "' is not an op library: it registers no ops",
                        "cutset_add_op_library() in CMake makes one");
  return {};
}

Status load_op_libraries() {
  static const Status status = load_given_libraries();
  return status;
}

Status load_compilers_of_op_libraries() {
  for (const RegisteredOpLibrary& library : op_libraries())
    if (const std::string why = why_not_loaded(library.compiler); !why.empty())
      return unavailable("cannot load the compiler's part of the op library '" + library.name + "': " + why,
                         "it belongs in the folder of " + library.file.string());
  return {};
}

}  // namespace cutset
