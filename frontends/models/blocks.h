// SPDX-License-Identifier: Apache-2.0
// Code that the models share: inputs, layers with several ops, and the loss with the functions.
#pragma once
#include "frontends/models/models.h"

namespace cutset::models {

// Returns the sizes of a model of images, with their defaults: "channels", "image_size" and "classes".
std::vector<Size> image_sizes(int64_t channels, int64_t size, int64_t classes);

// Adds the input "image" of a model of images.
Tensor image_input(Graph& g, const Settings& settings);
// Adds the input "label" of a model with one label per sample.
Tensor label_input(Graph& g, const Settings& settings);

// Returns the options of a convolution without a bias that keeps the size of an image with a stride of 1. The
// initial values are normal, with the variance 2 / (out_channels * kernel_size^2), as for the backward pass
// in He, Zhang, Ren and Sun, "Delving deep into rectifiers" (ICCV 2015), section 2.2.
nn::ConvOptions he_conv(int64_t out_channels, int64_t kernel_size, int64_t stride = 1, int64_t groups = 1);
// Adds a convolution `conv` of x and a batch normalization `norm` of its result.
Tensor conv_norm(const std::string& conv, const std::string& norm, const Tensor& x,
                 const nn::ConvOptions& options, double epsilon = 1e-5);
// Adds relu(x) in the scope `scope`.
Tensor activated(Graph& g, const std::string& scope, const Tensor& x);
// Returns the means of the channels of the images x, [n, channels, height, width], as [n, channels].
Tensor pooled(Graph& g, const Tensor& x);
// Adds a dropout layer with the probability of the settings, or `probability` by default. Adds no layer if
// the probability is 0.
Tensor dropout(const std::string& name, const Tensor& x, const Settings& settings, double probability);

// Adds the ops and functions that all models share: the loss, which is the mean cross entropy over all labels
// with Settings::loss, the optimizer and the functions. `inputs` are all inputs but `label`, and `logits` are
// [labels, classes].
void classify(Graph& g, const std::vector<Tensor>& inputs, const Tensor& logits, const Tensor& label,
              const Settings& settings);

}  // namespace cutset::models
