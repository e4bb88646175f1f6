// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/decode_png.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "tests/encode_images.h"
#include "tests/mutate_bytes.h"

namespace cutset {
namespace {

using ::testing::ElementsAre;
using testing::encode_png;
using ::testing::HasSubstr;
using testing::pattern;
using testing::PngOptions;

std::string error_of(const Result<Image>& image) { return image.ok() ? "no error" : image.error().text(); }
std::vector<unsigned char> pixels_of(const std::string& file) {
  const auto image = decode_png(file);
  EXPECT_TRUE(image.ok()) << error_of(image);
  return image.ok() ? image->pixels : std::vector<unsigned char>();
}

// Returns a file whose header claims these sizes, with a correct checksum of the header.
std::string claim(std::string file, uint32_t width, uint32_t height) {
  const auto put = [&](size_t at, uint32_t value) {
    for (size_t i = 0; i < 4; ++i) file[at + i] = static_cast<char>(value >> (24 - 8 * i));
  };
  put(16, width);
  put(20, height);
  put(29, static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(file.data()) + 12, 17)));
  return file;
}

// The gamma of these files is 1. It must not change a pixel.
TEST(DecodePng, ColoursAreReadAsTheyAre) {
  const auto rgb = pattern(9, 7, 3);
  for (bool interlaced : {false, true}) {
    const auto image = decode_png(encode_png(rgb, 9, 7, {.interlaced = interlaced}));
    ASSERT_TRUE(image.ok()) << error_of(image);
    EXPECT_EQ(image->height, 9);
    EXPECT_EQ(image->width, 7);
    EXPECT_EQ(image->pixels, rgb);
  }
}
TEST(DecodePng, GreySamplesAreScaledToBytesAndRepeated) {
  EXPECT_THAT(pixels_of(encode_png({0x1b}, 1, 4, {.colour_type = PNG_COLOR_TYPE_GRAY, .depth = 2})),
              ElementsAre(0, 0, 0, 85, 85, 85, 170, 170, 170, 255, 255, 255));
  EXPECT_THAT(pixels_of(encode_png({9, 8}, 2, 1, {.colour_type = PNG_COLOR_TYPE_GRAY})),
              ElementsAre(9, 9, 9, 8, 8, 8));
}
TEST(DecodePng, SamplesOfSixteenBitsAreRoundedToNearest) {
  // 0x00ff / 257 = 0.99, 0x0180 / 257 = 1.494, 0x0182 / 257 = 1.502
  EXPECT_THAT(pixels_of(encode_png({0, 0xff, 1, 0x80, 1, 0x82}, 1, 1, {.depth = 16})), ElementsAre(1, 1, 2));
}
TEST(DecodePng, TransparencyIsDropped) {
  EXPECT_THAT(pixels_of(encode_png({1, 2, 3, 0, 4, 5, 6, 128}, 1, 2, {.colour_type = PNG_COLOR_TYPE_RGBA})),
              ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(pixels_of(encode_png({7, 0}, 1, 1, {.colour_type = PNG_COLOR_TYPE_GRAY_ALPHA})),
              ElementsAre(7, 7, 7));
  const PngOptions palette{.colour_type = PNG_COLOR_TYPE_PALETTE,
                           .depth = 1,
                           .palette = {{10, 20, 30}, {40, 50, 60}},
                           .transparency = {0, 9}};
  EXPECT_THAT(pixels_of(encode_png({0x80}, 1, 2, palette)), ElementsAre(40, 50, 60, 10, 20, 30));
}

TEST(DecodePng, EveryTruncatedFileIsRefused) {
  for (bool interlaced : {false, true}) {
    const std::string file = encode_png(pattern(16, 16, 3), 16, 16, {.interlaced = interlaced});
    ASSERT_TRUE(decode_png(file).ok());
    EXPECT_TRUE(decode_png(file + "more").ok()) << "bytes after the image are ignored";
    for (size_t size = 0; size < file.size(); ++size)
      EXPECT_FALSE(decode_png(std::string_view(file).substr(0, size)).ok()) << size << " of " << file.size();
  }
}
TEST(DecodePng, ChunksBesideThePixelsAreIgnored) {
  std::string file = encode_png(pattern(4, 4, 3), 4, 4);
  file.insert(file.find("gAMA") - 4,
              std::string("\0\0\0\x01sRGB\xff----", 13));  // no rendering intent has this number
  EXPECT_EQ(pixels_of(testing::with_checksums(file)), pattern(4, 4, 3));
}
TEST(DecodePng, ColoursThatThePaletteDoesNotHaveAreRefused) {
  const PngOptions two{
      .colour_type = PNG_COLOR_TYPE_PALETTE, .depth = 1, .palette = {{10, 20, 30}, {40, 50, 60}}};
  std::string file = encode_png({0x80}, 1, 2, two);
  const size_t palette = file.find("PLTE");
  file.erase(palette + 7, 3);
  file[palette - 1] = 3;
  EXPECT_THAT(error_of(decode_png(testing::with_checksums(file))),
              HasSubstr("a pixel has a colour that is not in the palette"));
}
TEST(DecodePng, ManyColoursOfAPaletteAreRead) {
  PngOptions options{.colour_type = PNG_COLOR_TYPE_PALETTE, .interlaced = true};
  std::vector<unsigned char> indices, colours;
  for (int i = 0; i < 200; ++i) {
    const auto b = [i](int k) { return static_cast<unsigned char>(i + k); };
    options.palette.push_back({b(3), b(20), b(50)});
    indices.push_back(b(0));
    colours.insert(colours.end(), {b(3), b(20), b(50)});
  }
  EXPECT_EQ(pixels_of(encode_png(indices, 20, 10, options)), colours);
}
TEST(DecodePng, MoreDataThanTheHeaderClaimsIsRefused) {
  EXPECT_FALSE(decode_png(claim(encode_png(pattern(6, 5, 3), 6, 5), 5, 5)).ok());
}
TEST(DecodePng, ChangedPixelsAreRefused) {
  std::string file = encode_png(pattern(16, 16, 3), 16, 16);
  const size_t data = file.find("IDAT");
  file[data + 20] = static_cast<char>(file[data + 20] ^ 1);
  EXPECT_THAT(error_of(decode_png(file)), HasSubstr("it is not a PNG file that can be decoded: "));
}

TEST(DecodePng, TheLimitOfPixelsHoldsBeforeMemoryIsTaken) {
  const std::string file = encode_png(pattern(6, 5, 3), 6, 5);
  EXPECT_TRUE(decode_png(claim(file, 5, 6), 30).ok());
  EXPECT_THAT(error_of(decode_png(file, 29)), HasSubstr("5 x 6 pixels, more than the limit of 29"));
  EXPECT_THAT(error_of(decode_png(claim(file, 65535, 65535))),
              HasSubstr("65535 x 65535 pixels, more than the limit of 67108864"));
  for (const auto& [width, height] : {std::pair{65536, 1}, {1, 65536}, {0, 6}, {5, 0}})
    EXPECT_THAT(
        error_of(decode_png(claim(file, static_cast<uint32_t>(width), static_cast<uint32_t>(height)))),
        HasSubstr("it is not a PNG file that can be decoded: Invalid IHDR data"));
}

// Checksums would refuse nearly all mutants before their chunks are read, so every second file gets correct
// checksums.
TEST(DecodePng, MutatedFilesGiveAnImageOrAnError) {
  const PngOptions palette{
      .colour_type = PNG_COLOR_TYPE_PALETTE, .depth = 4, .palette = {{1, 2, 3}, {4, 5, 6}}};
  const std::string files[] = {
      encode_png(pattern(9, 8, 3), 9, 8), encode_png(pattern(9, 8, 3), 9, 8, {.interlaced = true}),
      encode_png(std::vector<unsigned char>(9 * 4, 0x10), 9, 8, palette),
      encode_png(pattern(9, 8, 4), 9, 4, {.colour_type = PNG_COLOR_TYPE_RGBA, .depth = 16})};
  int decoded = 0, refused = 0;
  for (uint64_t seed = 0; seed < 6000; ++seed) {
    PhiloxSequence random(seed);
    std::string file = testing::mutated(files[seed % 4], random);
    if (seed % 8 < 4) file = testing::with_checksums(file);
    const auto image = decode_png(file, 1 << 20);
    ++(image.ok() ? decoded : refused);
    if (image.ok()) EXPECT_EQ(static_cast<int64_t>(image->pixels.size()), 3 * image->height * image->width);
  }
  EXPECT_GT(decoded, 50);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace cutset
