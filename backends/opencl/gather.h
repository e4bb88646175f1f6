// Kernels that read a tensor with given sizes and strides: reductions, transposition, expansion.
#pragma once
#include "backends/opencl/launch.h"
#include "ir/core/tensor_view.h"
#include "ir/ops/reduction/reduction_shape.h"

namespace cutset::opencl {

// Sizes or strides for a kernel's int8, the last dimension last, filled up with `fill`.
Launches::Argument::Vector eight(const int64_t* from, int rank, int fill);
// OpenCL C: int offset_of(int element, int8 shape, int8 stride).
extern const char* const kOffset;

// y[i] = x[offset of i by strides], elements of `bytes` bytes.
void add_gather(Launches& list, std::span<const int64_t> shape, const Strides& strides, int64_t bytes,
                Launches::Argument x, Launches::Argument y);

enum class Reduction { kSum, kMax };
// One work-item a kept element.
void add_reduction(Launches& list, Reduction what, const ReductionShape& shape, Launches::Argument x,
                   Launches::Argument y);

}  // namespace cutset::opencl
