// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/read_image.h"

#include "runtime/data/decode_jpeg.h"
#include "runtime/data/decode_png.h"
#include "runtime/files/files.h"

namespace cutset {

Result<Image> decode_image(std::string_view file, int64_t most_pixels) {
  if (file.starts_with("\xff\xd8\xff")) return decode_jpeg(file, most_pixels);
  if (file.starts_with("\x89PNG\r\n\x1a\n")) return decode_png(file, most_pixels);
  return invalid_data("it does not begin as a JPEG or a PNG file does");
}

Result<Image> read_image(const std::string& path) {
  CUTSET_ASSIGN(const std::string file, read_file(path, kMaxImageFileBytes));
  Result<Image> image = decode_image(file);
  if (image.ok()) return image;
  return invalid_data("'" + path + "': " + image.error().what, "replace or remove the file");
}

}  // namespace cutset
