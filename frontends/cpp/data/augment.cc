// SPDX-License-Identifier: Apache-2.0
#include <cutset/augment.h>
#include <cutset/error.h>

#include <algorithm>
#include <cmath>

#include "frontends/cpp/checks/failure.h"
#include "ir/core/philox.h"
#include "runtime/data/image.h"
#include "runtime/files/uninitialized.h"

namespace cutset::data {
namespace {

// Returns four random words for row `row` of a batch. A crop uses words 0 and 1, and a flip uses word 2. Only
// this function uses the blocks above 2^63, so the words do not depend on a shuffle with the same seed.
std::array<uint32_t, 4> words_of(uint64_t seed, const BatchPosition& position, int64_t row) {
  const uint64_t sample = static_cast<uint64_t>(position.samples[static_cast<size_t>(row)]);
  const uint64_t place = static_cast<uint64_t>(position.first + row);
  return philox(seed_of_step(seed, position.epoch), sample, uint64_t{1} << 63 | place);
}
// Returns an integer in [0, n) of a random word: the upper half of a product, whose bias is below n / 2^32.
int64_t below(int64_t n, uint32_t word) {
  return static_cast<int64_t>(uint64_t{word} * static_cast<uint64_t>(n) >> 32);
}

// Returns the images of a batch. Throws unless they are f32 with four dimensions and as many rows as the
// batch.
HostTensor& images_of(Batch& batch, const std::string& name, const BatchPosition& position) {
  const auto found = batch.find(name);
  if (found == batch.end())
    raise(invalid_argument("a batch has no tensor '" + name + "' that a transform of images could change",
                           "give the name of the images as the option 'input'"));
  const TensorType& type = found->second.type();
  if (type.dtype != f32 || type.rank() != 4 || type.shape[0] != static_cast<int64_t>(position.samples.size()))
    raise(invalid_argument("tensor '" + name + "' of a batch of " + std::to_string(position.samples.size()) +
                               " samples is " + to_string(type) +
                               ", and images are f32 [n, channels, height, width]",
                           "change the order of the transforms or the tensor"));
  return found->second;
}

// Copies one channel of an image, from `top` and `left`, which may lie outside of the image. The result is
// zero outside of the image.
void crop_channel(const float* from, int64_t height, int64_t width, int64_t top, int64_t left, float* to,
                  int64_t rows, int64_t columns) {
  const int64_t begin = std::clamp<int64_t>(-left, 0, columns),
                end = std::clamp<int64_t>(width - left, begin, columns);
  for (int64_t y = std::max<int64_t>(0, -top); y < rows && top + y < height; ++y)
    std::copy_n(from + (top + y) * width + left + begin, end - begin, to + y * columns + begin);
}

}  // namespace

Dataset::Transform random_crop(const RandomCropOptions& options) {
  for (int64_t size : {options.padding, options.height, options.width})
    if (size < 0 || size > kMaxImageSide)
      raise(invalid_argument("a crop cannot have a size or a padding of " + std::to_string(size),
                             "sizes and paddings are from 0 to " + std::to_string(kMaxImageSide)));
  return [o = options](Batch batch, const BatchPosition& position) {
    HostTensor& images = images_of(batch, o.input, position);
    const int64_t n = images.shape()[0], channels = images.shape()[1];
    const int64_t height = images.shape()[2], width = images.shape()[3];
    const int64_t rows = o.height ? o.height : height, columns = o.width ? o.width : width;
    const int64_t free_rows = height + 2 * o.padding - rows, free_columns = width + 2 * o.padding - columns;
    if (free_rows < 0 || free_columns < 0)
      raise(invalid_argument("a crop of " + std::to_string(rows) + " x " + std::to_string(columns) +
                                 " pixels does not fit into '" + o.input + "', which is " +
                                 to_string(images.type()),
                             "use a smaller crop or more padding"));
    HostTensor cropped = uninitialized({f32, {n, channels, rows, columns}});
    std::ranges::fill(cropped.as<float>(), 0.0f);
    const float* const from = std::as_const(images).as<float>().data();
    float* const to = cropped.as<float>().data();
    for (int64_t i = 0; i < n; ++i) {
      const auto words = words_of(o.seed, position, i);
      const int64_t top = below(free_rows + 1, words[0]) - o.padding,
                    left = below(free_columns + 1, words[1]) - o.padding;
      for (int64_t c = i * channels; c < (i + 1) * channels; ++c)
        crop_channel(from + c * height * width, height, width, top, left, to + c * rows * columns, rows,
                     columns);
    }
    images = std::move(cropped);
    return batch;
  };
}

Dataset::Transform random_horizontal_flip(const RandomFlipOptions& options) {
  if (!(options.probability >= 0 && options.probability <= 1))
    raise(invalid_argument("the probability of a flip cannot be " + std::to_string(options.probability),
                           "it is from 0 to 1"));
  return [o = options](Batch batch, const BatchPosition& position) {
    HostTensor& images = images_of(batch, o.input, position);
    const int64_t n = images.shape()[0], rows = images.shape()[1] * images.shape()[2],
                  width = images.shape()[3];
    float* row = images.as<float>().data();
    for (int64_t i = 0; i < n; ++i) {
      const bool flip = unit_float(words_of(o.seed, position, i)[2]) < o.probability;
      for (int64_t y = 0; y < rows; ++y, row += width)
        if (flip) std::reverse(row, row + width);
    }
    return batch;
  };
}

Dataset::Transform normalize(const NormalizeOptions& options) {
  if (options.mean.empty() || options.mean.size() != options.stddev.size())
    raise(invalid_argument("there are " + std::to_string(options.mean.size()) + " means and " +
                               std::to_string(options.stddev.size()) + " standard deviations",
                           "give one of each per channel"));
  for (size_t c = 0; c < options.mean.size(); ++c)
    if (!std::isfinite(options.mean[c]) || !std::isfinite(options.stddev[c]) || !(options.stddev[c] > 0))
      raise(invalid_argument("channel " + std::to_string(c) + " cannot have the mean " +
                                 std::to_string(options.mean[c]) + " and the standard deviation " +
                                 std::to_string(options.stddev[c]),
                             "both are finite, and the standard deviation is positive"));
  return [o = options](Batch batch, const BatchPosition& position) {
    HostTensor& images = images_of(batch, o.input, position);
    const int64_t channels = images.shape()[1], plane = images.shape()[2] * images.shape()[3];
    if (channels != static_cast<int64_t>(o.mean.size()))
      raise(invalid_argument("'" + o.input + "' has " + std::to_string(channels) +
                                 " channels, and there are " + std::to_string(o.mean.size()) + " means",
                             "give one mean per channel"));
    float* x = images.as<float>().data();
    for (int64_t i = 0; i < images.shape()[0]; ++i)
      for (size_t c = 0; c < o.mean.size(); ++c)
        for (const float* end = x + plane; x < end; ++x) *x = (*x - o.mean[c]) / o.stddev[c];
    return batch;
  };
}

}  // namespace cutset::data
