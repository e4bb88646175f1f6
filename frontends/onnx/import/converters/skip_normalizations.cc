// SPDX-License-Identifier: Apache-2.0
// Normalizations of sums, and normalizations without a mean. ONNX Runtime's optimizer writes them.
#include <cutset/layers.h>
#include <cutset/normalizations.h>
#include <cutset/reductions.h>

#include <cmath>

#include "frontends/onnx/element_types.h"
#include "frontends/onnx/import/converters.h"
#include "ir/core/half.h"

namespace cutset::onnx {
namespace {

double epsilon_of(const Node& n, double otherwise) {
  const double epsilon = n.real("epsilon", otherwise);
  if (!(epsilon >= 0) || !std::isfinite(epsilon)) invalid("epsilon is " + std::to_string(epsilon));
  return epsilon;
}

// Returns the tensor that is normalized: the sum of operand 0, operand 1 and, if there is one, the bias.
Tensor sum_of(Node& n, int bias) {
  const Tensor sum = n.in(0) + n.in(1);
  if (sum.type() != n.type(0)) invalid("operand 1 does not broadcast to " + to_string(n.type(0)));
  return n.has(bias) ? sum + n.in(bias) : sum;
}

// The results between the first and the last result are for gradients, and are not computed.
Results skip_layer_norm(Node& n) {
  const double epsilon = epsilon_of(n, 1e-12);
  const Tensor sum = sum_of(n, 4);
  const Tensor y =
      layer_norm(sum, n.in(2), n.optional(3), {.axis = sum.type().rank() - 1, .epsilon = epsilon});
  return {y, Value(), Value(), sum};
}
Results skip_rms_norm(Node& n) {
  const double epsilon = epsilon_of(n, 1e-12);
  const Tensor sum = sum_of(n, 3);
  return {rms_norm(sum, n.in(2), -1, epsilon), Value(), Value(), sum};
}

// Converts SimplifiedLayerNormalization, the name that RMSNormalization had before it became an op of ONNX.
// Exporters write the old name in ONNX's domain.
Results simplified_layer_norm(Node& n) {
  const Tensor x = n.in(0);
  const int64_t rank = x.type().rank(), axis = dimension(n.number("axis", -1), rank);
  const double epsilon = epsilon_of(n, 1e-5);
  const DType stash = dtype_of_onnx(n.number("stash_type", 1));
  if (!is_float(stash)) invalid("stash_type is " + std::string(name_of(stash)));
  Results results = {rms_norm(x, n.in(1), axis, epsilon)};
  if (!n.wants(1)) return results;
  std::vector<int64_t> axes;
  for (int64_t d = axis; d < rank; ++d) axes.push_back(d);
  const Tensor wide = is_half(x.dtype()) ? cast(x, {.dtype = f32}) : x;
  results.emplace_back(cast(rsqrt(mean(wide * wide, axes, true) + epsilon), {.dtype = stash}));
  return results;
}

}  // namespace

static void add_skip_normalizations(Converters& table) {
  table.insert({{"SimplifiedLayerNormalization", simplified_layer_norm},
                {"com.microsoft.SimplifiedLayerNormalization", simplified_layer_norm},
                {"com.microsoft.SkipLayerNormalization", skip_layer_norm},
                {"com.microsoft.SkipSimplifiedLayerNormalization", skip_rms_norm}});
}

static const ConverterFamily kSkipNormalizationsConverters(add_skip_normalizations);

}  // namespace cutset::onnx
