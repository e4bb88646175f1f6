// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/launches.h"

#include <algorithm>

#include "backends/portable/halves.h"

namespace cutset::portable {

#define KERNELS(name) void register_##name(abi::KernelTable&);
#include "backends/portable/kernel_list.inc"
#undef KERNELS

void add_portable_kernels(abi::KernelTable& kernels) {
#define KERNELS(name) register_##name(kernels);
#include "backends/portable/kernel_list.inc"
#undef KERNELS
}

cutset_slice locate(const Memory& memory, const abi::Operands& at) {
  switch (memory.kind) {
    case Memory::Kind::kIn:
      return at.in[memory.index];
    case Memory::Kind::kOut:
      return at.out[memory.index];
    default:
      return {at.scratch->buffer, at.scratch->offset + memory.index, at.scratch->bytes - memory.index};
  }
}

void Launches::add(std::string source, std::string kernel, const Grid& grid,
                   std::vector<Argument> arguments) {
  for (const Argument& a : arguments) too_large_ |= a.too_large;
  const Extent &groups = grid.groups, &most = target().most_groups;
  if (groups.x == 0 || groups.y == 0 || groups.z == 0) return;  // no work-items
  too_large_ |= groups.x > most.x || groups.y > most.y || groups.z > most.z;
  launches_.push_back({std::move(source), std::move(kernel), grid, std::move(arguments)});
}

void Launches::add_flat(std::string source, std::string kernel, int64_t items,
                        std::vector<Argument> arguments) {
  too_large_ |= items >= kMostElements;
  const int64_t each = target().group_items;
  add(std::move(source), std::move(kernel), {.groups = {(items + each - 1) / each}, .items = {each}},
      std::move(arguments));
}

Memory Launches::take(uint64_t bytes) {
  too_large_ |= bytes / sizeof(float) >= uint64_t{kMostElements};
  const Memory block{Memory::Kind::kScratch, used_};
  used_ += (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
  return block;
}

std::string check_sizes(const abi::Problem& p) {
  for (size_t i = 0; i < p.inputs() + p.outputs(); ++i)
    if (elements(i < p.inputs() ? p.in_shape(i) : p.out_shape(i - p.inputs())) >= kMostElements)
      return "the kernel supports only tensors with fewer than 2^31 - 1024 elements";
  return "";
}

std::string check_c_type(DType type) {
  return c_type(type) ? "" : std::string("no kernel for ") + name_of(type);
}

// Refuses the first operand or result whose element type is not `supported`.
template <class Supported>
static std::string check_all(const abi::Problem& p, Supported&& supported) {
  for (size_t i = 0; i < p.inputs() + p.outputs(); ++i)
    if (const DType t = i < p.inputs() ? p.in_type(i) : p.out_type(i - p.inputs()); !supported(t))
      return std::string("no kernel for ") + name_of(t);
  return "";
}
std::string check_c_types(const abi::Problem& p) { return check_all(p, c_type); }
std::string check_stored_types(const abi::Problem& p) { return check_all(p, stored_type); }
std::string only(const abi::Problem& p, std::initializer_list<DType> types) {
  return check_all(p, [&](DType t) { return std::find(types.begin(), types.end(), t) != types.end(); });
}

const char* c_type(DType type) {
  switch (type) {
    case DType::f32:
      return "float";
    case DType::i32:
      return "int";
    case DType::i64:
      return "long";
    case DType::u8:
    case DType::i1:
      return "uchar";
    case DType::i8:
      return "char";
    case DType::i16:
      return "short";
    case DType::u16:
      return "ushort";
    case DType::u32:
      return "uint";
    case DType::u64:
      return "ulong";
    default:
      return nullptr;
  }
}

}  // namespace cutset::portable
