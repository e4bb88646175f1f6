// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/decode_png.h"

#include <png.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>

namespace cutset {
namespace {

struct PngDecoder {
  explicit PngDecoder(std::string_view file) : left(file) {}
  ~PngDecoder() { png_destroy_read_struct(&png, &info, nullptr); }
  PngDecoder(const PngDecoder&) = delete;

  std::string_view left;  // the bytes that have not been read
  png_structp png = nullptr;
  png_infop info = nullptr;
  char message[200] = "there is not enough memory";
};

// libpng demands that its error handler does not return. This handler jumps back to the function that called
// libpng. The frames that the jump leaves belong to C code or hold no object with a destructor.
[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  auto* decoder = static_cast<PngDecoder*>(png_get_error_ptr(png));
  std::snprintf(decoder->message, sizeof decoder->message, "%s", message);
  png_longjmp(png, 1);
}
// Benign errors are handled as errors (see below). The other warnings concern chunks that are ignored.
void on_warning(png_structp, png_const_charp) {}
void on_read(png_structp png, png_bytep to, size_t size) {
  auto* decoder = static_cast<PngDecoder*>(png_get_io_ptr(png));
  if (size > decoder->left.size()) png_error(png, "the file ends within the image");
  std::memcpy(to, decoder->left.data(), size);
  decoder->left.remove_prefix(size);
}

// Reads the chunks before the pixels. Returns false after an error, whose message is in `decoder`.
bool read_header(PngDecoder& decoder) {
  decoder.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &decoder, on_error, on_warning);
  if (!decoder.png) return false;
  if (setjmp(png_jmpbuf(decoder.png))) return false;
  decoder.info = png_create_info_struct(decoder.png);
  if (!decoder.info) return false;
  png_set_benign_errors(decoder.png, 0);
  png_set_user_limits(decoder.png, kMaxImageSide, kMaxImageSide);
  png_set_keep_unknown_chunks(decoder.png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_set_read_fn(decoder.png, &decoder, on_read);
  png_read_info(decoder.png, decoder.info);
  return true;
}

// Replaces the indices in the first `width` bytes of a row by their colours. libpng can do this, but it does
// not report an index that is not in the palette, and makes the pixel black.
void apply_palette(PngDecoder& decoder, unsigned char* row, png_uint_32 width) {
  png_colorp palette = nullptr;
  int colours = 0;
  png_get_PLTE(decoder.png, decoder.info, &palette, &colours);
  for (png_uint_32 x = width; x-- > 0;) {  // from the end, because the colours are written over the indices
    if (row[x] >= colours) png_error(decoder.png, "a pixel has a colour that is not in the palette");
    const png_color colour = palette[row[x]];
    row[3 * x] = colour.red;
    row[3 * x + 1] = colour.green;
    row[3 * x + 2] = colour.blue;
  }
}

// Decodes the pixels into `rgb`, which has room for all of them. Returns false after an error.
bool read_png_pixels(PngDecoder& decoder, unsigned char* rgb) {
  png_structp png = decoder.png;
  if (setjmp(png_jmpbuf(png))) return false;
  const bool indexed = png_get_color_type(png, decoder.info) == PNG_COLOR_TYPE_PALETTE;
  if (indexed) {
    png_set_packing(png);
  } else {
    png_set_expand_gray_1_2_4_to_8(png);
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    png_set_strip_alpha(png);
  }
  const int passes = png_set_interlace_handling(png);
  png_read_update_info(png, decoder.info);
  const png_uint_32 height = png_get_image_height(png, decoder.info);
  const png_uint_32 width = png_get_image_width(png, decoder.info);
  const size_t row = size_t{3} * width;
  if (png_get_rowbytes(png, decoder.info) != (indexed ? width : row))
    png_error(png, "its pixels are not bytes");
  for (int pass = 0; pass < passes; ++pass)
    for (png_uint_32 y = 0; y < height; ++y) png_read_row(png, rgb + y * row, nullptr);
  png_read_end(png, nullptr);
  for (png_uint_32 y = 0; indexed && y < height; ++y) apply_palette(decoder, rgb + y * row, width);
  return true;
}

}  // namespace

Result<Image> decode_png(std::string_view file, int64_t most_pixels) {
  PngDecoder decoder(file);
  auto bad = [&] {
    return invalid_data(std::string("it is not a PNG file that can be decoded: ") + decoder.message);
  };
  if (!read_header(decoder)) return bad();
  CUTSET_ASSIGN(Image image, black_image(png_get_image_height(decoder.png, decoder.info),
                                         png_get_image_width(decoder.png, decoder.info), most_pixels));
  if (!read_png_pixels(decoder, image.pixels.data())) return bad();
  return image;
}

}  // namespace cutset
