// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/nodes/windows.h"

#include <algorithm>

namespace cutset::onnx {
namespace {
constexpr int64_t kLimit = 1 << 20;  // the ops that read windows have the same limit
constexpr int64_t kLargestSize =
    int64_t{1} << 32;  // the sum of a few products of this size and a stride fits in 64 bits
}  // namespace

std::vector<int64_t> numbers_per_axis(const Node& node, const char* name, size_t length, int64_t otherwise,
                                      int64_t least) {
  const auto numbers = node.numbers(name).value_or(std::vector<int64_t>(length, otherwise));
  if (numbers.size() != length)
    invalid(std::string(name) + " has " + std::to_string(numbers.size()) + " elements, not " +
            std::to_string(length));
  for (const int64_t number : numbers)
    if (number < least || number >= kLimit)
      invalid(std::string(name) + " has the element " + std::to_string(number));
  return numbers;
}

std::vector<int64_t> spatial_size(const TensorType& x) {
  if (x.rank() < 3 || x.rank() > 5)
    unsupported("only images of one to three dimensions are supported, not " + to_string(x));
  const std::vector<int64_t> size(x.shape.begin() + 2, x.shape.end());
  if (*std::max_element(size.begin(), size.end()) > kLargestSize)
    unsupported("only images of at most 2^32 elements per dimension are supported, not " + to_string(x));
  return size;
}

std::vector<int64_t> both_sides(const Windows& windows) {
  std::vector<int64_t> all = windows.before;
  all.insert(all.end(), windows.after.begin(), windows.after.end());
  return all;
}

Windows windows_of(const Node& node, const std::vector<int64_t>& kernel, const std::vector<int64_t>& size) {
  Windows w;
  const size_t n = size.size();
  w.kernel = node.has_attribute("kernel_shape") ? numbers_per_axis(node, "kernel_shape", n, 1, 1) : kernel;
  if (w.kernel != kernel || kernel.size() != n) invalid("kernel_shape does not fit the operands");
  w.strides = numbers_per_axis(node, "strides", n, 1, 1);
  w.dilations = numbers_per_axis(node, "dilations", n, 1, 1);
  const auto pads = numbers_per_axis(node, "pads", 2 * n, 0, 0);
  w.before.assign(pads.begin(), pads.begin() + static_cast<int64_t>(n));
  w.after.assign(pads.begin() + static_cast<int64_t>(n), pads.end());
  const std::string automatic = node.text("auto_pad", "NOTSET");
  const bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  if (!same && automatic != "NOTSET" && automatic != "VALID") invalid("auto_pad is '" + automatic + "'");
  for (size_t d = 0; d < n; ++d) {
    if (kernel[d] < 1 || kernel[d] > kLargestSize || size[d] < 0 || size[d] > kLargestSize)
      invalid("a window of " + std::to_string(kernel[d]) + " elements over " + std::to_string(size[d]) +
              " is out of range");
    const int64_t reach = (w.kernel[d] - 1) * w.dilations[d] + 1;
    if (automatic == "VALID") w.before[d] = w.after[d] = 0;
    if (same) {  // one window per stride in the operand
      const int64_t windows = (size[d] + w.strides[d] - 1) / w.strides[d];
      const int64_t rows = std::max<int64_t>((windows - 1) * w.strides[d] + reach - size[d], 0);
      w.before[d] = automatic == "SAME_UPPER" ? rows / 2 : rows - rows / 2;
      w.after[d] = rows - w.before[d];
    }
  }
  return w;
}

}  // namespace cutset::onnx
