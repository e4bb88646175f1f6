#include <cutset/layers.h>

#include <algorithm>
#include <cmath>

#include "frontends/cpp/append.h"
#include "frontends/cpp/undo.h"

namespace cutset {

Tensor sum(const Tensor& x, const std::vector<int64_t>& axes, bool keepdims, std::source_location where) {
  return reduce_sum(x, {.axes = axes, .keepdims = keepdims}, where);
}

static void require_tensor(const Tensor& x, const char* function, std::source_location where) {
  if (!x)
    throw Error(ErrorCode::kInvalidArgument, std::string("operand 0 ('x') of '") + function + "' is an empty Tensor",
                Error::line_of(where), "");
}

// The divisor is an op and not a constant, so that it is right for every batch size and for a batch that is split.
Tensor mean(const Tensor& x, const std::vector<int64_t>& axes, bool keepdims, std::source_location where) {
  require_tensor(x, "mean", where);
  return div(sum(x, axes, keepdims, where), ops::count(x, {.axes = axes}, where), where);
}

Tensor flatten(const Tensor& x, std::source_location where) { return reshape(x, {.shape = {0, -1}}, where); }

Tensor max_pool2d(const Tensor& x, const MaxPool2dOptions& options, std::source_location where) {
  const auto list = [](const Size2d& size) { return std::vector<int64_t>{size.rows, size.columns}; };
  return append("max_pool2d", {{x}},
                {{"kernel", list(options.kernel_size)},
                 {"stride", list(options.stride.value_or(options.kernel_size))},
                 {"padding", list(options.padding)}},
                where)[0];
}

Tensor avg_pool2d(const Tensor& x, int64_t kernel_size, std::source_location where) {
  require_tensor(x, "avg_pool2d", where);
  const Shape& s = x.shape();
  if (kernel_size < 1)
    throw Error(ErrorCode::kInvalidArgument, "avg_pool2d has a kernel size of " + std::to_string(kernel_size),
                Error::line_of(where), "the kernel size must be 1 or more");
  if (s.size() != 4 || s[2] % kernel_size || s[3] % kernel_size)
    throw Error(ErrorCode::kInvalidArgument,
                "avg_pool2d of " + to_string(x.type()) +
                    " needs NCHW images whose height and width are multiples of the kernel size " +
                    std::to_string(kernel_size),
                Error::line_of(where), "");
  return mean(reshape(x, {.shape = {0, 0, s[2] / kernel_size, kernel_size, s[3] / kernel_size, kernel_size}}, where),
              {3, 5}, false, where);
}

namespace nn {

static Tensor uniform_variable(Graph& g, const std::string& name, DType dtype, const Shape& shape, int64_t fan_in,
                               std::source_location where) {
  const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
  return g.variable(name, dtype, shape, Initializer::uniform(-bound, bound), {}, where);
}

// Throws unless `value` is positive. The default of such an option is 0, which means that the caller did not set it.
static void require_positive(const std::string& layer, const char* what, int64_t value, std::source_location where) {
  if (value > 0) return;
  raise({ErrorCode::kInvalidArgument, layer + " has " + what + " = " + std::to_string(value), Error::line_of(where),
         std::string("set ") + what + " to 1 or more"});
}

Tensor conv2d(Graph& g, const std::string& name, const Tensor& x, const Conv2dOptions& o, std::source_location where) {
  require_positive("conv2d '" + name + "'", "out_channels", o.out_channels, where);
  Undo undo(g.state());
  NameScope scope(g, name);
  const int64_t channels = x.type().rank() == 4 && o.groups > 0 ? x.shape()[1] / o.groups : 1;
  // The product is computed in double, because invalid sizes may overflow every integer type.
  const double taps = static_cast<double>(o.kernel_size) * static_cast<double>(o.kernel_size);
  const auto fan_in = static_cast<int64_t>(std::clamp(static_cast<double>(channels) * taps, 1.0, 0x1p62));
  Tensor weight = uniform_variable(g, name + ".weight", x.dtype(),
                                   {o.out_channels, channels, o.kernel_size, o.kernel_size}, fan_in, where);
  Tensor bias = uniform_variable(g, name + ".bias", x.dtype(), {o.out_channels}, fan_in, where);
  Tensor y = cutset::conv2d(x, weight, bias,
                            {{o.stride, o.stride}, {o.padding, o.padding}, {o.dilation, o.dilation}, o.groups}, where);
  undo.keep();
  return y;
}

Tensor dense(Graph& g, const std::string& name, const Tensor& x, int64_t units, std::source_location where) {
  require_positive("dense '" + name + "'", "units", units, where);
  Undo undo(g.state());
  NameScope scope(g, name);
  const int64_t features = x.type().rank() > 0 ? x.shape().back() : 1;
  Tensor weight =
      uniform_variable(g, name + ".weight", x.dtype(), {units, features}, std::max<int64_t>(1, features), where);
  Tensor bias = uniform_variable(g, name + ".bias", x.dtype(), {units}, std::max<int64_t>(1, features), where);
  Tensor y = add(matmul(x, weight, {.transpose_y = true}, where), bias, where);
  undo.keep();
  return y;
}

Tensor embedding(Graph& g, const std::string& name, const Tensor& ids, const EmbeddingOptions& o,
                 std::source_location where) {
  require_positive("embedding '" + name + "'", "vocabulary", o.vocabulary, where);
  require_positive("embedding '" + name + "'", "width", o.width, where);
  Undo undo(g.state());
  NameScope scope(g, name);
  Tensor weight = g.variable(name + ".weight", o.dtype, {o.vocabulary, o.width}, Initializer::normal(0, 1), {}, where);
  Tensor y = gather(weight, ids, {}, where);
  undo.keep();
  return y;
}

// The variables NAME.weight, which is 1, and NAME.bias, which is 0, with `size` elements each.
static std::pair<Tensor, Tensor> scale_and_bias(Graph& g, const std::string& name, const Tensor& x, int64_t size,
                                                std::source_location where) {
  return {g.variable(name + ".weight", x.dtype(), {size}, Initializer::constant(1), {}, where),
          g.variable(name + ".bias", x.dtype(), {size}, Initializer::zeros(), {}, where)};
}

Tensor layer_norm(Graph& g, const std::string& name, const Tensor& x, double epsilon, std::source_location where) {
  require_tensor(x, "layer_norm", where);
  Undo undo(g.state());
  NameScope scope(g, name);
  const auto [weight, bias] = scale_and_bias(g, name, x, x.shape().empty() ? 1 : x.shape().back(), where);
  Tensor y = cutset::layer_norm(x, weight, bias, {.epsilon = epsilon}, where);
  undo.keep();
  return y;
}

Tensor batch_norm(Graph& g, const std::string& name, const Tensor& x, double epsilon, std::source_location where) {
  require_tensor(x, "batch_norm", where);
  if (x.shape().size() < 2)
    throw Error(ErrorCode::kInvalidArgument,
                "batch_norm of " + to_string(x.type()) + " needs rank 2 or more; dimension 1 is the channel",
                Error::line_of(where), "");
  Undo undo(g.state());
  NameScope scope(g, name);
  const auto [weight, bias] = scale_and_bias(g, name, x, x.shape()[1], where);
  std::vector<int64_t> axes;
  for (int64_t d = 0; d < static_cast<int64_t>(x.shape().size()); ++d)
    if (d != 1) axes.push_back(d);
  Tensor average = mean(x, axes, false, where);
  Tensor variance = div(sum_squared_deviations(x, average, where), ops::count(x, {.axes = axes}, where), where);
  Tensor y = cutset::batch_norm(x, weight, bias, average, variance, {.epsilon = epsilon}, where);
  undo.keep();
  return y;
}

}  // namespace nn
}  // namespace cutset
