// SPDX-License-Identifier: Apache-2.0
// What the models share: inputs, layers with several ops, and the loss with the functions.
#pragma once
#include "frontends/models/models.h"

namespace cutset::models {

// The sizes of a model of images, with their defaults: "channels", "image_size" and "classes".
std::vector<Size> image_sizes(int64_t channels, int64_t size, int64_t classes);

// The input "image" of a model of images.
Tensor image_input(Graph& g, const Settings& settings);
// The input "label" of a model with one label per sample.
Tensor label_input(Graph& g, const Settings& settings);

// The options of a convolution without a bias that keeps the size of an image with a stride of 1. The initial
// values are those of He, Zhang, Ren and Sun, "Delving deep into rectifiers" (ICCV 2015), section 2.2, for
// the backward pass: normal, with the variance 2 / (out_channels * kernel_size^2).
nn::ConvOptions he_conv(int64_t out_channels, int64_t kernel_size, int64_t stride = 1, int64_t groups = 1);
// A convolution `conv` of x and batch normalization `norm` of its result.
Tensor conv_norm(const std::string& conv, const std::string& norm, const Tensor& x,
                 const nn::ConvOptions& options, double epsilon = 1e-5);
// relu(x) in the scope `scope`.
Tensor activated(Graph& g, const std::string& scope, const Tensor& x);
// The means of the channels of the images x, [n, channels, height, width], as [n, channels].
Tensor pooled(Graph& g, const Tensor& x);
// A dropout layer with the probability of the settings, or `probability` by default. There is no layer if it
// is 0.
Tensor dropout(const std::string& name, const Tensor& x, const Settings& settings, double probability);

// Adds the part that all models share: the loss, which is the mean cross entropy over all labels with
// Settings::loss, the optimizer and the functions. `inputs` are all inputs but `label`, and `logits` are
// [labels, classes].
void classify(Graph& g, const std::vector<Tensor>& inputs, const Tensor& logits, const Tensor& label,
              const Settings& settings);

}  // namespace cutset::models
