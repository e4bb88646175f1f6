#include "runtime/device/op_libraries.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "ir/core/op_library.h"

namespace cutset {
namespace {

bool is_registered(const std::filesystem::path& file) {
  const auto libraries = op_libraries();
  std::error_code ignored;
  return std::any_of(libraries.begin(), libraries.end(), [&](const RegisteredOpLibrary& library) {
    return std::filesystem::equivalent(library.file, file, ignored);
  });
}

Status load_given_libraries() {
  if (const char* given = std::getenv("CUTSET_OP_LIBRARIES")) {
    std::stringstream list(given);
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
  if (!dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
    return unavailable("cannot load the op library '" + file.string() + "': " + dlerror(),
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
    if (!dlopen(library.compiler.c_str(), RTLD_NOW | RTLD_LOCAL))
      return unavailable("cannot load the compiler's part of the op library '" + library.name + "': " + dlerror(),
                         "it belongs in the folder of " + library.file.string());
  return {};
}

}  // namespace cutset
