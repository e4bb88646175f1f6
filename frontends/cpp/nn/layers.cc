// SPDX-License-Identifier: Apache-2.0
#include <cutset/activations.h>
#include <cutset/attention.h>
#include <cutset/constants.h>
#include <cutset/convolutions.h>
#include <cutset/layers.h>
#include <cutset/normalizations.h>

#include <algorithm>
#include <cmath>

#include "frontends/cpp/functional/compose_in_f32.h"
#include "frontends/cpp/functional/dropped.h"
#include "frontends/cpp/nn/batch_normalized.h"
#include "ir/core/half.h"

namespace cutset {

namespace nn {

// Returns the graph of the operand of a layer, in which the layer makes variables. Throws if the operand is
// empty.
static Graph graph_of(const Tensor& x, const char* layer, std::source_location source) {
  require_tensor(x, layer, source);
  return Graph(x.graph());
}

// Makes a variable that starts with `initial`, or else with uniform values between -1 / sqrt(fan_in) and 1 /
// sqrt(fan_in).
static Tensor layer_variable(Graph& g, const std::string& name, DType dtype, const Shape& shape,
                             const std::optional<Initializer>& initial, int64_t fan_in,
                             std::source_location source) {
  const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
  return g.variable(name, dtype, shape, initial.value_or(Initializer::uniform(-bound, bound)), {}, source);
}

// Throws unless `value` is positive. The default of such an option is 0, which means that the caller did not
// set it.
static void require_positive(const std::string& layer, const char* what, int64_t value,
                             std::source_location source) {
  if (value > 0) return;
  raise({ErrorCode::kInvalidArgument, layer + " has " + what + " = " + std::to_string(value),
         Error::line_of(source), std::string("set ") + what + " to 1 or more"});
}

// Returns the sizes of a kernel over the axes of the images x. The op refuses a batch of another rank.
static std::vector<int64_t> kernel_of(const AxisSizes& kernel_size, const Tensor& x) {
  return kernel_size.list(x.shape().size() > 2 ? x.shape().size() - 2 : 2);
}
// Returns `channels` times the elements of a kernel. The product is computed in double, because invalid sizes
// may overflow every integer type.
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

Tensor conv(const std::string& name, const Tensor& x, const ConvOptions& o, std::source_location source) {
  require_positive("conv '" + name + "'", "out_channels", o.out_channels, source);
  Graph g = graph_of(x, "conv", source);
  Undo undo(g.state());
  NameScope scope(g, name);
  const int64_t channels = x.type().rank() > 2 && o.groups > 0 ? x.shape()[1] / o.groups : 1;
  const std::vector<int64_t> kernel = kernel_of(o.kernel_size, x);
  const int64_t fan_in = fan_in_of(channels, kernel);
  const Tensor weight =
      layer_variable(g, name + ".weight", x.dtype(), weight_shape(o.out_channels, channels, kernel),
                     o.initial_weight, fan_in, source);
  Tensor bias;
  if (o.bias)
    bias = layer_variable(g, name + ".bias", x.dtype(), {o.out_channels}, o.initial_bias, fan_in, source);
  Tensor y = cutset::conv(x, weight, bias, o.stride, o.padding, o.dilation, o.groups, source);
  undo.keep();
  return y;
}

Tensor conv(const std::string& name, const Tensor& x, int64_t out_channels, const AxisSizes& kernel_size,
            ConvOptions options, std::source_location source) {
  if (options.out_channels != 0 || !(options.kernel_size.list(1) == std::vector<int64_t>{1}))
    raise({ErrorCode::kInvalidArgument, "conv '" + name + "' has its channels or its kernel twice",
           Error::line_of(source), "leave out those in braces"});
  options.out_channels = out_channels;
  options.kernel_size = kernel_size;
  return conv(name, x, options, source);
}

Tensor conv_transpose(const std::string& name, const Tensor& x, const ConvTransposeOptions& o,
                      std::source_location source) {
  require_positive("conv_transpose '" + name + "'", "out_channels", o.out_channels, source);
  Graph g = graph_of(x, "conv_transpose", source);
  if (o.groups < 1 || o.out_channels % o.groups != 0)
    raise({ErrorCode::kInvalidArgument,
           "conv_transpose '" + name + "' has " + std::to_string(o.out_channels) + " output channels in " +
               std::to_string(o.groups) + " groups",
           Error::line_of(source), "groups must be positive and divide out_channels"});
  Undo undo(g.state());
  NameScope scope(g, name);
  const std::vector<int64_t> kernel = kernel_of(o.kernel_size, x);
  const int64_t channels = o.out_channels / o.groups, fan_in = fan_in_of(channels, kernel);
  const Shape shape = weight_shape(x.type().rank() > 2 ? x.shape()[1] : 1, channels, kernel);
  const Tensor weight =
      layer_variable(g, name + ".weight", x.dtype(), shape, o.initial_weight, fan_in, source);
  Tensor bias;
  if (o.bias)
    bias = layer_variable(g, name + ".bias", x.dtype(), {o.out_channels}, o.initial_bias, fan_in, source);
  Tensor y = cutset::conv_transpose(x, weight, bias, o.stride, o.padding, o.output_padding, o.groups,
                                    o.dilation, source);
  undo.keep();
  return y;
}

Tensor dense(const std::string& name, const Tensor& x, int64_t units, const DenseOptions& o,
             std::source_location source) {
  require_positive("dense '" + name + "'", "units", units, source);
  Graph g = graph_of(x, "dense", source);
  Undo undo(g.state());
  NameScope scope(g, name);
  const int64_t features = x.type().rank() > 0 ? x.shape().back() : 1,
                fan_in = std::max<int64_t>(1, features);
  const Tensor weight =
      layer_variable(g, name + ".weight", x.dtype(), {units, features}, o.initial_weight, fan_in, source);
  Tensor bias;
  if (o.bias) bias = layer_variable(g, name + ".bias", x.dtype(), {units}, o.initial_bias, fan_in, source);
  Tensor y = matmul(x, weight, false, true, source);
  if (o.bias) y = add(y, bias, source);
  undo.keep();
  return y;
}

Tensor embedding(const std::string& name, const Tensor& ids, const EmbeddingOptions& o,
                 std::source_location source) {
  require_positive("embedding '" + name + "'", "vocabulary", o.vocabulary, source);
  require_positive("embedding '" + name + "'", "width", o.width, source);
  Graph g = graph_of(ids, "embedding", source);
  Undo undo(g.state());
  NameScope scope(g, name);
  const Initializer initial = o.initial_weight.value_or(Initializer::normal(0, 1));
  const Tensor weight = g.variable(name + ".weight", o.dtype, {o.vocabulary, o.width}, initial, {}, source);
  Tensor y = gather(weight, ids, 0, source);
  undo.keep();
  return y;
}

Tensor embedding(const std::string& name, const Tensor& ids, int64_t vocabulary, int64_t width,
                 std::source_location source) {
  return embedding(name, ids, {.vocabulary = vocabulary, .width = width}, source);
}

// Makes the variables NAME.weight, which starts with 1, and NAME.bias, which starts with 0, with `size`
// elements each.
static Tensor scale_of(Graph& g, const std::string& name, DType dtype, int64_t size,
                       std::source_location source) {
  return g.variable(name + ".weight", dtype, {size}, Initializer::constant(1), {}, source);
}
static Tensor bias_of(Graph& g, const std::string& name, DType dtype, int64_t size,
                      std::source_location source) {
  return g.variable(name + ".bias", dtype, {size}, Initializer::zeros(), {}, source);
}

Tensor layer_norm(const std::string& name, const Tensor& x, const LayerNormOptions& o,
                  std::source_location source) {
  Graph g = graph_of(x, "layer_norm", source);
  Undo undo(g.state());
  NameScope scope(g, name);
  const int64_t size = x.shape().empty() ? 1 : x.shape().back();
  const Tensor weight = scale_of(g, name, x.dtype(), size, source);
  const Tensor bias = o.bias ? bias_of(g, name, x.dtype(), size, source) : Tensor();
  Tensor y = cutset::layer_norm(x, weight, bias, -1, o.epsilon, source);
  undo.keep();
  return y;
}

Tensor rms_norm(const std::string& name, const Tensor& x, const RmsNormOptions& o,
                std::source_location source) {
  Graph g = graph_of(x, "rms_norm", source);
  Undo undo(g.state());
  NameScope scope(g, name);
  const Tensor weight = scale_of(g, name, x.dtype(), x.shape().empty() ? 1 : x.shape().back(), source);
  Tensor y = cutset::rms_norm(x, weight, -1, o.epsilon, source);
  undo.keep();
  return y;
}

Tensor group_norm(const std::string& name, const Tensor& x, const GroupNormOptions& o,
                  std::source_location source) {
  require_positive("group_norm '" + name + "'", "groups", o.groups, source);
  Graph g = graph_of(x, "group_norm", source);
  Undo undo(g.state());
  NameScope scope(g, name);
  const int64_t channels = x.type().rank() > 1 ? x.shape()[1] : 1;
  const Tensor weight = scale_of(g, name, x.dtype(), channels, source);
  const Tensor bias = bias_of(g, name, x.dtype(), channels, source);
  Tensor y = cutset::group_norm(x, weight, bias, o.groups, o.epsilon, source);
  undo.keep();
  return y;
}

Tensor group_norm(const std::string& name, const Tensor& x, WholeNumber groups, std::source_location source) {
  return group_norm(name, x, GroupNormOptions{.groups = groups}, source);
}

namespace {

void check_options(const std::string& name, const BatchNormOptions& o, std::source_location source) {
  if (!(o.momentum >= 0 && o.momentum <= 1))
    raise({ErrorCode::kInvalidArgument,
           "batch_norm '" + name + "' has a momentum of " + std::to_string(o.momentum),
           Error::line_of(source), "set momentum to a number from 0 to 1"});
  if (o.rows_per_group < 0)
    raise({ErrorCode::kInvalidArgument,
           "batch_norm '" + name + "' has rows_per_group = " + std::to_string(o.rows_per_group),
           Error::line_of(source), "set rows_per_group to 1 or more, or to 0 for the whole batch"});
}

}  // namespace

Tensor batch_norm(const std::string& name, const Tensor& x, const BatchNormOptions& o,
                  std::source_location source) {
  Graph g = graph_of(x, "batch_norm", source);
  if (x.shape().size() < 2)
    throw Error(ErrorCode::kInvalidArgument,
                "batch_norm of " + to_string(x.type()) + " needs rank 2 or more; dimension 1 is the channel",
                Error::line_of(source), "");
  check_options(name, o, source);
  Undo undo(g.state());
  if (is_half(x.dtype())) {
    const Tensor y = batch_norm(name, cast(x, f32, source), o, source);
    const Tensor rounded = cast(y, x.dtype(), source);
    undo.keep();
    return rounded;
  }
  NameScope scope(g, name);
  const int64_t channels = x.shape()[1];
  const Tensor weight = scale_of(g, name, x.dtype(), channels, source);
  const Tensor bias = bias_of(g, name, x.dtype(), channels, source);
  BatchNormVariables variables{weight, bias, {}, {}};
  if (o.running_statistics) {
    const auto running = [&](const char* what, double start) {
      return g.variable(name + what, x.dtype(), {channels}, Initializer::constant(start),
                        {.trainable = false}, source);
    };
    variables.mean = running(".running_mean", 0);
    variables.variance = running(".running_var", 1);
  }
  const BatchNormalized normalized = batch_normalized(g, x, variables, o, source);
  undo.keep();
  move_statistics(variables, normalized, source);
  return normalized.result;
}

Tensor dropout(const std::string& name, const Tensor& x, const DropoutOptions& o,
               std::source_location source) {
  Graph g = graph_of(x, "dropout", source);
  Undo undo(g.state());
  NameScope scope(g, name);
  // Each call with this name draws another mask.
  const auto calls = x.graph()->dropouts_by_name.find(name);
  const int64_t call = calls == x.graph()->dropouts_by_name.end() ? 1 : calls->second + 1;
  const std::string stream = call == 1 ? name : name + ", call " + std::to_string(call);
  Tensor y = dropped(x, "dropout '" + name + "'", o.probability, stream, source);
  undo.keep();
  x.graph()->dropouts_by_name[name] = call;
  return y;
}

Tensor dropout(const std::string& name, const Tensor& x, RealNumber probability,
               std::source_location source) {
  return dropout(name, x, DropoutOptions{.probability = probability}, source);
}

// Projects x by rows first to first + rows of the weight and the bias of all projections.
static Tensor projected(const Tensor& x, const Tensor& weight, const Tensor& bias, int64_t first,
                        int64_t rows, std::source_location source) {
  const Tensor y = matmul(x, ops::slice(weight, 0, first, rows, source), false, true, source);
  return bias.defined() ? add(y, ops::slice(bias, 0, first, rows, source), source) : y;
}

Tensor multi_head_attention(const std::string& name, const Tensor& query, const Tensor& key,
                            const Tensor& value, const MultiHeadAttentionOptions& o, const Tensor& mask,
                            std::source_location source) {
  Graph g = graph_of(query, "multi_head_attention", source);
  require_tensor(key, "multi_head_attention", source);
  require_tensor(value, "multi_head_attention", source);
  require_positive("multi_head_attention '" + name + "'", "heads", o.heads, source);
  if (query.type().rank() != 3 || query.shape()[2] < 1 || query.shape()[2] % o.heads)
    refuse(query, "multi_head_attention",
           "[batch, positions, width] with a width that the " + std::to_string(o.heads) + " heads divide",
           source);
  Undo undo(g.state());
  NameScope scope(g, name);
  const int64_t width = query.shape()[2];
  const double bound = std::sqrt(1.5 / static_cast<double>(width));  // xavier_uniform of [3 width, width]
  const Tensor weight = g.variable(name + ".in_proj_weight", query.dtype(), {3 * width, width},
                                   Initializer::uniform(-bound, bound), {}, source);
  const auto zeros = [&](const char* what, int64_t size) {
    return o.bias ? g.variable(name + what, query.dtype(), {size}, Initializer::zeros(), {}, source)
                  : Tensor();
  };
  const Tensor bias = zeros(".in_proj_bias", 3 * width);
  const Tensor joined = cutset::multi_head_attention(
      projected(query, weight, bias, 0, width, source), projected(key, weight, bias, width, width, source),
      projected(value, weight, bias, 2 * width, width, source), o.heads, mask, {.causal = o.causal}, source);
  const Tensor last =
      layer_variable(g, name + ".out_proj.weight", query.dtype(), {width, width}, {}, width, source);
  Tensor y = matmul(joined, last, false, true, source);
  if (o.bias) y = add(y, zeros(".out_proj.bias", width), source);
  undo.keep();
  return y;
}

Tensor multi_head_attention(const std::string& name, const Tensor& x,
                            const MultiHeadAttentionOptions& options, const Tensor& mask,
                            std::source_location source) {
  return multi_head_attention(name, x, x, x, options, mask, source);
}

}  // namespace nn
}  // namespace cutset
