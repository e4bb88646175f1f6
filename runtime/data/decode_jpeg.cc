// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/decode_jpeg.h"

#include <jpeglib.h>

#include <csetjmp>
#include <cstdio>

namespace cutset {
namespace {

constexpr int kMaxScans = 100;

struct JpegDecoder {
  JpegDecoder() {
    info.err = jpeg_std_error(&errors);
    info.client_data = this;
  }
  ~JpegDecoder() { jpeg_destroy_decompress(&info); }
  JpegDecoder(const JpegDecoder&) = delete;

  jpeg_decompress_struct info{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf failed;
  char message[JMSG_LENGTH_MAX] = "";
};

// libjpeg demands that its error handler does not return. The standard handler ends the process. This handler
// jumps back to the function that called libjpeg. The frames that the jump leaves belong to C code or hold no
// object with a destructor.
[[noreturn]] void fail(j_common_ptr info) {
  auto* decoder = static_cast<JpegDecoder*>(info->client_data);
  info->err->format_message(info, decoder->message);
  std::longjmp(decoder->failed, 1);
}
void on_message(j_common_ptr info, int level) {
  if (level < 0) fail(info);  // a warning of damaged data; levels from 0 are traces
}
void on_progress(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMaxScans) return;
  auto* decoder = static_cast<JpegDecoder*>(info->client_data);
  std::snprintf(decoder->message, sizeof decoder->message, "it has more than %d scans", kMaxScans);
  std::longjmp(decoder->failed, 1);
}

// Reads the sizes of the image. Returns false after an error, whose message is in `decoder`.
bool read_header(JpegDecoder& decoder, const unsigned char* bytes, unsigned long size) {
  if (setjmp(decoder.failed)) return false;
  decoder.errors.error_exit = fail;
  decoder.errors.emit_message = on_message;
  jpeg_create_decompress(&decoder.info);
  decoder.progress.progress_monitor = on_progress;
  decoder.info.progress = &decoder.progress;
  jpeg_mem_src(&decoder.info, bytes, size);
  jpeg_read_header(&decoder.info, TRUE);
  return true;
}

// Returns a * b / 255, rounded to nearest. a and b are at most 255.
unsigned product(unsigned a, unsigned b) {
  const unsigned t = a * b + 128;
  return (t + (t >> 8)) >> 8;
}
void rgb_of_cmyk(const unsigned char* cmyk, unsigned width, unsigned char* rgb) {
  for (; width > 0; --width, cmyk += 4)
    for (int c = 0; c < 3; ++c)
      *rgb++ = static_cast<unsigned char>(cmyk[3] - product(255u - cmyk[c], cmyk[3]));
}

// Decodes the pixels into `rgb`, which has room for all of them. Returns false after an error.
bool read_pixels(JpegDecoder& decoder, unsigned char* rgb) {
  if (setjmp(decoder.failed)) return false;
  jpeg_decompress_struct& info = decoder.info;
  const bool cmyk = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  info.out_color_space = cmyk ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress(&info);
  JSAMPROW inks = nullptr;
  if (cmyk)
    inks =
        *info.mem->alloc_sarray(reinterpret_cast<j_common_ptr>(&info), JPOOL_IMAGE, info.image_width * 4, 1);
  while (info.output_scanline < info.output_height) {
    JSAMPROW to = rgb + size_t{3} * info.image_width * info.output_scanline, row = cmyk ? inks : to;
    jpeg_read_scanlines(&info, &row, 1);
    if (cmyk) rgb_of_cmyk(inks, info.image_width, to);
  }
  jpeg_finish_decompress(&info);
  return true;
}

}  // namespace

Result<Image> decode_jpeg(std::string_view file, int64_t most_pixels) {
  JpegDecoder decoder;
  auto bad = [&] {
    return invalid_data(std::string("it is not a JPEG file that can be decoded: ") + decoder.message);
  };
  if (!read_header(decoder, reinterpret_cast<const unsigned char*>(file.data()), file.size())) return bad();
  CUTSET_ASSIGN(Image image, black_image(decoder.info.image_height, decoder.info.image_width, most_pixels));
  if (!read_pixels(decoder, image.pixels.data())) return bad();
  return image;
}

}  // namespace cutset
