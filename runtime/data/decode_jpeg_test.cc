// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/decode_jpeg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/encode_images.h"
#include "tests/mutate_bytes.h"

namespace cutset {
namespace {

using testing::encode_jpeg;
using ::testing::HasSubstr;
using testing::pattern;

std::string error_of(const Result<Image>& image) { return image.ok() ? "no error" : image.error().text(); }

// Files that Pillow 13.0 wrote with quality 60 and optimized tables, and their pixels, which Pillow converted
// to RGB. The first file has 6 x 9 pixels and half as many chroma samples per row and column. The second file
// has 2 x 3 pixels in CMYK.
constexpr char kRgbFile[] =
    "ffd8ffe000104a46494600010100000100010000ffdb0043000d090a0b0a080d0b0a0b0e0e0d0f13201513121213271c1e17202e"
    "2931302e292d2c333a4a3e333646372c2d405741464c4e525352323e5a615a50604a51524fffdb0043010e0e0e13111326151526"
    "4f352d354f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f"
    "4f4fffc00011080006000903012200021101031101ffc400160001010100000000000000000000000000000305ffc4001e100002"
    "01030500000000000000000000000001030204110515315291ffc40014010100000000000000000000000000000004ffc4001e11"
    "0001040105000000000000000000000001000203040511122171d1ffda000c03010002110311003f00b5968f044a9ca4f3c1a7b6"
    "c3d17a002cadfb104db637683a1e20b1808e57ffd9";
const std::vector<unsigned char> kRgbPixels = {
    0,   64,  93,  8,   75,  104, 22,  87,  119, 30,  94,  129, 38,  98,  135, 45,  104, 146, 59,  113, 159,
    67,  120, 170, 77,  133, 184, 15,  77,  134, 24,  86,  143, 37,  98,  153, 49,  108, 164, 59,  115, 172,
    69,  124, 180, 81,  133, 190, 88,  140, 197, 94,  146, 203, 38,  94,  205, 46,  100, 209, 57,  110, 214,
    70,  122, 221, 84,  135, 226, 96,  147, 230, 107, 155, 231, 113, 160, 230, 123, 171, 235, 62,  118, 227,
    66,  123, 226, 77,  132, 225, 89,  144, 226, 103, 156, 222, 115, 168, 218, 123, 176, 208, 127, 180, 198,
    139, 192, 198, 83,  149, 197, 88,  156, 193, 98,  164, 188, 106, 174, 175, 115, 183, 160, 124, 192, 143,
    132, 200, 125, 137, 204, 107, 143, 212, 96,  98,  170, 185, 105, 178, 184, 116, 188, 176, 120, 195, 156,
    124, 196, 130, 127, 201, 102, 136, 211, 84,  145, 220, 65,  152, 229, 53};
constexpr char kCmykFile[] =
    "ffd8ffee000e41646f626500640000000000ffdb0043000d090a0b0a080d0b0a0b0e0e0d0f13201513121213271c1e17202e2931"
    "302e292d2c333a4a3e333646372c2d405741464c4e525352323e5a615a50604a51524fffc000140800020003044311004d110059"
    "11004b1100ffc400160001010100000000000000000000000000060405ffc4001a10000202030000000000000000000000000102"
    "0003132291ffda000e0443004d0059004b00003f007563b643b1ecd5b1db21d8f64163b643b1ec1763b643b1ecffd9";
const std::vector<unsigned char> kCmykPixels = {72, 55, 38, 63, 48, 33, 54, 40, 27,
                                                53, 39, 26, 46, 34, 22, 37, 27, 17};

std::string from_hex(std::string_view digits) {
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16)));
  return bytes;
}

TEST(DecodeJpeg, PixelsAreThoseOfPillow) {
  const auto rgb = decode_jpeg(from_hex(kRgbFile)), cmyk = decode_jpeg(from_hex(kCmykFile));
  ASSERT_TRUE(rgb.ok() && cmyk.ok()) << error_of(rgb) << error_of(cmyk);
  EXPECT_EQ(rgb->height, 6);
  EXPECT_EQ(rgb->width, 9);
  EXPECT_EQ(rgb->pixels, kRgbPixels);
  EXPECT_EQ(cmyk->pixels, kCmykPixels);
}

TEST(DecodeJpeg, AProgressiveImageHasThePixelsOfTheBaselineOne) {
  const auto pixels = pattern(21, 35, 3);
  const auto baseline = decode_jpeg(encode_jpeg(pixels, 21, 35, 3));
  const auto progressive = decode_jpeg(encode_jpeg(pixels, 21, 35, 3, {.progressive = true}));
  ASSERT_TRUE(baseline.ok() && progressive.ok()) << error_of(baseline) << error_of(progressive);
  EXPECT_EQ(baseline->height, 21);
  EXPECT_EQ(baseline->width, 35);
  EXPECT_EQ(baseline->pixels, progressive->pixels);
}

TEST(DecodeJpeg, AGreyImageHasThreeEqualChannels) {
  const auto image = decode_jpeg(encode_jpeg(std::vector<unsigned char>(6 * 5, 77), 6, 5, 1));
  ASSERT_TRUE(image.ok()) << error_of(image);
  EXPECT_EQ(image->pixels, std::vector<unsigned char>(6 * 5 * 3, 77));
}

TEST(DecodeJpeg, EveryTruncatedFileIsRefused) {
  for (bool progressive : {false, true}) {
    const std::string file = encode_jpeg(pattern(16, 16, 3), 16, 16, 3, {.progressive = progressive});
    ASSERT_TRUE(decode_jpeg(file).ok());
    EXPECT_TRUE(decode_jpeg(file + "more").ok()) << "bytes behind the image are ignored";
    for (size_t size = 0; size < file.size(); ++size)
      EXPECT_FALSE(decode_jpeg(std::string_view(file).substr(0, size)).ok()) << size << " of " << file.size();
  }
  EXPECT_THAT(error_of(decode_jpeg({})), HasSubstr("not a JPEG file that can be decoded: Empty input file"));
}

TEST(DecodeJpeg, TheLimitOfPixelsHoldsBeforeMemoryIsTaken) {
  std::string file = encode_jpeg(pattern(6, 5, 3), 6, 5, 3);
  EXPECT_TRUE(decode_jpeg(file, 30).ok());
  EXPECT_THAT(error_of(decode_jpeg(file, 29)), HasSubstr("5 x 6 pixels, more than the limit of 29"));
  const size_t frame =
      file.find("\xff\xc0");  // the marker, two bytes of length, one of precision, height, width
  ASSERT_NE(frame, std::string::npos);
  file.replace(frame + 5, 4, "\xff\xdc\xff\xdc");
  EXPECT_THAT(error_of(decode_jpeg(file)),
              HasSubstr("65500 x 65500 pixels, more than the limit of 67108864"));
}

// Each scan of a progressive image can take as long as a whole image, so a small file could take hours.
TEST(DecodeJpeg, ScansAreLimited) {
  const auto few = decode_jpeg(encode_jpeg(pattern(8, 8, 1), 8, 8, 1, {.scan_per_coefficient = true}));
  EXPECT_TRUE(few.ok()) << error_of(few);
  const auto many = decode_jpeg(encode_jpeg(pattern(8, 8, 3), 8, 8, 3, {.scan_per_coefficient = true}));
  EXPECT_THAT(error_of(many), HasSubstr("it has more than 100 scans"));
}

TEST(DecodeJpeg, MutatedFilesGiveAnImageOrAnError) {
  const std::string files[] = {encode_jpeg(pattern(19, 18, 3), 19, 18, 3),
                               encode_jpeg(pattern(19, 18, 3), 19, 18, 3, {.progressive = true}),
                               encode_jpeg(pattern(9, 9, 4), 9, 9, 4),
                               encode_jpeg(pattern(9, 9, 1), 9, 9, 1)};
  int decoded = 0, refused = 0;
  for (uint64_t seed = 0; seed < 6000; ++seed) {
    PhiloxSequence random(seed);
    const auto image = decode_jpeg(testing::mutated(files[seed % 4], random), 1 << 20);
    ++(image.ok() ? decoded : refused);
    if (image.ok()) EXPECT_EQ(static_cast<int64_t>(image->pixels.size()), 3 * image->height * image->width);
  }
  EXPECT_GT(decoded, 100);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace cutset
