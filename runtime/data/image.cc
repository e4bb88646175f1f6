// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/image.h"

#include <string>

namespace cutset {

Result<Image> black_image(int64_t height, int64_t width, int64_t most_pixels) {
  if (height > most_pixels / width)
    return invalid_data("it has " + std::to_string(width) + " x " + std::to_string(height) +
                        " pixels, more than the limit of " + std::to_string(most_pixels));
  return Image{height, width, std::vector<unsigned char>(static_cast<size_t>(3 * height * width))};
}

}  // namespace cutset
