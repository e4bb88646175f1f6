// SPDX-License-Identifier: Apache-2.0
#include "ir/core/op/op_library.h"

#include <dlfcn.h>

#include <atomic>
#include <list>
#include <mutex>
#include <optional>

namespace cutset {

// Returns the ops of this source tree, in alphabetical order. The definition is generated.
std::span<const OpInfo* const> built_in_ops();

namespace {

using Ops = std::vector<const OpInfo*>;

struct Registry {
  std::mutex mutex;  // guards all members but `current`
  // Tables that have been replaced stay, because a caller of all_ops() may still read them.
  std::list<Ops> tables = {Ops(built_in_ops().begin(), built_in_ops().end())};
  std::atomic<const Ops*> current = &tables.back();
  std::vector<RegisteredOpLibrary> libraries;
  std::optional<Failure> refused;
  bool closed = false;
};

Registry& registry() {
  static auto* made =
      new Registry;  // never destroyed: threads of devices may look for ops while the process ends
  return *made;
}

auto position(const Ops& ops, std::string_view name) {
  return std::lower_bound(ops.begin(), ops.end(), name,
                          [](const OpInfo* o, std::string_view n) { return o->name < n; });
}

const OpInfo* find(const Ops& ops, std::string_view name) {
  const auto it = position(ops, name);
  return it != ops.end() && (*it)->name == name ? *it : nullptr;
}

std::filesystem::path file_of(const void* object) {
  Dl_info info;
  if (!dladdr(object, &info) || !info.dli_fname) return {};
  std::error_code ignored;  // an exception would end the process, because the loader calls this function
  return std::filesystem::absolute(info.dli_fname, ignored);
}

}  // namespace

std::span<const OpInfo* const> all_ops() { return *registry().current.load(std::memory_order_acquire); }

const OpInfo* find_op(std::string_view name) {
  return find(*registry().current.load(std::memory_order_acquire), name);
}

Status register_op_library(const OpLibrary& library) {
  if (library.version != std::string_view(CUTSET_VERSION) || library.op_info_size != sizeof(OpInfo))
    return unavailable(std::string("an op library was built for version ") + library.version +
                           " of Cutset, and this is version " CUTSET_VERSION,
                       "build the op library again, against the installed version");
  const std::string name = library.name;
  if (name.empty()) return invalid_argument("an op library has no name");
  Registry& its = registry();
  std::lock_guard lock(its.mutex);
  if (its.closed)
    return unavailable("the op library '" + name + "' was loaded after the first graph or device",
                       "link the program to the library, or load it first");
  Ops table = its.tables.back();
  for (const OpInfo* op : library.ops) {
    if (const OpInfo* other = find(table, op->name))
      return invalid_argument(
          "the op library '" + name + "' defines '" + op->name + "', which is the name of an op of '" +
              other->folder + "' already",
          "give the op another name, for example one that begins with the name of the library");
    table.insert(position(table, op->name), op);
  }
  const std::filesystem::path file = file_of(library.name);
  its.libraries.push_back({name, file, file.parent_path() / ("libcutset_ops_" + name + "_compiler.so")});
  its.tables.push_back(std::move(table));
  its.current.store(&its.tables.back(), std::memory_order_release);
  return {};
}

OpLibraryRegistration::OpLibraryRegistration(const OpLibrary& library) noexcept {
  Status status = register_op_library(library);
  if (status.ok()) return;
  Registry& its = registry();
  std::lock_guard lock(its.mutex);
  if (!its.refused) its.refused = status.error();
}

Status op_library_status() {
  Registry& its = registry();
  std::lock_guard lock(its.mutex);
  if (its.refused) return *its.refused;
  return {};
}

std::vector<RegisteredOpLibrary> op_libraries() {
  Registry& its = registry();
  std::lock_guard lock(its.mutex);
  return its.libraries;
}

void close_op_registry() {
  Registry& its = registry();
  std::lock_guard lock(its.mutex);
  its.closed = true;
}

}  // namespace cutset
