// Poolings: the mean, the maximum or the norm of windows of images.
#include <cutset/layers.h>

#include "frontends/onnx/converters.h"
#include "frontends/onnx/windows.h"

namespace cutset::onnx {
namespace {

std::vector<int64_t> spatial_axes(const Tensor& x) {
  std::vector<int64_t> axes;
  for (int64_t d = 2; d < x.type().rank(); ++d) axes.push_back(d);
  if (axes.empty()) invalid("the operand has no dimensions behind the channels");
  return axes;
}

Results global_average(Node& n) { return {mean(n.in(0), spatial_axes(n.in(0)), true)}; }
Results global_maximum(Node& n) { return {reduce_max(n.in(0), {.axes = spatial_axes(n.in(0)), .keepdims = true})}; }

Results maximum_of_windows(Node& n) {
  const Tensor x = n.in(0);
  if (n.wants(1)) unsupported("the indices of the maxima");
  if (x.type().rank() != 4) unsupported("only windows of images are supported, not of " + to_string(x.type()));
  const Windows w =
      windows_of(n, n.numbers("kernel_shape").value_or(std::vector<int64_t>{}), {x.shape()[2], x.shape()[3]});
  if (w.dilations != std::vector<int64_t>{1, 1}) unsupported("dilated windows");
  if (w.before != w.after) unsupported("padding that differs between the two sides");
  return {max_pool2d(x, {.kernel_size = {w.kernel[0], w.kernel[1]},
                         .stride = Size2d(w.strides[0], w.strides[1]),
                         .padding = {w.before[0], w.before[1]}})};
}

}  // namespace

void add_poolings(Converters& table) {
  table.insert(
      {{"GlobalAveragePool", global_average}, {"GlobalMaxPool", global_maximum}, {"MaxPool", maximum_of_windows}});
}

}  // namespace cutset::onnx
