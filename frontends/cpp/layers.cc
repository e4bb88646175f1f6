// Compositions of ops, and layers with variables.
#include <cutset/graph.h>

#include <algorithm>
#include <cmath>

#include "frontends/cpp/undo.h"

namespace cutset {

Tensor sum(const Tensor& x, const std::vector<int64_t>& axes, bool keep_dims, std::source_location where) {
  return reduce_sum(x, {.axes = axes, .keep_dims = keep_dims}, where);
}

// The divisor is counted, not written down: it stays right for any batch and any share of one.
Tensor mean(const Tensor& x, const std::vector<int64_t>& axes, bool keep_dims, std::source_location where) {
  return div(sum(x, axes, keep_dims, where), count(x, {.axes = axes}, where), where);
}

Tensor flatten(const Tensor& x, std::source_location where) { return reshape(x, {.shape = {0, -1}}, where); }

Tensor max_pool2d(const Tensor& x, const Pool2d& pool, std::source_location where) {
  const int64_t stride = pool.stride ? pool.stride : pool.kernel;
  return max_pool2d(x, MaxPool2dOptions{{pool.kernel, pool.kernel}, {stride, stride}, {pool.padding, pool.padding}},
                    where);
}

Tensor mean_pool2d(const Tensor& x, int64_t kernel, std::source_location where) {
  if (!x)
    throw Error(ErrorCode::kInvalidArgument, "operand 0 ('x') of 'mean_pool2d' is an empty Tensor",
                Error::line_of(where), "");
  const Shape& s = x.shape();
  if (s.size() != 4 || kernel < 1 || s[2] % kernel || s[3] % kernel)
    throw Error(ErrorCode::kInvalidArgument,
                "mean_pool2d of " + to_string(x.type()) + " needs NCHW images whose sizes " + std::to_string(kernel) +
                    " divides",
                Error::line_of(where), "");
  return mean(reshape(x, {.shape = {0, 0, s[2] / kernel, kernel, s[3] / kernel, kernel}}, where), {3, 5}, false, where);
}

namespace nn {

static Tensor uniform_variable(Graph& g, const std::string& name, DType dtype, const Shape& shape, int64_t fan_in,
                               std::source_location where) {
  const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
  return g.variable(name, dtype, shape, Initializer::uniform(-bound, bound), {}, where);
}

// A size that nobody gave is 0, and a layer of no units computes nothing.
static void need(const std::string& layer, const char* what, int64_t bad, std::source_location where) {
  if (bad > 0) return;
  raise({ErrorCode::kInvalidArgument, layer + " has " + std::to_string(bad) + " " + what, Error::line_of(where),
         std::string("give it at least 1 of ") + what});
}

Tensor conv2d(Graph& g, const std::string& name, const Tensor& x, const Conv2d& o, std::source_location where) {
  need("conv2d '" + name + "'", "filters", o.filters, where);
  Undo undo(g.state());
  Scope scope(g.state(), name);
  const int64_t channels = x.type().rank() == 4 && o.groups > 0 ? x.shape()[1] / o.groups : 1;
  const double taps = static_cast<double>(o.kernel) * static_cast<double>(o.kernel);  // no integer holds a mistaken one
  const auto fan_in = static_cast<int64_t>(std::clamp(static_cast<double>(channels) * taps, 1.0, 0x1p62));
  Tensor weight =
      uniform_variable(g, name + ".weight", x.dtype(), {o.filters, channels, o.kernel, o.kernel}, fan_in, where);
  Tensor bias = uniform_variable(g, name + ".bias", x.dtype(), {o.filters}, fan_in, where);
  Tensor y = cutset::conv2d(x, weight, bias,
                            {{o.stride, o.stride}, {o.padding, o.padding}, {o.dilation, o.dilation}, o.groups}, where);
  undo.keep();
  return y;
}

Tensor dense(Graph& g, const std::string& name, const Tensor& x, int64_t units, std::source_location where) {
  need("dense '" + name + "'", "units", units, where);
  Undo undo(g.state());
  Scope scope(g.state(), name);
  const int64_t features = x.type().rank() > 0 ? x.shape().back() : 1;
  Tensor weight =
      uniform_variable(g, name + ".weight", x.dtype(), {units, features}, std::max<int64_t>(1, features), where);
  Tensor bias = uniform_variable(g, name + ".bias", x.dtype(), {units}, std::max<int64_t>(1, features), where);
  Tensor y = add(matmul(x, weight, {.transpose_y = true}, where), bias, where);
  undo.keep();
  return y;
}

}  // namespace nn
}  // namespace cutset
