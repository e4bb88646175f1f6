#include "runtime/data/decode_png.h"

#include <png.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>

namespace cutset {
namespace {

constexpr png_uint_32 kMaxSide = 65535;

struct Decoder {
  explicit Decoder(std::string_view file) : left(file) {}
  ~Decoder() { png_destroy_read_struct(&png, &info, nullptr); }
  Decoder(const Decoder&) = delete;

  std::string_view left;  // the bytes that have not been read
  png_structp png = nullptr;
  png_infop info = nullptr;
  char message[200] = "there is not enough memory";
};

// libpng demands that its error handler does not return. Ours jumps back to the function that called libpng. The frames
// that the jump leaves belong to C code or hold no object with a destructor.
[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  auto* decoder = static_cast<Decoder*>(png_get_error_ptr(png));
  std::snprintf(decoder->message, sizeof decoder->message, "%s", message);
  png_longjmp(png, 1);
}
// Benign errors are made errors below. The remaining warnings concern chunks that are ignored.
void on_warning(png_structp, png_const_charp) {}
void on_read(png_structp png, png_bytep to, size_t size) {
  auto* decoder = static_cast<Decoder*>(png_get_io_ptr(png));
  if (size > decoder->left.size()) png_error(png, "the file ends within the image");
  std::memcpy(to, decoder->left.data(), size);
  decoder->left.remove_prefix(size);
}

// Reads the chunks before the pixels. Returns false after an error, whose message is in `decoder`.
bool read_header(Decoder& decoder) {
  decoder.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &decoder, on_error, on_warning);
  if (!decoder.png) return false;
  if (setjmp(png_jmpbuf(decoder.png))) return false;
  decoder.info = png_create_info_struct(decoder.png);
  if (!decoder.info) return false;
  png_set_benign_errors(decoder.png, 0);
  png_set_user_limits(decoder.png, kMaxSide, kMaxSide);
  png_set_keep_unknown_chunks(decoder.png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_set_read_fn(decoder.png, &decoder, on_read);
  png_read_info(decoder.png, decoder.info);
  return true;
}

// Decodes the pixels into `rgb`, which has room for all of them. Returns false after an error.
bool read_pixels(Decoder& decoder, unsigned char* rgb) {
  png_structp png = decoder.png;
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_expand(png);
  png_set_scale_16(png);
  png_set_gray_to_rgb(png);
  png_set_strip_alpha(png);
  const int passes = png_set_interlace_handling(png);
  png_read_update_info(png, decoder.info);
  const png_uint_32 height = png_get_image_height(png, decoder.info);
  const size_t row = size_t{3} * png_get_image_width(png, decoder.info);
  if (png_get_rowbytes(png, decoder.info) != row) png_error(png, "its pixels cannot be converted to RGB");
  for (int pass = 0; pass < passes; ++pass)
    for (png_uint_32 y = 0; y < height; ++y) png_read_row(png, rgb + y * row, nullptr);
  png_read_end(png, nullptr);
  return true;
}

}  // namespace

Result<Image> decode_png(std::string_view file, int64_t most_pixels) {
  Decoder decoder(file);
  auto bad = [&] { return invalid_data(std::string("it is not a PNG file that can be decoded: ") + decoder.message); };
  if (!read_header(decoder)) return bad();
  Image image;
  image.height = png_get_image_height(decoder.png, decoder.info);
  image.width = png_get_image_width(decoder.png, decoder.info);
  if (image.height > most_pixels / image.width)
    return invalid_data("it has " + std::to_string(image.width) + " x " + std::to_string(image.height) +
                        " pixels, more than the limit of " + std::to_string(most_pixels));
  image.pixels.resize(static_cast<size_t>(3 * image.height * image.width));
  if (!read_pixels(decoder, image.pixels.data())) return bad();
  return image;
}

}  // namespace cutset
