// SPDX-License-Identifier: Apache-2.0
// The rules of softmax_cross_entropy: infer, shard, cost and gradient (ir/core/op/op_info.h).
#include "ir/ops/softmax_cross_entropy/softmax_cross_entropy_rules.h"

namespace cutset::rules {

namespace {
Result<TensorType> rows(const TensorType& logits, const TensorType& labels) {
  if (logits.rank() != 2 || !is_float(logits.dtype) || logits.shape[1] < 1)
    return invalid_argument("C1: logits are " + to_string(logits) +
                                "; they must have rank 2, one class or more, and a floating-point type",
                            logits.rank() > 2
                                ? "make them [rows, classes]: call flatten() on the images before the first "
                                  "dense layer, or reshape() on the logits"
                                : "");
  if (labels.rank() != 1 ||
      (labels.dtype != DType::i32 && labels.dtype != DType::i64 && labels.dtype != DType::u8))
    return invalid_argument(
        "C2: labels are " + to_string(labels) + "; they must have rank 1 and type i32, i64 or u8",
        labels.rank() == 1 ? "make the input with the type i32, or cast() it; probabilities are the "
                             "labels of cross_entropy()"
                           : "reshape() the labels to one per row of the logits");
  if (logits.shape[0] != labels.shape[0])
    return invalid_argument("C3: there are " + std::to_string(logits.shape[0]) + " rows of logits and " +
                            std::to_string(labels.shape[0]) + " labels");
  return TensorType{logits.dtype, {logits.shape[0]}};
}
constexpr double kFlopsPerElement = 8;  // an estimate for an exponential, a sum and a division
}  // namespace

namespace softmax_cross_entropy {
Result<Types> infer(const SoftmaxCrossEntropyAttrs&, const Types& in) {
  CUTSET_ASSIGN(TensorType loss, rows(in[0], in[1]));
  return Types{loss};
}
ShardingRule shard(const SoftmaxCrossEntropyAttrs&, const Types&) {
  return ShardingRule().factor({0, 0}, {0});
}
Cost cost(const SoftmaxCrossEntropyAttrs& a, const Types& in) {
  return streaming_cost(in, *infer(a, in), kFlopsPerElement * static_cast<double>(in[0].elements()));
}
GraphValues gradient(GradientBuilder& b, const Attrs&, const Differentiated& op) {
  return {b("softmax_cross_entropy_backward", {op.gradients[0], op.operands[0], op.operands[1]})};
}
}  // namespace softmax_cross_entropy

namespace softmax_cross_entropy_backward {
Result<Types> infer(const SoftmaxCrossEntropyBackwardAttrs&, const Types& in) {
  CUTSET_ASSIGN(TensorType loss, rows(in[1], in[2]));
  if (in[0] != loss)
    return invalid_argument("C4: the gradient is " + to_string(in[0]) + ", but the loss is " +
                            to_string(loss));
  return Types{in[1]};
}
ShardingRule shard(const SoftmaxCrossEntropyBackwardAttrs&, const Types&) {
  return ShardingRule().factor({0, 0, 0}, {0});
}
Cost cost(const SoftmaxCrossEntropyBackwardAttrs&, const Types& in) {
  return streaming_cost(in, {in[1]}, kFlopsPerElement * static_cast<double>(in[1].elements()));
}
}  // namespace softmax_cross_entropy_backward

}  // namespace cutset::rules
