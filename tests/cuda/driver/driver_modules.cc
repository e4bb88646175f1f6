// SPDX-License-Identifier: Apache-2.0
// The functions of the driver double that load kernels and launch them.
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "tests/cuda/driver/streams.h"
#include "tests/cuda/emulator/block_emulator.h"
#include "tests/cuda/emulator/launch_limits.h"

#define CUTSET_TEXT_OF(name) #name
#define CUTSET_TEXT(name) CUTSET_TEXT_OF(name)

namespace cutset::cuda {

using namespace doubles;

namespace {

constexpr Status kInvalidImage = 200;
constexpr size_t kStaticSharedBytes = 48 << 10;  // the most shared memory of a block

// Returns the size of a shared library for this machine, or 0 if the image is something else. The headers of
// the sections lie at the end of the file.
size_t library_bytes(const void* image) {
  if (std::memcmp(image, ELFMAG, SELFMAG) != 0) return 0;
  Elf64_Ehdr header, own;
  std::memcpy(&header, image, sizeof header);
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  const bool read_own = file >= 0 && read(file, &own, sizeof own) == sizeof own;
  if (file >= 0) close(file);
  if (!read_own || std::memcmp(header.e_ident, own.e_ident, EI_OSABI) != 0 ||
      header.e_machine != own.e_machine || header.e_type != ET_DYN)
    return 0;
  return header.e_shoff + size_t{header.e_shnum} * header.e_shentsize;
}

Module_t& module_of(Module module) {
  require(state().modules.contains(module), kInvalidHandle);
  return *module;
}
Function_t& function_of(Function function) {
  require(state().functions.contains(function), kInvalidHandle);
  return *function;
}
void close_library(void* library, int file) {
  if (library) dlclose(library);
  close(file);
}

Module load(const void* image) {
  const size_t bytes = library_bytes(image);
  require(bytes > 0, kInvalidImage);
  const int file = memfd_create("cutset_kernels", MFD_CLOEXEC);
  require(file >= 0, kOutOfMemory);
  // The file stays open as long as the library, because the loader tells libraries apart by their paths.
  const std::string path = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file);
  void* library = nullptr;
  if (write(file, image, bytes) == static_cast<ssize_t>(bytes))
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  auto* const kernels =
      library ? static_cast<KernelLibrary*>(dlsym(library, CUTSET_TEXT(CUTSET_KERNEL_LIBRARY))) : nullptr;
  if (!kernels || kernels->version != kKernelInterface) {
    if (const char* why = dlerror())
      std::fprintf(stderr, "cutset driver double: the image is invalid: %s\n", why);
    close_library(library, file);
    throw Failure{kInvalidImage};
  }
  return new Module_t{&current(), file, library, kernels};
}

// Finds the allocations to which the parameters of a launch point. Returns an error if the launch must not
// use one of them.
std::string find_memory(const KernelEntry& kernel, void* const* parameters, const Context_t& context,
                        std::vector<const Allocation*>& found) {
  for (unsigned i = 0; i < kernel.parameters; ++i) {
    if (kernel.sizes[i] != sizeof(void*)) continue;
    void* at = nullptr;
    std::memcpy(&at, parameters[i], sizeof at);
    const std::string start = std::string("kernel ") + kernel.name + ": parameter " + std::to_string(i) + " ";
    if (state().memory.is_freed(at)) return start + "points to memory that has been freed";
    const Allocation* a = state().memory.find(at, 1);
    if (!a) continue;
    found.push_back(a);
    if (a->device == kHost || a->device == context.device) continue;
    if (!context.peers.contains(&state().contexts[static_cast<size_t>(a->device)]))
      return start + "points to memory of device " + std::to_string(a->device) +
             ", whose peer access is not enabled";
  }
  return "";
}

// The parameters of a launch, which the driver copies at the call.
struct Parameters {
  std::vector<std::vector<unsigned char>> values;
  std::vector<void*> pointers;
};

std::string run_kernel(const Function_t& function, Index3 grid, Index3 block, const Parameters& parameters,
                       uint64_t seed) {
  if (!state().functions.contains(const_cast<Function>(&function)))
    return "a kernel of an unloaded module runs";
  const KernelEntry& kernel = *function.kernel;
  const Context_t& context = *function.module->context;
  std::vector<void*> pointers = parameters.pointers;
  std::vector<const Allocation*> memory;
  std::string error = find_memory(kernel, pointers.data(), context, memory);
  if (error.empty()) error = run_grid(*function.module->kernels, kernel, grid, block, pointers.data(), seed);
  if (error.empty())
    for (const Allocation* a : memory)
      if (DeviceMemory::is_damaged(*a))
        error = std::string("kernel ") + kernel.name + ": it has written outside an allocation of " +
                std::to_string(a->bytes) + " bytes";
  return error;
}

}  // namespace

CUTSET_EXPORT cuModuleLoadData(Module* module, const void* image) {
  return driver_call("cuModuleLoadData", Needs::kContext, [&] {
    require(module && image, kInvalidValue);
    refuse_unsafe_call();
    *module = load(image);
    state().modules.insert(*module);
  });
}
CUTSET_EXPORT cuModuleUnload(Module module) {
  return driver_call("cuModuleUnload", Needs::kContextToRelease, [&] {
    Module_t& m = module_of(module);
    refuse_unsafe_call();
    for (auto& [name, function] : m.functions) state().functions.erase(&function);
    close_library(m.library, m.file);
    state().modules.erase(module);
    delete module;
  });
}
CUTSET_EXPORT cuModuleGetFunction(Function* function, Module module, const char* name) {
  return driver_call("cuModuleGetFunction", Needs::kContext, [&] {
    require(function && name, kInvalidValue);
    Module_t& m = module_of(module);
    for (unsigned i = 0; i < m.kernels->kernel_count; ++i) {
      if (std::strcmp(m.kernels->kernels[i].name, name) != 0) continue;
      *function = &m.functions.try_emplace(name, Function_t{module, &m.kernels->kernels[i]}).first->second;
      state().functions.insert(*function);
      return;
    }
    throw Failure{kNotFound};
  });
}
CUTSET_EXPORT cuFuncGetAttribute(int* value, FunctionAttribute attribute, Function function) {
  return driver_call("cuFuncGetAttribute", Needs::kContext, [&] {
    require(value, kInvalidValue);
    const KernelLibrary& kernels = *function_of(function).module->kernels;
    switch (attribute) {
      case FunctionAttribute::kMaxThreadsPerBlock:
        *value = kMostThreads;
        return;
      case FunctionAttribute::kSharedBytes:
        *value = static_cast<int>(kernels.shared_end - kernels.shared_begin);
        return;
      case FunctionAttribute::kLocalBytes:
        *value = 0;
        return;
      case FunctionAttribute::kRegisters:
        *value = 32;
        return;
    }
    throw Failure{kInvalidValue};
  });
}

CUTSET_EXPORT cuLaunchKernel(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                             unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                             Stream stream, void** parameters, void** extra) {
  return driver_call("cuLaunchKernel", Needs::kContext, [&] {
    const Function_t& f = function_of(function);
    Stream_t& s = current_stream(stream);
    require(f.module->context == s.context, kInvalidHandle);
    const Index3 grid = {grid_x, grid_y, grid_z}, block = {block_x, block_y, block_z};
    std::string problem = launch_problem(grid, block);
    if (extra) problem = "the parameter 'extra' is not supported by the double";
    if (shared_bytes > kStaticSharedBytes) problem = "the block has more than 48 KiB of shared memory";
    if (f.kernel->parameters > 0 && !parameters) problem = "the parameters are missing";
    if (!problem.empty()) {
      std::fprintf(stderr, "cutset driver double: launch of kernel %s: %s\n", f.kernel->name,
                   problem.c_str());
      throw Failure{kInvalidValue};
    }
    auto copied = std::make_shared<Parameters>();
    for (unsigned i = 0; i < f.kernel->parameters; ++i) {
      const auto* value = static_cast<const unsigned char*>(parameters[i]);
      require(value, kInvalidValue);
      copied->values.emplace_back(value, value + f.kernel->sizes[i]);
    }
    for (auto& value : copied->values) copied->pointers.push_back(value.data());
    const uint64_t seed =
        state().commands.seed() < 2 ? state().commands.seed() : 2 + state().commands.random().next() / 2;
    append(s, [=, &f] { return run_kernel(f, grid, block, *copied, seed); });
  });
}

}  // namespace cutset::cuda
