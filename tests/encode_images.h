// SPDX-License-Identifier: Apache-2.0
// Encodes small images as JPEG and PNG files, for tests of the decoders.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

// jpeglib.h uses declarations of <cstdio>.
#include <jpeglib.h>
#include <png.h>
#include <zlib.h>

namespace cutset::testing {

// Returns the bytes of a test image, row by row. A byte depends on its row, column and channel.
inline std::vector<unsigned char> pattern(int height, int width, int channels) {
  std::vector<unsigned char> pixels;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < channels; ++c)
        pixels.push_back(static_cast<unsigned char>(y * 37 + x * 61 + c * 101 + x * y * 13));
  return pixels;
}

// Options of encode_jpeg for an image of 1 (grey), 3 (RGB) or 4 (CMYK) channels.
struct JpegOptions {
  bool progressive = false;
  bool scan_per_coefficient = false;  // 64 scans for grey images, and 190 for RGB images
};
inline std::string encode_jpeg(std::vector<unsigned char> pixels, int height, int width, int channels,
                               const JpegOptions& options = {}) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_height = static_cast<JDIMENSION>(height);
  info.image_width = static_cast<JDIMENSION>(width);
  info.input_components = channels;
  info.in_color_space = channels == 1 ? JCS_GRAYSCALE : channels == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 90, TRUE);
  if (options.progressive) jpeg_simple_progression(&info);
  std::vector<jpeg_scan_info> scans;
  if (options.scan_per_coefficient) {
    scans.push_back({channels, {0, 1, 2}, 0, 0, 0, 0});
    for (int c = 0; c < channels; ++c)
      for (int k = 1; k < 64; ++k) scans.push_back({1, {c}, k, k, 0, 0});
    info.scan_info = scans.data();
    info.num_scans = static_cast<int>(scans.size());
  }
  jpeg_start_compress(&info, TRUE);
  for (int y = 0; y < height; ++y) {
    JSAMPROW row = pixels.data() + y * width * channels;
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string file(reinterpret_cast<char*>(bytes), size);
  std::free(bytes);
  return file;
}

// Options of encode_png.
struct PngOptions {
  int colour_type = PNG_COLOR_TYPE_RGB;
  int depth = 8;  // bits per sample
  bool interlaced = false;
  std::vector<png_color> palette;
  std::vector<unsigned char> transparency;  // the alpha of each colour of the palette
};
// Returns a PNG file. `rows` are the bytes of all rows as PNG stores them: samples of fewer than 8 bits are
// packed, and samples of 16 bits are big-endian.
inline std::string encode_png(std::vector<unsigned char> rows, int height, int width,
                              const PngOptions& options = {}) {
  std::string file;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &file,
      [](png_structp p, png_bytep bytes, size_t size) {
        static_cast<std::string*>(png_get_io_ptr(p))->append(reinterpret_cast<char*>(bytes), size);
      },
      nullptr);
  png_set_IHDR(png, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), options.depth,
               options.colour_type, options.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (!options.palette.empty())
    png_set_PLTE(png, info, options.palette.data(), static_cast<int>(options.palette.size()));
  if (!options.transparency.empty())
    png_set_tRNS(png, info, options.transparency.data(), static_cast<int>(options.transparency.size()),
                 nullptr);
  png_set_gAMA(png, info, 1.0);
  png_write_info(png, info);
  std::vector<png_bytep> pointers;
  for (int y = 0; y < height; ++y)
    pointers.push_back(rows.data() + static_cast<size_t>(y) * (rows.size() / static_cast<size_t>(height)));
  png_write_image(png, pointers.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return file;
}

// Returns a PNG file with a correct checksum for each chunk that is whole.
inline std::string with_checksums(std::string file) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(file.data());
  for (size_t at = 8; at + 12 <= file.size();) {
    const size_t size =
        size_t{bytes[at]} << 24 | size_t{bytes[at + 1]} << 16 | size_t{bytes[at + 2]} << 8 | bytes[at + 3];
    if (size > file.size() - at - 12) break;
    const uint32_t sum = static_cast<uint32_t>(crc32(0, bytes + at + 4, static_cast<uInt>(size + 4)));
    for (size_t i = 0; i < 4; ++i) file[at + 8 + size + i] = static_cast<char>(sum >> (24 - 8 * i));
    at += 12 + size;
  }
  return file;
}

}  // namespace cutset::testing
