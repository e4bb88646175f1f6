// SPDX-License-Identifier: Apache-2.0
// The windows of an image along its axes, for functions that read windows.
#pragma once
#include <cutset/fold.h>

#include <vector>

#include "frontends/cpp/functional/compose.h"

namespace cutset {

// The windows along one axis.
struct ImageWindow {
  int64_t size = 1, kernel = 1, stride = 1, before = 0, after = 0, dilation = 1;
  int64_t count = 1;  // how many windows there are
  int64_t padded() const { return before + size + after; }
};

// Returns the windows of an image with these sizes. Throws an Error of the public function `function`, whose
// operand is x, in these cases:
// - An option does not have one number per axis. The padding may also have two numbers per axis.
// - A number of an option is out of range.
// - An axis has no window, or at least 2^31 elements.
std::vector<ImageWindow> windows_of(const Tensor& x, const char* function, const std::vector<int64_t>& sizes,
                                    const FoldOptions& options, std::source_location source);

// Returns the product of one member over all axes. Throws an Error of `function` if it is not below 2^31.
template <class Member>
int64_t product_of(const Tensor& x, const char* function, const std::vector<ImageWindow>& axes, Member member,
                   std::source_location source) {
  int64_t product = 1;
  for (const ImageWindow& axis : axes) {
    const int64_t size = member(axis);
    if (size > ((int64_t{1} << 31) - 1) / product)
      refuse(x, function, "fewer than 2^31 elements in a window and in a padded image", source);
    product *= size;
  }
  return product;
}

}  // namespace cutset
