// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/bridge/bridge.h"

#include <dlfcn.h>

#include <filesystem>
#include <mutex>

#include "runtime/abi/library_file.h"
#include "runtime/device/op_libraries.h"

namespace cutset {

Result<Compiler*> load_compiler() {
  static std::mutex mutex;
  static Compiler* compiler = nullptr;
  std::lock_guard lock(mutex);
  if (compiler) return compiler;
  CUTSET_TRY(load_op_libraries());
  Dl_info here;
  std::filesystem::path folder;
  if (dladdr(reinterpret_cast<void*>(&load_compiler), &here) && here.dli_fname)
    folder = std::filesystem::absolute(here.dli_fname).parent_path();
  // Binding all functions of MLIR and LLVM at once would take a quarter of the running time of a short
  // command.
  const std::string file = (folder / "libcutset_compiler.so").string();
  std::string fault = abi::library_fault(file);
  void* library = fault.empty() ? dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL) : nullptr;
  if (!library && fault.empty()) fault = dlerror();
  if (!library)
    return unavailable("cannot load the compiler: " + fault, "run third_party/setup.sh, then build");
  auto open = reinterpret_cast<CompilerOpenFunction>(dlsym(library, kBridgeSymbol));
  Compiler* opened = open ? open(kBridgeVersion) : nullptr;
  if (!opened)
    return unavailable("libcutset_compiler.so belongs to another version of Cutset", "build all of it again");
  CUTSET_TRY(load_compilers_of_op_libraries());
  return compiler = opened;
}

}  // namespace cutset
