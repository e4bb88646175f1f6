// SPDX-License-Identifier: Apache-2.0
// Clips gradients by their global norm, as a composition of ops (Pascanu, Mikolov and Bengio, "On the
// difficulty of training recurrent neural networks", ICML 2013, section 3.2), in the form of
// torch.nn.utils.clip_grad_norm_: each gradient is multiplied by min(1, limit / (norm + 1e-6)). norm is the
// square root of the sum of the squares of all elements of all gradients. If this sum overflows, the factor
// is NaN, so that the step is refused. In torch, such a step has no effect.
#pragma once
#include "ir/core/op/gradient.h"

namespace cutset {

// Returns the sum of the squares of the elements of a gradient, in f32 if the gradient is f16 or bf16.
GraphValue square_sum(GradientBuilder& b, GraphValue gradient);
// Returns the factor for gradients with these sums of squares, a scalar of the type of `limit`. There must be
// at least one sum.
GraphValue clip_factor(GradientBuilder& b, const GraphValues& square_sums, GraphValue limit);
// Returns the gradient times a factor, which is a scalar. The result is f32 if the gradient is f16 or bf16,
// in which a small factor would give 0.
GraphValue scaled_gradient(GradientBuilder& b, GraphValue gradient, GraphValue factor);
// Limits each element of the gradient to the range from -limit to limit. The result is f32 if the gradient is
// f16 or bf16.
GraphValue clipped_gradient(GradientBuilder& b, GraphValue gradient, GraphValue limit);

}  // namespace cutset
