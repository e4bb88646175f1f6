// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/functional/images/image_windows.h"

#include <algorithm>

namespace cutset {

std::vector<ImageWindow> windows_of(const Tensor& x, const char* function, const std::vector<int64_t>& sizes,
                                    const FoldOptions& o, std::source_location source) {
  constexpr int64_t kMost =
      (int64_t{1} << 20) - 1;  // the largest number of an option, as for the ops that read windows
  const size_t n = sizes.size();
  const auto list = [&](const AxisSizes& option, const char* name, int64_t least, size_t numbers) {
    const std::vector<int64_t> each = option.list(numbers);
    if (each.size() != numbers ||
        std::any_of(each.begin(), each.end(), [&](int64_t e) { return e < least || e > kMost; }))
      refuse(x, function,
             std::string("one ") + name + " from " + std::to_string(least) + " to 2^20 - 1 per axis", source);
    return each;
  };
  const std::vector<int64_t> kernel = list(o.kernel_size, "kernel_size", 1, n),
                             stride = list(o.stride, "stride", 1, n),
                             dilation = list(o.dilation, "dilation", 1, n);
  const bool both_sides = o.padding.list(n).size() == 2 * n;
  const std::vector<int64_t> padding = list(o.padding, "padding", 0, both_sides ? 2 * n : n);
  std::vector<ImageWindow> axes;
  for (size_t d = 0; d < n; ++d) {
    ImageWindow a{sizes[d], kernel[d], stride[d], padding[d], padding[both_sides ? n + d : d], dilation[d]};
    const int64_t reach = (a.kernel - 1) * a.dilation + 1;
    if (a.size < 1 || a.size >= int64_t{1} << 31 || reach > a.padded())
      refuse(x, function,
             "from 1 to 2^31 - 1 elements and room for a window along axis " + std::to_string(d) + ", not " +
                 std::to_string(a.size) + " elements and windows of " + std::to_string(reach),
             source);
    a.count = (a.padded() - reach) / a.stride + 1;
    axes.push_back(a);
  }
  return axes;
}

}  // namespace cutset
