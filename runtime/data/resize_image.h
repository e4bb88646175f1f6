// SPDX-License-Identifier: Apache-2.0
// Resizes images and crops their centre.
#pragma once
#include "runtime/data/image.h"

namespace cutset {

// The size of the images of a batch, in pixels.
struct CropSize {
  int64_t height, width;
  // The length of the shorter side of the resized image, before its centre is cropped. It must be at least
  // `height` and `width`. 0: the smallest resized image that covers the crop.
  int64_t shorter_side = 0;
};

// Resizes the image, keeping the ratio of its sides, and returns the centre of the result.
//
// The filter is bilinear with antialiasing, as in Pillow: a triangle that is as wide as two pixels of the
// result, or two pixels of the image if it is enlarged. Columns are computed first, then rows. Both use
// weights of 22 bits and are rounded to bytes (Pillow, Resample.c). The longer side is rounded down, and an
// offset of the crop of half a pixel is rounded to even. Memory and time depend on the image and the crop,
// but not on the size of the resized image.
//
// For a square crop, the result is bitwise equal to torchvision's Resize(shorter side) and CenterCrop on an
// image of Pillow, if the image is at most twice as tall as wide. For some taller images, Pillow 13 computes
// rows first, and so do older versions for images that are more than 100 times as tall as wide. Bytes then
// differ by 1.
Image resize_and_crop(const Image& image, const CropSize& size);

}  // namespace cutset
