// Convolutions.
#include <cutset/ops.h>

#include "frontends/onnx/converters.h"
#include "frontends/onnx/windows.h"

namespace cutset::onnx {
namespace {

Results convolution(Node& n) {
  Tensor x = n.in(0);
  const Tensor filter = n.in(1);
  if (x.type().rank() != 4 || filter.type().rank() != 4)
    unsupported("only convolutions of images are supported, not of " + to_string(x.type()));
  const Windows windows = windows_of(n, {filter.shape()[2], filter.shape()[3]}, {x.shape()[2], x.shape()[3]});
  std::vector<int64_t> padding = {0, 0};
  for (size_t d = 0; d < 2; ++d) {
    if (windows.before[d] == windows.after[d])
      padding[d] = windows.before[d];
    else
      x = pad(x, {.axis = static_cast<int64_t>(d) + 2, .before = windows.before[d], .after = windows.after[d]});
  }
  return {conv2d(
      x, filter, n.optional(2),
      {.stride = windows.strides, .padding = padding, .dilation = windows.dilations, .groups = n.number("group", 1)})};
}

}  // namespace

void add_convolutions(Converters& table) { table.insert({{"Conv", convolution}}); }

}  // namespace cutset::onnx
