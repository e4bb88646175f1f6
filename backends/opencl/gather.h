// Kernels that read a tensor with given sizes and strides, for reductions, transpose and expand.
#pragma once
#include "backends/opencl/launch.h"
#include "ir/core/tensor_view.h"
#include "ir/ops/reduction/reduction_shape.h"

namespace cutset::opencl {

// `rank` sizes or strides as an argument of OpenCL's type int8. The last dimension is the last component. The
// unused leading components are set to `fill`.
Launches::Argument::Vector eight(const int64_t* from, int rank, int fill);
// The source of the OpenCL function int offset_of(int element, int8 shape, int8 stride). It converts `element`, a
// row-major index into `shape`, to the offset that the strides `stride` give it in another tensor.
extern const char* const kOffset;

// Appends a launch that sets element i of y, which has the shape `shape`, to the element of x whose offset `strides`
// give. Elements have `bytes` bytes.
void add_gather(Launches& list, std::span<const int64_t> shape, const Strides& strides, int64_t bytes,
                Launches::Argument x, Launches::Argument y);

enum class Reduction { kSum, kMax };
// Appends a launch that reduces x, with one work-item per element of y. Elements are f32.
void add_reduction(Launches& list, Reduction what, const ReductionShape& shape, Launches::Argument x,
                   Launches::Argument y);

}  // namespace cutset::opencl
