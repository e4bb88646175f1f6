// SPDX-License-Identifier: Apache-2.0
// Kernel sources that hold one kernel per element type. Compiling a source has a fixed cost, because the
// compiler starts and PoCL parses headers of 20,000 lines. A source therefore holds one kernel per type of a
// group, so that a problem with another type of the group compiles nothing. A group is within one of the sets
// kFloats, kIntegers and kFlags of ElementTypes, because the expression of an elementwise op need not compile
// for types outside of its sets. f32 is alone in its group, because most networks compute in f32 only and do
// not need the kernels of other types.
#pragma once
#include <functional>
#include <span>
#include <string>

#include "backends/portable/launches.h"
#include "backends/portable/macros.h"

namespace cutset::portable {

// Returns the group of a type: f32 alone, f16 and bf16, all integer types, or i1 alone. `type` must have a
// stored_type (halves.h).
std::span<const DType> type_group(DType type);

// Returns the name of the kernel for one type: kernel_name("add", f32) is "add_f32".
std::string kernel_name(const std::string& name, DType type);

// A source with kernels for several types, and the name of the kernel for one of them.
struct TypedKernel {
  std::string source, name;
};
// Returns a source with one kernel per type of the group of `type`, and the name of the kernel for `type`.
// `source` is the source of KERNEL(name), which functions may precede. `macros` returns the macros of the
// source for a type. Each function needs a macro that gives it a different name for each type, such as
// {"is_larger", kernel_name("is_larger", type)}.
TypedKernel typed_kernel(const std::string& name, DType type, const std::function<Macros(DType)>& macros,
                         const std::string& source);
// Calls typed_kernel with the macro T, the C type of the elements. `type` must have a C type.
TypedKernel typed_kernel(const std::string& name, DType type, const std::string& source);
// Does the same for a kernel that only moves elements, which have `bytes` bytes: 1, 2, 4 or 8. The source has
// one kernel per size, for an unsigned type of that size, which is the macro T.
TypedKernel moving_kernel(const std::string& name, int64_t bytes, const std::string& source);

}  // namespace cutset::portable
