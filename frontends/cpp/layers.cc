#include <cutset/constants.h>
#include <cutset/layers.h>

#include <algorithm>
#include <cmath>

#include "frontends/cpp/batch_normalized.h"
#include "frontends/cpp/compose_in_f32.h"
#include "ir/core/half.h"
#include "runtime/abi/cache_file.h"

namespace cutset {

Tensor sum(const Tensor& x, const std::vector<int64_t>& axes, bool keepdims, std::source_location where) {
  return reduce_sum(x, {.axes = axes, .keepdims = keepdims}, where);
}

// The divisor is an op and not a constant, so that it is right for every batch size and for a batch that is split. Neither
// the sum nor the divisor of many 16-bit numbers need be a number of their type, so both are computed in f32.
Tensor mean(const Tensor& x, const std::vector<int64_t>& axes, bool keepdims, std::source_location where) {
  return compose_in_f32(x, "mean", where, std::tie(x), [&](const Tensor& x) {
    return div(sum(x, axes, keepdims, where), ops::count(x, {.axes = axes}, where), where);
  });
}

Tensor flatten(const Tensor& x, std::source_location where) { return reshape(x, {.shape = {0, -1}}, where); }

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

// The sizes of a kernel over the axes of the images x. The op refuses a batch of another rank.
static std::vector<int64_t> kernel_of(const AxisSizes& kernel_size, const Tensor& x) {
  return kernel_size.list(x.shape().size() > 2 ? x.shape().size() - 2 : 2);
}
// `channels` times the elements of a kernel. The product is computed in double, because invalid sizes may overflow every
// integer type.
static int64_t fan_in_of(int64_t channels, const std::vector<int64_t>& kernel) {
  double product = static_cast<double>(channels);
  for (int64_t size : kernel) product *= static_cast<double>(size);
  return static_cast<int64_t>(std::clamp(product, 1.0, 0x1p62));
}
static Shape weight_shape(int64_t first, int64_t second, const std::vector<int64_t>& kernel) {
  Shape shape = {first, second};
  shape.insert(shape.end(), kernel.begin(), kernel.end());
  return shape;
}

Tensor conv(Graph& g, const std::string& name, const Tensor& x, const ConvOptions& o, std::source_location where) {
  require_positive("conv '" + name + "'", "out_channels", o.out_channels, where);
  require_tensor(x, "conv", where);
  Undo undo(g.state());
  NameScope scope(g, name);
  const int64_t channels = x.type().rank() > 2 && o.groups > 0 ? x.shape()[1] / o.groups : 1;
  const std::vector<int64_t> kernel = kernel_of(o.kernel_size, x);
  const int64_t fan_in = fan_in_of(channels, kernel);
  const Shape shape = weight_shape(o.out_channels, channels, kernel);
  Tensor weight = o.weight ? g.variable(name + ".weight", x.dtype(), shape, *o.weight, {}, where)
                           : uniform_variable(g, name + ".weight", x.dtype(), shape, fan_in, where);
  Tensor bias;
  if (o.bias) bias = uniform_variable(g, name + ".bias", x.dtype(), {o.out_channels}, fan_in, where);
  const size_t axes = kernel.size();
  Tensor y = cutset::conv(x, weight, bias, {o.stride.list(axes), o.padding.list(axes), o.dilation.list(axes), o.groups},
                          where);
  undo.keep();
  return y;
}

Tensor conv_transpose(Graph& g, const std::string& name, const Tensor& x, const ConvTransposeOptions& o,
                      std::source_location where) {
  require_positive("conv_transpose '" + name + "'", "out_channels", o.out_channels, where);
  require_tensor(x, "conv_transpose", where);
  if (o.groups < 1 || o.out_channels % o.groups != 0)
    raise({ErrorCode::kInvalidArgument,
           "conv_transpose '" + name + "' has " + std::to_string(o.out_channels) + " output channels in " +
               std::to_string(o.groups) + " groups",
           Error::line_of(where), "groups must be positive and divide out_channels"});
  Undo undo(g.state());
  NameScope scope(g, name);
  const std::vector<int64_t> kernel = kernel_of(o.kernel_size, x);
  const int64_t channels = o.out_channels / o.groups, fan_in = fan_in_of(channels, kernel);
  Tensor weight =
      uniform_variable(g, name + ".weight", x.dtype(),
                       weight_shape(x.type().rank() > 2 ? x.shape()[1] : 1, channels, kernel), fan_in, where);
  Tensor bias = uniform_variable(g, name + ".bias", x.dtype(), {o.out_channels}, fan_in, where);
  const size_t axes = kernel.size();
  const Tensor y = cutset::conv_transpose(x, weight, {},
                                          {.stride = o.stride.list(axes),
                                           .padding = o.padding.list(axes),
                                           .dilation = o.dilation.list(axes),
                                           .groups = o.groups,
                                           .output_padding = o.output_padding.list(axes)},
                                          where);
  Shape beside_channels(axes + 1, 1);
  beside_channels[0] = o.out_channels;
  const Tensor sum = add(y, reshape(bias, {.shape = beside_channels}, where), where);
  undo.keep();
  return sum;
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

namespace {

void check_options(const std::string& name, const BatchNormOptions& o, std::source_location where) {
  if (!(o.momentum >= 0 && o.momentum <= 1))
    raise({ErrorCode::kInvalidArgument, "batch_norm '" + name + "' has a momentum of " + std::to_string(o.momentum),
           Error::line_of(where), "set momentum to a number from 0 to 1"});
  if (o.rows_per_group < 0)
    raise({ErrorCode::kInvalidArgument,
           "batch_norm '" + name + "' has rows_per_group = " + std::to_string(o.rows_per_group), Error::line_of(where),
           "set rows_per_group to 1 or more, or to 0 for the whole batch"});
}

}  // namespace

Tensor batch_norm(Graph& g, const std::string& name, const Tensor& x, const BatchNormOptions& o,
                  std::source_location where) {
  require_tensor(x, "batch_norm", where);
  if (x.shape().size() < 2)
    throw Error(ErrorCode::kInvalidArgument,
                "batch_norm of " + to_string(x.type()) + " needs rank 2 or more; dimension 1 is the channel",
                Error::line_of(where), "");
  check_options(name, o, where);
  Undo undo(g.state());
  if (is_half(x.dtype())) {
    const Tensor y = batch_norm(g, name, cast(x, {.dtype = f32}, where), o, where);
    const Tensor rounded = cast(y, {.dtype = x.dtype()}, where);
    undo.keep();
    return rounded;
  }
  NameScope scope(g, name);
  const int64_t channels = x.shape()[1];
  const auto [weight, bias] = scale_and_bias(g, name, x, channels, where);
  BatchNormVariables variables{weight, bias, {}, {}};
  if (o.running_statistics) {
    const auto running = [&](const char* what, double start) {
      return g.variable(name + what, x.dtype(), {channels}, Initializer::constant(start), {.trainable = false}, where);
    };
    variables.mean = running(".running_mean", 0), variables.variance = running(".running_var", 1);
  }
  const BatchNormalized made = batch_normalized(g, x, variables, o, where);
  undo.keep();
  move_statistics(variables, made, where);
  return made.result;
}

// The stream of random numbers of a layer. It is above those of variables, which count from 1.
static int64_t stream_of(const std::string& name) {
  return static_cast<int64_t>((abi::hash_of(name) >> 2) | (uint64_t{1} << 61));
}

Tensor dropout(Graph& g, const std::string& name, const Tensor& x, const DropoutOptions& o,
               std::source_location where) {
  require_tensor(x, "dropout", where);
  if (!(o.probability >= 0 && o.probability < 1))
    raise({ErrorCode::kInvalidArgument, "dropout '" + name + "' has a probability of " + std::to_string(o.probability),
           Error::line_of(where), "set probability to a number from 0 to below 1"});
  Undo undo(g.state());
  NameScope scope(g, name);
  const Tensor like = is_half(x.dtype()) ? cast(x, {.dtype = f32}, where) : x;  // 16 bits would change the probability
  const Tensor drawn = random_uniform(
      like, g.step(where), {.seed = static_cast<int64_t>(g.state()->seed), .stream = stream_of(name)}, where);
  const Tensor kept = greater_equal(drawn, constant(drawn, o.probability), where);
  const Tensor scaled = ops::scale(x, {.factor = 1 / (1 - o.probability)}, where);
  Tensor y = g.when_training(cutset::where(kept, scaled, constant(x, 0), where), x, where);
  undo.keep();
  return y;
}

}  // namespace nn
}  // namespace cutset
