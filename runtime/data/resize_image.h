// SPDX-License-Identifier: Apache-2.0
// Resizes images and crops their centre.
#pragma once
#include "runtime/data/image.h"

namespace cutset {

// The size of the images of a batch, in pixels.
struct CropSize {
  int64_t height, width;
  // The length of the shorter side of the resized image, before its centre is cropped; at least as large as
  // height and width. 0: the smallest resized image that covers the crop.
  int64_t shorter_side = 0;
};

// Resizes the image, which keeps the ratio of its sides, and returns the centre of the result.
//
// The filter is bilinear with antialiasing, as in Pillow: a triangle that is as wide as two pixels of the
// result, or of the image if it is enlarged. Columns are computed first, then rows, both with weights of 22
// bits and rounded to bytes (Pillow, Resample.c). The longer side is rounded down, and half a pixel of the
// crop's offset is rounded to even. For a square crop, the result is bitwise that of torchvision's
// Resize(shorter side) and CenterCrop on an image of Pillow that is at most twice as tall as wide. Pillow 13
// computes the rows of some taller images first, and older versions those of images that are more than 100
// times as tall as wide, so bytes differ by 1 there. Memory and time depend on the image and the crop, and
// not on the size of the resized image.
Image resize_and_crop(const Image& image, const CropSize& size);

}  // namespace cutset
