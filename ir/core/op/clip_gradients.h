// SPDX-License-Identifier: Apache-2.0
// Clipping by the global norm of all gradients, as a composition of ops (Pascanu, Mikolov and Bengio, "On the
// difficulty of training recurrent neural networks", ICML 2013, section 3.2), in the form of
// torch.nn.utils.clip_grad_norm_: each gradient is multiplied by min(1, limit / (norm + 1e-6)), where norm is
// the square root of the sum of the squares of all their elements. Unlike torch's, the factor is NaN if this
// sum overflows, so that the step is refused instead of having no effect.
#pragma once
#include "ir/core/op/gradient.h"

namespace cutset {

// The sum of the squares of the elements of a gradient; in f32 if the gradient is f16 or bf16.
GraphValue square_sum(GradientBuilder& b, GraphValue gradient);
// The factor for gradients with these sums of squares, a scalar of the type of `limit`. There is at least one
// sum.
GraphValue clip_factor(GradientBuilder& b, const GraphValues& square_sums, GraphValue limit);
// The gradient times a factor, a scalar; f32 if the gradient is f16 or bf16, in which a small factor would
// give 0.
GraphValue scaled_gradient(GradientBuilder& b, GraphValue gradient, GraphValue factor);
// The gradient with each element limited to the range from -limit to limit; f32 if the gradient is f16 or
// bf16.
GraphValue clipped_gradient(GradientBuilder& b, GraphValue gradient, GraphValue limit);

}  // namespace cutset
