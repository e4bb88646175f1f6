// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/resize_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/encode_images.h"

namespace cutset {
namespace {

using testing::pattern;

Image image_of(int height, int width) { return {height, width, pattern(height, width, 3)}; }

// The results of torchvision 0.29.2, which calls Pillow 13.0: Resize((4, 6)), Resize(9), Resize(5),
// Resize((4, 7)) and Resize((6, 8)), each followed by CenterCrop.
TEST(ResizeImage, PixelsAreThoseOfPillow) {
  const struct {
    int height, width;
    CropSize size;
    std::vector<unsigned char> pixels;
  } cases[] = {
      {7, 11, {4, 4, 0}, {126, 120, 107, 136, 130, 142, 134, 143, 140, 142, 109, 153, 147, 96,  110, 158,
                          103, 115, 149, 122, 121, 96,  130, 146, 127, 121, 113, 154, 112, 125, 124, 97,
                          110, 107, 124, 165, 149, 127, 136, 94,  133, 162, 103, 112, 171, 110, 85,  120}},
      {5, 4, {9, 9, 9}, {7,   108, 209, 17,  118, 176, 45,  146, 91,  73,  172, 19,  102, 180, 48,  130, 187,
                         76,  140, 131, 104, 148, 67,  132, 150, 42,  143, 24,  125, 226, 35,  136, 194, 66,
                         167, 112, 96,  189, 42,  128, 147, 74,  158, 105, 104, 126, 91,  135, 84,  81,  166,
                         68,  76,  177, 40,  141, 219, 53,  150, 193, 86,  173, 123, 120, 185, 66,  153, 115,
                         99,  187, 44,  133, 120, 65,  157, 40,  99,  180, 10,  111, 189, 57,  158, 120, 71,
                         148, 114, 107, 122, 98,  143, 98,  89,  179, 82,  125, 215, 66,  161, 151, 96,  143,
                         73,  132, 117, 44,  145, 107, 74,  175, 20,  89,  147, 35,  127, 72,  73,  166, 11,
                         112, 205, 50,  151, 243, 88,  189, 182, 127, 128, 107, 165, 53,  79,  180, 25,  91,
                         192, 37,  107, 165, 53,  147, 92,  93,  182, 34,  128, 172, 75,  118, 162, 116, 108,
                         142, 112, 88,  121, 102, 67,  114, 98,  60,  108, 209, 54,  124, 182, 70,  168, 113,
                         114, 199, 57,  145, 140, 101, 86,  80,  144, 26,  102, 98,  48,  135, 39,  81,  148,
                         16,  94,  124, 225, 70,  127, 200, 88,  132, 133, 134, 133, 80,  167, 107, 127, 100,
                         81,  173, 33,  119, 120, 65,  165, 53,  111, 183, 28,  129, 141, 242, 87,  125, 218,
                         106, 81,  154, 155, 46,  103, 190, 75,  153, 126, 103, 202, 61,  150, 151, 96,  199,
                         87,  145, 217, 62,  163}},
      {8, 6, {3, 4, 5}, {120, 172, 71,  155, 82,  116, 127, 100, 73,  189, 74,  135,
                         129, 171, 110, 70,  131, 121, 153, 126, 133, 144, 119, 115,
                         177, 77,  123, 128, 137, 74,  151, 124, 161, 92,  111, 166}},
      {9, 16, {4, 6, 0}, {91,  137, 112, 127, 109, 122, 142, 145, 138, 129, 113, 145, 98,  116, 130,
                          134, 86,  131, 126, 131, 103, 148, 100, 108, 154, 116, 116, 111, 128, 147,
                          138, 128, 122, 118, 123, 133, 127, 118, 108, 130, 122, 148, 115, 117, 151,
                          108, 94,  146, 132, 111, 137, 130, 106, 137, 115, 99,  159, 123, 126, 147,
                          126, 148, 136, 120, 110, 127, 158, 151, 105, 135, 140, 133}},
      {5, 6, {3, 8, 0}, {59,  160, 111, 109, 117, 95,  171, 83,  117, 200, 77,  159, 69,  138, 109,
                         98,  106, 84,  160, 112, 106, 210, 162, 156, 89,  190, 35,  147, 88,  93,
                         177, 62,  123, 161, 118, 107, 118, 107, 64,  168, 69,  114, 198, 83,  144,
                         189, 141, 135, 120, 221, 66,  145, 126, 131, 127, 108, 113, 84,  153, 30,
                         162, 39,  108, 199, 84,  145, 180, 137, 126, 125, 162, 71}}};
  for (const auto& c : cases) {
    const Image image = resize_and_crop(image_of(c.height, c.width), c.size);
    EXPECT_EQ(image.height, c.size.height);
    EXPECT_EQ(image.width, c.size.width);
    EXPECT_EQ(image.pixels, c.pixels) << c.height << " x " << c.width;
  }
}

TEST(ResizeImage, AnImageOfTheRightSizeStaysAsItIs) {
  EXPECT_EQ(resize_and_crop(image_of(5, 5), {5, 5}).pixels, pattern(5, 5, 3));
  const Image wide = resize_and_crop(image_of(4, 8), {4, 4});  // columns 2 to 5
  for (size_t y = 0; y < 4; ++y)
    for (size_t i = 0; i < 12; ++i) EXPECT_EQ(wide.pixels[12 * y + i], pattern(4, 8, 3)[24 * y + 6 + i]);
}

// The resized image would have 60,000 x 4 billion pixels.
TEST(ResizeImage, OnlyTheCropIsComputed) {
  const Image line{1, 65535, std::vector<unsigned char>(3 * 65535, 9)};
  const Image crop = resize_and_crop(line, {2, 3, 60000});
  EXPECT_EQ(crop.pixels, std::vector<unsigned char>(2 * 3 * 3, 9));
  const Image column{65535, 1, std::vector<unsigned char>(3 * 65535, 9)};
  EXPECT_EQ(resize_and_crop(column, {2, 3}).pixels, std::vector<unsigned char>(2 * 3 * 3, 9));
}

}  // namespace
}  // namespace cutset
