// Convolution as a matrix product (im2col). A patch is the part of an image that the filter covers for one pixel of the
// result. The patches of an image form a matrix, and a convolution is the product of the filter and that matrix.
#pragma once
#include <algorithm>

#include "backends/portable/gemm.h"
#include "ir/ops/conv2d/conv2d_shape.h"

namespace cutset::portable {

// Each backend defines the functions that append a launch. In the following, n is the image, (c, k, l) the channel, row and column in the filter, and (i, j) the pixel of the
// result.

// Appends a launch that writes the patches of x as patches[n][c k l][i j].
void add_patches(Launches& list, const Conv2dShape& s, Argument x, Memory patches);
// Appends a launch that writes the patches of x as patches[n][i j][c k l], for products that sum over pixels.
void add_transposed_patches(Launches& list, const Conv2dShape& s, Argument x, Memory patches);
// Appends a launch that sets each element of x to the sum of the elements of patches[n][c k l][i j] that add_patches
// copies from that element. This is the adjoint of add_patches.
void add_sum_of_patches(Launches& list, const Conv2dShape& s, Memory patches, Argument x);

// The number of elements of a patch in one group of channels.
inline int64_t patch_size(const Conv2dShape& s) { return s.cg * s.kh * s.kw; }
// The size of the patches in bytes, or 2^48 if it is larger, which is more than a device can allocate.
inline uint64_t patch_bytes(const Conv2dShape& s) {
  const double bytes =
      4.0 * static_cast<double>(s.n * s.groups) * static_cast<double>(patch_size(s)) * static_cast<double>(s.oh * s.ow);
  constexpr double kMost = static_cast<double>(uint64_t{1} << 48);
  return static_cast<uint64_t>(std::min(bytes, kMost));
}

}  // namespace cutset::portable
