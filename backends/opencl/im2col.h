// Convolution as matrix product: the patches of each image as a matrix, and back.
#pragma once
#include <algorithm>

#include "backends/opencl/gemm.h"
#include "ir/ops/conv2d/conv2d_shape.h"

namespace cutset::opencl {

// patches[n][c k l][i j] of all channels, for a filter whose columns are pixels.
void add_patches(Launches& list, const Conv2dShape& s, Launches::Argument x, cl_mem patches);
// patches[n][i j][c k l], for sums over pixels.
void add_transposed_patches(Launches& list, const Conv2dShape& s, Launches::Argument x, cl_mem patches);
// x[n][c][h][w] = sum of the patch elements that were made of it: the adjoint of add_patches.
void add_sum_of_patches(Launches& list, const Conv2dShape& s, cl_mem patches, Launches::Argument x);

inline int64_t patch_size(const Conv2dShape& s) { return s.cg * s.kh * s.kw; }  // of one group
// At most 2^48, which is more than any device takes.
inline uint64_t patch_bytes(const Conv2dShape& s) {
  const double bytes =
      4.0 * static_cast<double>(s.n * s.groups) * static_cast<double>(patch_size(s)) * static_cast<double>(s.oh * s.ow);
  constexpr double kMost = static_cast<double>(uint64_t{1} << 48);
  return static_cast<uint64_t>(std::min(bytes, kMost));
}

}  // namespace cutset::opencl
