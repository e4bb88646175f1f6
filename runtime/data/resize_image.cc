// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/resize_image.h"

#include <algorithm>
#include <cmath>

namespace cutset {
namespace {

constexpr int kWeightBits = 22;

// The weights of one row or column of the result: it is the sum of the rows or columns `first`, `first` + 1,
// ... of the image with these weights.
struct Taps {
  int64_t first;
  std::vector<int32_t> weights;
};

// Returns the taps of the rows `begin` to `begin` + `count` - 1 of the result, if `from` rows are resized to
// `to` rows.
std::vector<Taps> taps(int64_t from, int64_t to, int64_t begin, int64_t count) {
  const double scale = static_cast<double>(from) / static_cast<double>(to), reach = std::max(scale, 1.0);
  const double narrow = 1 / reach;  // a product with `narrow` rounds as in Pillow; a quotient does not
  std::vector<Taps> all;
  std::vector<double> weights;
  for (int64_t i = begin; i < begin + count; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const int64_t first = std::max<int64_t>(static_cast<int64_t>(centre - reach + 0.5), 0);
    const int64_t end = std::min(static_cast<int64_t>(centre + reach + 0.5), from);
    double sum = 0;
    weights.clear();
    for (int64_t j = first; j < end; ++j) {
      const double distance = std::abs((static_cast<double>(j) - centre + 0.5) * narrow);
      weights.push_back(std::max(1 - distance, 0.0));
      sum += weights.back();
    }
    Taps pixel{first, {}};
    for (double w : weights)
      pixel.weights.push_back(static_cast<int32_t>(w / sum * (1 << kWeightBits) + 0.5));
    all.push_back(std::move(pixel));
  }
  return all;
}

// Computes a byte of a pixel: the sum of every `stride`-th byte times the weights of the taps.
unsigned char weighted(const Taps& t, const unsigned char* from, int64_t stride) {
  int32_t sum = 1 << (kWeightBits - 1);
  for (int32_t weight : t.weights) {
    sum += weight * *from;
    from += stride;
  }
  return static_cast<unsigned char>(std::clamp(sum >> kWeightBits, 0, 255));
}

// Returns half of the difference, rounded to even.
int64_t offset(int64_t all, int64_t part) {
  const int64_t half = (all - part) / 2, odd = (all - part) % 2;
  return half + (odd & half);
}

}  // namespace

Image resize_and_crop(const Image& image, const CropSize& size) {
  const int64_t h = image.height, w = image.width;
  int64_t height = size.height, width = size.width;  // the sizes of the resized image
  if (size.shorter_side) height = width = size.shorter_side;
  const bool fits_height = size.shorter_side ? h <= w : height * w >= width * h;
  (fits_height ? width : height) = fits_height ? height * w / h : width * h / w;

  const auto columns = taps(w, width, offset(width, size.width), size.width);
  const auto rows = taps(h, height, offset(height, size.height), size.height);
  const int64_t top = rows.front().first;
  const int64_t needed = rows.back().first + static_cast<int64_t>(rows.back().weights.size()) - top;
  std::vector<unsigned char> resized_columns(static_cast<size_t>(3 * needed * size.width));
  for (int64_t y = 0; y < needed; ++y)
    for (int64_t x = 0; x < size.width; ++x)
      for (int64_t c = 0; c < 3; ++c) {
        const Taps& t = columns[static_cast<size_t>(x)];
        resized_columns[static_cast<size_t>(3 * (y * size.width + x) + c)] =
            weighted(t, image.pixels.data() + 3 * ((top + y) * w + t.first) + c, 3);
      }
  Image result{size.height, size.width,
               std::vector<unsigned char>(static_cast<size_t>(3 * size.height * size.width))};
  for (int64_t y = 0; y < size.height; ++y) {
    const Taps& t = rows[static_cast<size_t>(y)];
    for (int64_t x = 0; x < 3 * size.width; ++x)
      result.pixels[static_cast<size_t>(3 * y * size.width + x)] =
          weighted(t, resized_columns.data() + 3 * (t.first - top) * size.width + x, 3 * size.width);
  }
  return result;
}

}  // namespace cutset
