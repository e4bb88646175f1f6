// SPDX-License-Identifier: Apache-2.0
// Decodes JPEG files with libjpeg-turbo.
#pragma once
#include <string_view>

#include "ir/core/result.h"
#include "runtime/data/image.h"

namespace cutset {

// Decodes the contents of a JPEG file, baseline or progressive, of 8 bits per sample. The pixels are those of
// libjpeg's defaults: the accurate integer DCT and smooth upsampling of the chroma. Grey images have three
// equal channels. CMYK and YCCK images hold inverted values, as Adobe writes them; a channel of the result is
// C * K / 255. Profiles and the EXIF orientation are ignored, and so are bytes behind the end of the image.
//
// The contents are untrusted. Everything that libjpeg warns of is an error, so a truncated image is refused.
// An image is also refused if it has more than `most_pixels` pixels or more than 100 scans, each of which can
// take as long as a whole image. A progressive image takes at most 8 bytes per pixel while it is decoded.
// Errors do not name the file.
Result<Image> decode_jpeg(std::string_view file, int64_t most_pixels = kMaxImagePixels);

}  // namespace cutset
