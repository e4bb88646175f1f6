// SPDX-License-Identifier: Apache-2.0
// Layers: functions that have a name, and most of them variables. Functions without a name are in the other
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

// Layers with variables, in the graph of their operand. A layer makes the trainable variables NAME.weight and
// NAME.bias, unless its comment names others, so its name must be new, and its ops are in the scope NAME. The
// variables are initialized as PyTorch initializes them: those of the convolutions and dense from the uniform
// distribution between -1 / sqrt(fan_in) and 1 / sqrt(fan_in), where fan_in is the number of inputs of one
// output element; those of embedding from the normal distribution with mean 0 and standard deviation 1; and
// those of the normalizations with 1 (weight) and 0 (bias).
namespace nn {

// The options of nn::conv.
struct ConvOptions {
  int64_t out_channels = 0;   // the number of output channels; must be given
  AxisSizes kernel_size = 1;  // the size of the kernel
  AxisSizes stride = 1;       // the distance between windows
  // The zeros in front of and behind the image, or, with two numbers per axis, those in front of each axis
  // and then those behind each axis.
  AxisSizes padding = 0;
  AxisSizes dilation = 1;  // the distance between the elements of the kernel
  int64_t groups = 1;  // groups of channels that are convolved separately; divides both numbers of channels
  bool bias = true;    // whether there is a bias
  // The initial values; default: those that are described above.
  std::optional<Initializer> initial_weight = {};
  std::optional<Initializer> initial_bias = {};
};
// Convolution of the images x, [n, c, ...] with one to three more dimensions, plus a bias. The weight is
// [out_channels, c / groups, kernel_size...] and the bias, if there is one, [out_channels]. The result is [n,
// out_channels, ...] with the sizes floor((size + padding - dilation (kernel_size - 1) - 1) / stride) + 1,
// where the padding is that of both sides.
Tensor conv(const std::string& name, const Tensor& x, const ConvOptions& options,
            std::source_location source = std::source_location::current());
// The same with the number of output channels and the size of the kernel before the options, as
// torch.nn.Conv2d.
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
// Transposed convolution of the images x, [n, c, ...] with one to three more dimensions, plus a bias: the
// adjoint of a convolution with these options. The weight is [c, out_channels / groups, kernel_size...] and
// the bias [out_channels]. The result is [n, out_channels, ...] with the sizes (size - 1) stride + dilation
// (kernel_size - 1) + 1 - padding + output_padding, where the padding is that of both sides. fan_in is
// out_channels / groups times the elements of the kernel, as in PyTorch.
Tensor conv_transpose(const std::string& name, const Tensor& x, const ConvTransposeOptions& options,
                      std::source_location source = std::source_location::current());

// The options of nn::dense.
struct DenseOptions {
  bool bias = true;                                // whether there is a bias
  std::optional<Initializer> initial_weight = {};  // as in ConvOptions
  std::optional<Initializer> initial_bias = {};    // as in ConvOptions
};
// Fully connected layer: x times the transpose of the weight [units, features], plus the bias [units]. x is
// [..., features], and the result is [..., units].
Tensor dense(const std::string& name, const Tensor& x, int64_t units, const DenseOptions& options = {},
             std::source_location source = std::source_location::current());

// The options of nn::embedding.
struct EmbeddingOptions {
  int64_t vocabulary = 0;                          // the number of rows of the table; must be given
  int64_t width = 0;                               // the number of elements of a row; must be given
  DType dtype = f32;                               // the element type of the table
  std::optional<Initializer> initial_weight = {};  // as in ConvOptions
};
// The rows of a table at `ids`, a tensor of i32 or i64 of any shape. The weight is [vocabulary, width], and
// the result has the shape of the ids with one more dimension of size `width`. The row of an id that is not
// in the table is NaN.
Tensor embedding(const std::string& name, const Tensor& ids, const EmbeddingOptions& options,
                 std::source_location source = std::source_location::current());
// The same with the sizes of the table by position.
Tensor embedding(const std::string& name, const Tensor& ids, int64_t vocabulary, int64_t width,
                 std::source_location source = std::source_location::current());

// The options of nn::layer_norm.
struct LayerNormOptions {
  double epsilon = 1e-5;  // is added to the variance
  bool bias = true;       // whether there is a bias
};
// Layer normalization over the last dimension of x. Weight and bias have the size of that dimension, and the
// result has the shape of x.
Tensor layer_norm(const std::string& name, const Tensor& x, const LayerNormOptions& options = {},
                  std::source_location source = std::source_location::current());
// The options of nn::rms_norm.
struct RmsNormOptions {
  double epsilon = 1e-5;  // is added to the mean square
};
// Root-mean-square normalization over the last dimension of x (rms_norm of <cutset/normalizations.h>). The
// weight has the size of that dimension; there is no bias.
Tensor rms_norm(const std::string& name, const Tensor& x, const RmsNormOptions& options = {},
                std::source_location source = std::source_location::current());
// The options of nn::group_norm.
struct GroupNormOptions {
  int64_t groups = 0;  // the number of groups of channels; must be given, and divides the number of channels
  double epsilon = 1e-5;  // is added to the variance
};
// Group normalization of x, [n, channels, ...] (group_norm of <cutset/normalizations.h>). Weight and bias are
// [channels].
Tensor group_norm(const std::string& name, const Tensor& x, const GroupNormOptions& options,
                  std::source_location source = std::source_location::current());
// The same with the number of groups by position.
Tensor group_norm(const std::string& name, const Tensor& x, WholeNumber groups,
                  std::source_location source = std::source_location::current());

// The options of nn::batch_norm.
struct BatchNormOptions {
  double epsilon = 1e-5;  // is added to the variance; not negative
  // The share of a new batch in the running statistics: running = (1 - momentum) running + momentum batch.
  // From 0 to 1.
  double momentum = 0.1;
  // Whether the layer keeps running statistics, which functions that do not train then use instead of those
  // of their batch.
  bool running_statistics = true;
  // 0: the statistics are those of the whole batch, also if the batch is split over devices or micro-batches.
  // Otherwise each group of this many consecutive rows of the batch has statistics of its own, on one device
  // as on many ("ghost batch normalization": Hoffer, Hubara and Soudry, "Train longer, generalize better",
  // NeurIPS 2017). The batch must be a multiple. Replicas and micro-batches that consist of whole groups
  // compute their statistics alone.
  int64_t rows_per_group = 0;
};
// Batch normalization of each channel of x, [n, channels, ...] (Ioffe and Szegedy, "Batch Normalization",
// ICML 2015). Weight and bias are [channels], and the result has the shape of x. The running statistics are
// the variables NAME.running_mean, which starts at 0, and NAME.running_var, which starts at 1, as in PyTorch:
// the latter is that of n - 1 degrees of freedom, and with groups the statistics of a batch are the means of
// those of its groups. For an x of f16 or bf16, the layer computes in f32, in which its variables are, and
// rounds the result.
Tensor batch_norm(const std::string& name, const Tensor& x, const BatchNormOptions& options = {},
                  std::source_location source = std::source_location::current());

// The options of nn::multi_head_attention.
struct MultiHeadAttentionOptions {
  int64_t heads = 1;    // the number of heads, which divides the width
  bool causal = false;  // whether a position does not see later ones
  bool bias = true;     // whether the projections have biases
};
// Attention of a query to keys and values, [batch, positions, width], with projections before and after it:
// the layer torch.nn.MultiheadAttention with batch_first. `mask` is as for attention() of
// <cutset/attention.h>: an element of i1 is true where a query sees a key, which is the opposite of PyTorch's
// masks. The variables are NAME.in_proj_weight, [3 width, width], NAME.in_proj_bias, NAME.out_proj.weight and
// NAME.out_proj.bias. The weight of the first projection is uniform between -sqrt(3 / (2 width)) and sqrt(3 /
// (2 width)), and the biases are 0, as in PyTorch.
Tensor multi_head_attention(const std::string& name, const Tensor& query, const Tensor& key,
                            const Tensor& value, const MultiHeadAttentionOptions& options,
                            const Tensor& mask = {},
                            std::source_location source = std::source_location::current());
// The same for self-attention: x is the query, the key and the value.
Tensor multi_head_attention(const std::string& name, const Tensor& x,
                            const MultiHeadAttentionOptions& options, const Tensor& mask = {},
                            std::source_location source = std::source_location::current());

// The options of nn::dropout.
struct DropoutOptions {
  double probability = 0.5;  // the probability that an element becomes 0; at least 0 and below 1
};
// In functions that train, sets elements of x to 0 with a probability and divides the others by 1 -
// probability; in all other functions it is x (Srivastava et al., "Dropout", JMLR 2014). The mask is drawn
// anew in each step. It is a function of the seed of the graph, of the name, of the step and of the index of
// the element, so it is the same under every strategy.
Tensor dropout(const std::string& name, const Tensor& x, const DropoutOptions& options = {},
               std::source_location source = std::source_location::current());
// The same with the probability by position.
Tensor dropout(const std::string& name, const Tensor& x, RealNumber probability,
               std::source_location source = std::source_location::current());
}  // namespace nn

}  // namespace cutset
