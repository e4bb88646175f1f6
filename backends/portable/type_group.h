// Element types whose kernels have one source. Each compilation has a fixed cost, which is larger than that of a small kernel: NVRTC
// and the compilers of OpenCL start, and PoCL parses headers of 20,000 lines. So the source of a small kernel has a kernel
// for each type of a group, and a problem with another type of the group compiles nothing again.
#pragma once
#include <functional>
#include <span>
#include <string>

#include "backends/portable/launches.h"

namespace cutset::portable {

// The group of an element type: the floating-point types with f32 and fewer bits, all integer types, or i1. `type` has a stored_type.
std::span<const DType> type_group(DType type);
// The types of this group that have a C type, for kernels that get f32 in place of f16 and bf16. `type` has a C type.
std::span<const DType> c_type_group(DType type);
// The types of a kernel that only moves elements: one unsigned type for each size. moved_type is that for elements with `bytes` bytes.
std::span<const DType> moved_types();
DType moved_type(int64_t bytes);

// Definitions of macros, such as {{"T", "float"}}, and their source.
using Macros = std::vector<std::pair<std::string, std::string>>;
std::string definitions(const Macros& macros);

// The name of the kernel `name` for one type of a group.
std::string kernel_name(const std::string& name, DType type);
// The source of the kernel `name` for each of `types`, under the name kernel_name. `source` is that of one kernel, without the line
// KERNEL(name) in front of its parameters, and `macros` gives the definitions that it needs for a type.
std::string kernels_for(std::span<const DType> types, const std::string& name,
                        const std::function<Macros(DType)>& macros, const std::string& source);
// The same with the one macro T, the C type of the elements, for c_type_group(type) and for moved_types().
std::string kernels_beside(DType type, const std::string& name, const std::string& source);
std::string moving_kernels(const std::string& name, const std::string& source);

}  // namespace cutset::portable
