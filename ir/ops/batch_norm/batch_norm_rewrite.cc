#include "ir/ops/batch_norm/batch_norm_mlir.h"

using namespace mlir;

namespace cutset::ir {
namespace {

Type element_of(Value v) { return cast<RankedTensorType>(v.getType()).getElementType(); }

// The sum of v over all dimensions but the channel.
Value sum_channels(PlacedBuilder& b, Value v) {
  SmallVector<int64_t> axes;
  for (int64_t d = 0; d < cast<RankedTensorType>(v.getType()).getRank(); ++d)
    if (d != 1) axes.push_back(d);
  return b("reduce_sum", {v}, {b.attribute("axes", axes)});
}

// (x - mean) * factor, where mean and factor have one element per channel. This is batch_norm with the variance 1 and
// without a bias.
Value scaled(PlacedBuilder& b, Value x, Value mean, Value factor) {
  Value zeros = b("full_like", {mean}, {b.attribute("value", 0.0)}),
        ones = b("full_like", {mean}, {b.attribute("value", 1.0)});
  return b("batch_norm", {x, factor, zeros, mean, ones}, {b.attribute("epsilon", 0.0)});
}

}  // namespace

// With r = 1 / sqrt(variance + epsilon), the gradient for the variance is -r / 2 * scale * r times the gradient for the
// scale, which contains a third r.
void BatchNormOp::gradient(PlacedBuilder& b, ValueRange gradients, MutableArrayRef<Value> into) {
  Value g = gradients[0];
  const Type type = element_of(g);
  const double epsilon = getEpsilon().convertToDouble();
  Value r = b("div", {b.constant(type, 1), b("sqrt", {b("add", {getVariance(), b.constant(type, epsilon)})})});
  Value factor = b("mul", {getScale(), r});
  Value zeros = b("full_like", {getMean()}, {b.attribute("value", 0.0)});
  into[0] = scaled(b, g, zeros, factor);
  into[1] = b("batch_norm_backward_scale", {g, getX(), getMean(), getVariance()}, b.same_attributes(*this));
  into[2] = sum_channels(b, g);
  into[3] = b("neg", {b("mul", {into[2], factor})});
  into[4] = b("mul", {b("mul", {into[1], factor}), b("mul", {r, b.constant(type, -0.5)})});
}

void SumSquaredDeviationsOp::gradient(PlacedBuilder& b, ValueRange gradients, MutableArrayRef<Value> into) {
  Value twice = b("mul", {gradients[0], b.constant(element_of(getX()), 2)});
  into[0] = scaled(b, getX(), getMean(), twice);
  into[1] = b("neg", {sum_channels(b, into[0])});
}

}  // namespace cutset::ir
