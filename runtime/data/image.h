// SPDX-License-Identifier: Apache-2.0
// An image in memory, and the limits of images that are read from files.
#pragma once
#include <cstdint>
#include <vector>

#include "ir/core/result.h"

namespace cutset {

struct Image {
  int64_t height = 0, width = 0;
  std::vector<unsigned char> pixels;  // row after row from the top, three bytes per pixel: red, green, blue
};

// The largest file, the longest side and the largest image that are decoded. A decoder refuses a larger image
// after it has read the header, before it allocates memory for the pixels.
inline constexpr uint64_t kMaxImageFileBytes = uint64_t{256} << 20;
inline constexpr int64_t kMaxImageSide = 65535;
inline constexpr int64_t kMaxImagePixels = int64_t{64} << 20;

// Returns a black image of this size. The sizes must be positive. Fails, before it allocates memory, if the
// image has more than `most_pixels` pixels.
Result<Image> black_image(int64_t height, int64_t width, int64_t most_pixels);

}  // namespace cutset
