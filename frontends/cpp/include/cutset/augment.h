// SPDX-License-Identifier: Apache-2.0
// Transforms of images for Dataset::map(): random crops and flips, and normalization. They run on the thread
// that prefetches.
//
//   training.map(data::random_crop({.padding = 4})).map(data::random_horizontal_flip())
//           .map(data::normalize({.mean = {0.49f, 0.48f, 0.45f}, .stddev = {0.25f, 0.24f, 0.26f}}))
//
// The random numbers of a sample are a pure function of the seed, the number of the epoch, the index of the
// sample in the data set and its position in the epoch. Each epoch therefore has other numbers, and the batch
// size, the depth of prefetch() and start_at() do not change them. Random crops and flips with the same seed
// are independent of one another; two crops, or two flips, in one data set need different seeds.
//
// A transform reads one tensor of a batch, f32 [n, channels, height, width]. A batch without such a tensor is
// an error that comes out of the loop over the data set. The functions throw cutset::Error if an option is
// out of range.
#pragma once
#include <cutset/data.h>

namespace cutset::data {

// How random_crop crops.
struct RandomCropOptions {
  int64_t padding = 0;            // rows and columns of zeros that are added at each of the four sides
  int64_t height = 0, width = 0;  // of the crop, in pixels; 0: as the image without padding
  uint64_t seed = 0;              // of the random places
  std::string input = "image";    // the name of the tensor
};
// Pads each image and crops it at a random place; all places are equally likely. A crop that is larger than
// the padded image is an error that comes out of the loop.
Dataset::Transform random_crop(const RandomCropOptions& options);

// How random_horizontal_flip flips.
struct RandomFlipOptions {
  double probability = 0.5;     // of the flip of an image, from 0 to 1
  uint64_t seed = 0;            // of the random choices
  std::string input = "image";  // the name of the tensor
};
// Reverses the columns of each image with this probability, independently of the other images.
Dataset::Transform random_horizontal_flip(const RandomFlipOptions& options = {});

// How normalize changes the values of a channel.
struct NormalizeOptions {
  std::vector<float> mean = {}, stddev = {};  // one per channel; stddev is positive
  std::string input = "image";                // the name of the tensor
};
// Replaces each element x by (x - mean) / stddev of its channel, in f32. Images with another number of
// channels are an error that comes out of the loop.
Dataset::Transform normalize(const NormalizeOptions& options);

}  // namespace cutset::data
