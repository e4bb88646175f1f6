// SPDX-License-Identifier: Apache-2.0
// Layers are functions that have a name. Most of them have variables. Functions without a name are in other
// headers, such as <cutset/ops.h>.
//
// All functions infer shapes at once and throw a cutset::Error with the line of the call if an operand or
// option does not fit. A call that throws adds nothing to the graph. `source` is the line that errors and
// drawings name; its default is the line of the call.
#pragma once
#include <cutset/arguments.h>
#include <cutset/graph.h>

#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

namespace cutset {

// Layers, in the graph of their operand. All of them except dropout have variables. A layer makes the
// trainable variables NAME.weight and NAME.bias, unless its comment names others, so its name must be new.
// Its ops are in the scope NAME. The initial values of the variables are the same as in PyTorch:
// - conv, conv_transpose and dense: the uniform distribution between -1 / sqrt(fan_in) and 1 / sqrt(fan_in),
//   where fan_in is the number of inputs of one output element.
// - embedding: the normal distribution with mean 0 and standard deviation 1.
// - normalizations: 1 for the weight and 0 for the bias.
namespace nn {

// The options of nn::conv.
struct ConvOptions {
  int64_t out_channels = 0;   // the number of output channels; must be given
  AxisSizes kernel_size = 1;  // the size of the kernel
  AxisSizes stride = 1;       // the distance between windows
  // The number of zeros before and after the image along each axis. With two numbers per axis, the first half
  // is the zeros before each axis, and the second half is the zeros after each axis.
  AxisSizes padding = 0;
  AxisSizes dilation = 1;  // the distance between the elements of the kernel
  int64_t groups = 1;  // groups of channels that are convolved separately; divides both numbers of channels
  bool bias = true;    // whether there is a bias
  // The initial values. Default: as the comment of the namespace nn says.
  std::optional<Initializer> initial_weight = {};
  std::optional<Initializer> initial_bias = {};
};
// Convolves the images x, [n, c, ...] with one to three more dimensions, and adds a bias. The weight is
// [out_channels, c / groups, kernel_size...], and the bias, if there is one, is [out_channels]. The result is
// [n, out_channels, ...] with the sizes floor((size + padding - dilation (kernel_size - 1) - 1) / stride) +
// 1, where `padding` is the sum of both sides.
Tensor conv(const std::string& name, const Tensor& x, const ConvOptions& options,
            std::source_location source = std::source_location::current());
// Convolves with the number of output channels and the size of the kernel before the options, as
// torch.nn.Conv2d has them.
Tensor conv(const std::string& name, const Tensor& x, int64_t out_channels, const AxisSizes& kernel_size,
            ConvOptions options = {}, std::source_location source = std::source_location::current());

// The options of nn::conv_transpose.
struct ConvTransposeOptions {
  int64_t out_channels = 0;      // the number of output channels; must be given
  AxisSizes kernel_size = 1;     // the size of the kernel
  AxisSizes stride = 1;          // the distance between the copies of the kernel in the result
  AxisSizes padding = 0;         // the elements that are cut off the result, as in ConvOptions
  AxisSizes dilation = 1;        // the distance between the elements of the kernel
  int64_t groups = 1;            // as in ConvOptions
  AxisSizes output_padding = 0;  // the elements that the result has in addition, from 0 to stride - 1
  bool bias = true;              // whether there is a bias
  std::optional<Initializer> initial_weight = {};  // as in ConvOptions
  std::optional<Initializer> initial_bias = {};    // as in ConvOptions
};
// Appends a transposed convolution of the images x, [n, c, ...] with one to three more dimensions, and adds a
// bias. It is the adjoint of a convolution with these options. The weight is [c, out_channels / groups,
// kernel_size...], and the bias is [out_channels]. The result is [n, out_channels, ...] with the sizes (size
// - 1) stride + dilation (kernel_size - 1) + 1 - padding + output_padding, where `padding` is the sum of both
// sides. fan_in is out_channels / groups times the elements of the kernel, as in PyTorch.
Tensor conv_transpose(const std::string& name, const Tensor& x, const ConvTransposeOptions& options,
                      std::source_location source = std::source_location::current());

// The options of nn::dense.
struct DenseOptions {
  bool bias = true;                                // whether there is a bias
  std::optional<Initializer> initial_weight = {};  // as in ConvOptions
  std::optional<Initializer> initial_bias = {};    // as in ConvOptions
};
// Multiplies x by the transpose of the weight [units, features], and adds the bias [units]: a fully connected
// layer. x is [..., features], and the result is [..., units].
Tensor dense(const std::string& name, const Tensor& x, int64_t units, const DenseOptions& options = {},
             std::source_location source = std::source_location::current());

// The options of nn::embedding.
struct EmbeddingOptions {
  int64_t vocabulary = 0;                          // the number of rows of the table; must be given
  int64_t width = 0;                               // the number of elements of a row; must be given
  DType dtype = f32;                               // the element type of the table
  std::optional<Initializer> initial_weight = {};  // as in ConvOptions
};
// Looks up the rows of a table at `ids`, a tensor of i32 or i64 of any shape. The weight is [vocabulary,
// width]. The result has the shape of the ids with one more dimension of size `width`. The row of an id that
// is not in the table is NaN.
Tensor embedding(const std::string& name, const Tensor& ids, const EmbeddingOptions& options,
                 std::source_location source = std::source_location::current());
// Looks up rows. Takes the sizes of the table as positional arguments.
Tensor embedding(const std::string& name, const Tensor& ids, int64_t vocabulary, int64_t width,
                 std::source_location source = std::source_location::current());

// The options of nn::layer_norm.
struct LayerNormOptions {
  double epsilon = 1e-5;  // is added to the variance
  bool bias = true;       // whether there is a bias
};
// Normalizes x over its last dimension (layer normalization). Weight and bias have the size of that
// dimension, and the result has the shape of x.
Tensor layer_norm(const std::string& name, const Tensor& x, const LayerNormOptions& options = {},
                  std::source_location source = std::source_location::current());
// The options of nn::rms_norm.
struct RmsNormOptions {
  double epsilon = 1e-5;  // is added to the mean square
};
// Normalizes x over its last dimension by the root of the mean square (rms_norm of
// <cutset/normalizations.h>). The weight has the size of that dimension. There is no bias.
Tensor rms_norm(const std::string& name, const Tensor& x, const RmsNormOptions& options = {},
                std::source_location source = std::source_location::current());
// The options of nn::group_norm.
struct GroupNormOptions {
  int64_t groups = 0;  // the number of groups of channels; must be given, and divides the number of channels
  double epsilon = 1e-5;  // is added to the variance
};
// Normalizes x, [n, channels, ...], over groups of channels (group_norm of <cutset/normalizations.h>). Weight
// and bias are [channels].
Tensor group_norm(const std::string& name, const Tensor& x, const GroupNormOptions& options,
                  std::source_location source = std::source_location::current());
// Normalizes. Takes the number of groups as a positional argument.
Tensor group_norm(const std::string& name, const Tensor& x, WholeNumber groups,
                  std::source_location source = std::source_location::current());

// The options of nn::batch_norm.
struct BatchNormOptions {
  double epsilon = 1e-5;  // is added to the variance; not negative
  // The share of a new batch in the running statistics: running = (1 - momentum) running + momentum batch.
  // From 0 to 1.
  double momentum = 0.1;
  // Whether the layer keeps running statistics. Functions that do not train then normalize with the running
  // statistics instead of the statistics of their batch.
  bool running_statistics = true;
  // 0: the statistics cover the whole batch, even if the batch is split over devices or micro-batches.
  // Otherwise each group of this many consecutive rows of the batch has separate statistics, whether one
  // device or several compute the batch ("ghost batch normalization": Hoffer, Hubara and Soudry, "Train
  // longer, generalize better", NeurIPS 2017). The number of rows must be a multiple of rows_per_group.
  // Replicas and micro-batches that consist of whole groups compute their statistics without the others.
  int64_t rows_per_group = 0;
};
// Normalizes each channel of x, [n, channels, ...], over the batch (Ioffe and Szegedy, "Batch Normalization",
// ICML 2015). Weight and bias are [channels], and the result has the shape of x. The running statistics are
// the variables NAME.running_mean, which starts at 0, and NAME.running_var, which starts at 1. As in PyTorch,
// running_var is a variance with n - 1 degrees of freedom. With groups, the statistics of a batch are the
// means over its groups. For an x of f16 or bf16, the layer computes in f32 and rounds the result; the
// variables are f32.
Tensor batch_norm(const std::string& name, const Tensor& x, const BatchNormOptions& options = {},
                  std::source_location source = std::source_location::current());

// The options of nn::multi_head_attention.
struct MultiHeadAttentionOptions {
  int64_t heads = 1;    // the number of heads, which divides the width
  bool causal = false;  // whether a position does not see later ones
  bool bias = true;     // whether the projections have biases
};
// Computes attention of a query to keys and values, [batch, positions, width], with projections before and
// after it: the layer torch.nn.MultiheadAttention with batch_first. `mask` is as for attention() of
// <cutset/attention.h>: an element of i1 is true where a query sees a key, which is the opposite of PyTorch's
// masks. The variables are NAME.in_proj_weight, [3 width, width], NAME.in_proj_bias, NAME.out_proj.weight and
// NAME.out_proj.bias. The initial weight of the first projection is uniform between -sqrt(3 / (2 width)) and
// sqrt(3 / (2 width)), and the initial biases are 0, as in PyTorch.
Tensor multi_head_attention(const std::string& name, const Tensor& query, const Tensor& key,
                            const Tensor& value, const MultiHeadAttentionOptions& options,
                            const Tensor& mask = {},
                            std::source_location source = std::source_location::current());
// Computes self-attention: x is the query, the key and the value.
Tensor multi_head_attention(const std::string& name, const Tensor& x,
                            const MultiHeadAttentionOptions& options, const Tensor& mask = {},
                            std::source_location source = std::source_location::current());

// The options of nn::dropout.
struct DropoutOptions {
  double probability = 0.5;  // the probability that an element becomes 0; at least 0 and below 1
};
// Sets elements of x to 0 with a probability and divides the others by 1 - probability, in functions that
// train. Returns x in all other functions (Srivastava et al., "Dropout", JMLR 2014). The mask is drawn anew
// in each step. It depends on the seed of the graph, the name, the step and the index of the element, so it
// is the same under every strategy.
Tensor dropout(const std::string& name, const Tensor& x, const DropoutOptions& options = {},
               std::source_location source = std::source_location::current());
// Drops elements. Takes the probability as a positional argument.
Tensor dropout(const std::string& name, const Tensor& x, RealNumber probability,
               std::source_location source = std::source_location::current());
}  // namespace nn

}  // namespace cutset
