// SPDX-License-Identifier: Apache-2.0
// Reads images from files.
#pragma once
#include <string>
#include <string_view>

#include "ir/core/result.h"
#include "runtime/data/image.h"

namespace cutset {

// Decodes a JPEG or a PNG file. The first bytes tell the format. decode_jpeg.h and decode_png.h say which
// images are supported. Errors do not name the file.
Result<Image> decode_image(std::string_view file, int64_t most_pixels = kMaxImagePixels);

// Reads and decodes a file of at most kMaxImageFileBytes bytes. Errors name the file.
Result<Image> read_image(const std::string& path);

}  // namespace cutset
