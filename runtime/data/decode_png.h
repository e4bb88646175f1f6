// SPDX-License-Identifier: Apache-2.0
// Decodes PNG files with libpng.
#pragma once
#include <string_view>

#include "ir/core/result.h"
#include "runtime/data/image.h"

namespace cutset {

// Decodes the contents of a PNG file of any colour type and bit depth, interlaced or not. Indices are
// replaced by the colours of the palette, grey images become three equal channels, and samples of 16 bits are
// divided by 257 and rounded to nearest. Transparency is dropped: the alpha of a pixel has no effect on its
// colour. All chunks except the header, the palette and the pixels are ignored, so gamma and profiles have no
// effect.
//
// The contents are untrusted. Truncated data and wrong checksums of the pixels are errors. An image is
// refused if it has more than `most_pixels` pixels or more than 65,535 rows or columns. Errors do not name
// the file.
Result<Image> decode_png(std::string_view file, int64_t most_pixels = kMaxImagePixels);

}  // namespace cutset
