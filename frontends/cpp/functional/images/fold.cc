// SPDX-License-Identifier: Apache-2.0
#include <cutset/constants.h>
#include <cutset/fold.h>

#include "frontends/cpp/functional/arange.h"
#include "frontends/cpp/functional/compose.h"
#include "frontends/cpp/functional/images/image_windows.h"

namespace cutset {
namespace {

using Where = std::source_location;
using ImageWindows = std::vector<ImageWindow>;

// The numbers of elements of the kernel, of windows, and of elements of the padded image. Each of these
// numbers is below 2^31.
struct Sizes {
  int64_t kernel, windows, padded;
  Sizes(const Tensor& x, const char* function, const ImageWindows& axes, Where source)
      : kernel(product_of(
            x, function, axes, [](const ImageWindow& a) { return a.kernel; }, source)),
        windows(product_of(
            x, function, axes, [](const ImageWindow& a) { return a.count; }, source)),
        padded(product_of(x, function, axes, [](const ImageWindow& a) { return a.padded(); }, source)) {}
};

// Returns where each element of each window is in the padded image, in row-major order: i32 [kernel...,
// windows...].
Tensor places_of(const Tensor& x, const ImageWindows& axes, Where source) {
  Tensor places;
  const auto add_steps = [&](int64_t count, int64_t step, size_t dimension) {
    Shape along(2 * axes.size() - dimension, 1);
    along[0] = count;
    const Tensor numbers = arange_of(x.graph(), count, DType::i32, source);
    const Tensor steps =
        reshape(mul(numbers, constant(numbers, Number(count > 1 ? step : 0, source)), source),
                {.shape = along}, source);
    places = places.defined() ? add(places, steps, source) : steps;
  };
  int64_t inner = 1;  // how many elements of the padded image one step along axis d passes
  for (size_t d = axes.size(); d-- > 0; inner *= axes[d].padded()) {
    add_steps(axes[d].kernel, axes[d].dilation * inner, d);
    add_steps(axes[d].count, axes[d].stride * inner, axes.size() + d);
  }
  return places;
}

}  // namespace

Tensor unfold(const Tensor& x, const FoldOptions& o, Where source) {
  const auto again = [x = kept(x), o, source](const Counterpart& now) { return unfold(now(x), o, source); };
  return compose(x, "unfold", source, again, [&] {
    if (x.type().rank() < 3 || x.type().rank() > 5 || x.shape()[1] < 1)
      refuse(x, "unfold", "images [n, c, ...] of one to three axes and one channel or more", source);
    const ImageWindows axes = windows_of(x, "unfold", {x.shape().begin() + 2, x.shape().end()}, o, source);
    const Sizes sizes(x, "unfold", axes, source);
    Tensor padded = x;
    for (size_t d = 0; d < axes.size(); ++d)
      if (axes[d].before || axes[d].after)
        padded = ops::pad(
            padded, {.axis = static_cast<int64_t>(d) + 2, .before = axes[d].before, .after = axes[d].after},
            source);
    const Tensor flat = reshape(padded, {.shape = {0, x.shape()[1], sizes.padded}}, source);
    const Tensor columns = gather(flat, places_of(x, axes, source), {.axis = 2}, source);
    return reshape(columns, {.shape = {0, x.shape()[1] * sizes.kernel, sizes.windows}}, source);
  });
}

Tensor fold(const Tensor& x, const std::vector<int64_t>& image_size, const FoldOptions& o, Where source) {
  const auto again = [x = kept(x), image_size, o, source](const Counterpart& now) {
    return fold(now(x), image_size, o, source);
  };
  return compose(x, "fold", source, again, [&] {
    if (image_size.empty() || image_size.size() > 3)
      refuse(x, "fold", "an image of one to three axes, not " + to_string(image_size), source);
    const ImageWindows axes = windows_of(x, "fold", image_size, o, source);
    const Sizes sizes(x, "fold", axes, source);
    if (x.type().rank() != 3 || x.shape()[1] < 1 || x.shape()[1] % sizes.kernel ||
        x.shape()[2] != sizes.windows)
      refuse(x, "fold",
             "the shape [n, c * " + std::to_string(sizes.kernel) + ", " + std::to_string(sizes.windows) +
                 "] for its kernel and windows",
             source);
    const int64_t channels = x.shape()[1] / sizes.kernel, elements = sizes.kernel * sizes.windows;
    const Tensor flat = reshape(x, {.shape = {0, channels, elements}}, source);
    // Tensors [n, c, 1] of zeros. They are made from x, so that no attribute holds the size of the batch.
    const Tensor one = ops::slice(flat, {.axis = 2, .start = 0, .length = 1}, source);
    const Tensor zeros = ops::full_like(one, {.value = 0}, source);
    const Tensor index_zeros = ops::full_like(cast(one, {.dtype = DType::i32}, source), {.value = 0}, source);
    const Tensor places = reshape(places_of(x, axes, source), {.shape = {elements}}, source);
    const Tensor sums = scatter_elements(ops::pad(zeros, {.axis = 2, .after = sizes.padded - 1}, source),
                                         add(places, index_zeros, source), flat,
                                         {.axis = 2, .reduction = ScatterElementsReduction::kAdd}, source);
    Shape padded = {0, channels};
    for (const ImageWindow& a : axes) padded.push_back(a.padded());
    Tensor y = reshape(sums, {.shape = padded}, source);
    for (size_t d = 0; d < axes.size(); ++d)
      if (axes[d].before || axes[d].after)
        y = ops::slice(y,
                       {.axis = static_cast<int64_t>(d) + 2, .start = axes[d].before, .length = axes[d].size},
                       source);
    return y;
  });
}

}  // namespace cutset
