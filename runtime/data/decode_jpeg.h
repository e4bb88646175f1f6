// SPDX-License-Identifier: Apache-2.0
// Decodes JPEG files with libjpeg-turbo.
#pragma once
#include <string_view>

#include "ir/core/result.h"
#include "runtime/data/image.h"

namespace cutset {

// Decodes the contents of a JPEG file, baseline or progressive, with 8 bits per sample. The defaults of
// libjpeg compute the pixels: the accurate integer DCT and smooth upsampling of the chroma. Grey images
// become three equal channels. CMYK and YCCK images hold inverted values, as Adobe writes them, and a channel
// of the result is C * K / 255. Profiles, the EXIF orientation and bytes after the end of the image are
// ignored.
//
// The contents are untrusted. Warnings of libjpeg are errors, so a truncated image is refused. An image is
// also refused if it has more than `most_pixels` pixels, or more than 100 scans, because each scan can take
// as long as a whole image. Decoding a progressive image takes at most 8 bytes per pixel. Errors do not name
// the file.
Result<Image> decode_jpeg(std::string_view file, int64_t most_pixels = kMaxImagePixels);

}  // namespace cutset
