// SPDX-License-Identifier: Apache-2.0
// Pointwise convolutions as matrix products. They need no reorders of the images, which take about as long as
// the convolution itself.
#pragma once
#include "backends/onednn/primitive.h"
#include "ir/ops/conv/conv_shape.h"

namespace cutset::onednn {

// Whether the convolution is pointwise (a kernel of 1, a stride of 1, no padding, one group) and oneDNN
// computes it faster as one product per image. With several images of fewer than 64 pixels, one convolution
// of all images is faster.
bool is_faster_as_product(const ConvShape& s);

// Appends y = f x for each image, where f is the filter as a matrix of output channels by input channels.
// `bias` has one element per output channel.
void add_product(Chain& chain, const ConvShape& s, Chain::Place x, Chain::Place f,
                 std::optional<Chain::Place> bias, Chain::Place y);
// Appends the gradient of the images, x = f^T y for each image.
void add_transposed_product(Chain& chain, const ConvShape& s, Chain::Place y, Chain::Place f, Chain::Place x);

}  // namespace cutset::onednn
