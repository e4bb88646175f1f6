// SPDX-License-Identifier: Apache-2.0
// Convolution as a matrix product (im2col). A patch is the part of an image that the filter covers for one
// pixel of the result. The patches of an image form a matrix, and a convolution is the product of the filter
// and that matrix. The patches of a batch can take gigabytes, so a convolution processes its images in
// chunks, one after the other. The patches of a chunk replace the patches of the previous chunk.
#pragma once
#include <algorithm>
#include <vector>

#include "backends/portable/gemm.h"
#include "backends/portable/window.h"
#include "ir/ops/conv/conv_shape.h"

namespace cutset::portable {

// The images [first, first + count) of a batch.
struct Images {
  int64_t first, count;
};

// Each backend defines the functions that append a launch. In the following,
// - n is the image, counted from the first image of the chunk,
// - (c, m, k, l) is the channel, depth, row and column in the filter,
// - (z, i, j) is the pixel of the result,
// - x holds the whole batch, and
// - patches holds one chunk.

// Appends a launch that writes the patches of a chunk of x as patches[n][c m k l][z i j].
void add_patches(Launches& list, const ConvShape& s, Images chunk, Argument x, Memory patches);
// Appends a launch that writes the patches of a chunk of x as patches[n][z i j][c m k l], for products that
// sum over pixels.
void add_transposed_patches(Launches& list, const ConvShape& s, Images chunk, Argument x, Memory patches);
// Appends the adjoint of add_patches: a launch that sets each element of a chunk of x to the sum of its
// copies in patches[n][c m k l][z i j].
void add_sum_of_patches(Launches& list, const ConvShape& s, Images chunk, Memory patches, Argument x);

// Returns the number of elements of a patch in one group of channels.
inline int64_t patch_size(const ConvShape& s) { return s.cg * s.taps(); }

// Returns the size of the patches of `images` images in bytes, as a double because it may exceed 64 bits.
inline double bytes_of_images(const ConvShape& s, int64_t images) {
  return 4.0 * static_cast<double>(images) * static_cast<double>(s.groups * patch_size(s)) *
         static_cast<double>(s.out());
}
// Returns the most bytes that the patches of a chunk of several images take: eight times the bytes of the
// images, the filter and the result, so that the scratch memory stays in proportion to the problem. Chunks of
// less than 1 MiB would have launches with little work. Chunks of 64 MiB have enough work for every device,
// so larger chunks would only take more memory.
inline double most_chunk_bytes(const ConvShape& s) {
  const double elements = static_cast<double>(s.n * s.c) * static_cast<double>(s.in()) +
                          static_cast<double>(s.n * s.o) * static_cast<double>(s.out()) +
                          static_cast<double>(s.o * patch_size(s));
  return std::clamp<double>(8 * 4 * elements, 1 << 20, 64 << 20);
}
// Returns the number of images of every chunk except the last: the largest number whose patches take at most
// most_chunk_bytes, and at least one.
inline int64_t images_per_chunk(const ConvShape& s) {
  const double most = most_chunk_bytes(s);
  if (bytes_of_images(s, s.n) <= most) return s.n;
  return std::max<int64_t>(1, static_cast<int64_t>(most / bytes_of_images(s, 1)));
}
// Returns the chunks of the batch, in order. A batch without images is one chunk without images.
inline std::vector<Images> chunks(const ConvShape& s) {
  const int64_t most = images_per_chunk(s);
  std::vector<Images> all;
  for (int64_t first = 0; first < s.n || all.empty(); first += most)
    all.push_back({first, std::min(most, s.n - first)});
  return all;
}
// Returns the size of the patches of the largest chunk in bytes, at most 2^48, which is more than a device
// can allocate.
inline uint64_t patch_bytes(const ConvShape& s) {
  constexpr double kMost = static_cast<double>(uint64_t{1} << 48);
  return static_cast<uint64_t>(std::min(bytes_of_images(s, images_per_chunk(s)), kMost));
}
// Returns the bytes of scratch memory in which conv_backward_filter keeps the sum over a chunk, in addition
// to the patches; 0 if there is one chunk.
inline uint64_t chunk_sum_bytes(const ConvShape& s) {
  return images_per_chunk(s) < s.n ? sizeof(float) * static_cast<uint64_t>(s.o * patch_size(s)) : 0;
}

}  // namespace cutset::portable
