// The rules of the elementwise families: infer, shard and cost (ir/core/op_info.h).
#include "ir/core/check_types.h"
#include "ir/ops/elementwise/elementwise_rules.h"

namespace cutset::rules {
namespace {

// The result type of an op whose operands broadcast. The operands from `first` on must have the same element type.
Result<Types> broadcast(const Types& in, size_t first, DType result) {
  Shape shape = in[0].shape;
  for (size_t i = 1; i < in.size(); ++i) {
    auto joined = broadcast_shapes(shape, in[i].shape);
    if (!joined) return invalid_argument("C2: " + joined.error().what);
    shape = *joined;
  }
  for (size_t i = first + 1; i < in.size(); ++i)
    if (in[i].dtype != in[first].dtype)
      return invalid_argument(
          std::string("C1: element types ") + name_of(in[first].dtype) + " and " + name_of(in[i].dtype) + " differ",
          "cast one of them");
  return Types{{result, shape}};
}
Status need_float(const TensorType& t) {
  if (is_float(t.dtype)) return {};
  return invalid_argument(std::string("C1: needs a floating-point type, not ") + name_of(t.dtype), "cast it");
}
Status need_number(const TensorType& t) {
  if (t.dtype != DType::i1) return {};
  return invalid_argument("C1: needs a numeric type, not i1", "cast it");
}
Status need_bits(const TensorType& t) {
  if (!is_float(t.dtype)) return {};
  return invalid_argument(std::string("C1: needs an integer type or i1, not ") + name_of(t.dtype), "cast it");
}
Cost one_flop_each(const Types& in, const Result<Types>& out) {
  return streaming_cost(in, *out, static_cast<double>((*out)[0].elements()));
}

}  // namespace

namespace unary {
Result<Types> infer(const UnaryAttrs&, const Types& in) {
  CUTSET_TRY(need_float(in[0]));
  return Types{in[0]};
}
ShardingRule shard(const UnaryAttrs&, const Types& in) { return elementwise_rule(in, in[0]); }
Cost cost(const UnaryAttrs& a, const Types& in) { return one_flop_each(in, infer(a, in)); }
}  // namespace unary

namespace numeric_unary {
Result<Types> infer(const NumericUnaryAttrs&, const Types& in) {
  CUTSET_TRY(need_number(in[0]));
  return Types{in[0]};
}
ShardingRule shard(const NumericUnaryAttrs&, const Types& in) { return elementwise_rule(in, in[0]); }
Cost cost(const NumericUnaryAttrs& a, const Types& in) { return one_flop_each(in, infer(a, in)); }
}  // namespace numeric_unary

namespace bitwise {
Result<Types> infer(const BitwiseAttrs&, const Types& in) {
  CUTSET_TRY(need_bits(in[0]));
  return broadcast(in, 0, in[0].dtype);
}
ShardingRule shard(const BitwiseAttrs& a, const Types& in) { return elementwise_rule(in, (*infer(a, in))[0]); }
Cost cost(const BitwiseAttrs& a, const Types& in) { return one_flop_each(in, infer(a, in)); }
}  // namespace bitwise

namespace bitwise_not {
Result<Types> infer(const BitwiseNotAttrs&, const Types& in) {
  CUTSET_TRY(need_bits(in[0]));
  return Types{in[0]};
}
ShardingRule shard(const BitwiseNotAttrs&, const Types& in) { return elementwise_rule(in, in[0]); }
Cost cost(const BitwiseNotAttrs& a, const Types& in) { return one_flop_each(in, infer(a, in)); }
}  // namespace bitwise_not

namespace shift {
Result<Types> infer(const ShiftAttrs&, const Types& in) {
  if (is_float(in[0].dtype) || in[0].dtype == DType::i1)
    return invalid_argument(std::string("C1: needs an integer type, not ") + name_of(in[0].dtype), "cast it");
  return broadcast(in, 0, in[0].dtype);
}
ShardingRule shard(const ShiftAttrs& a, const Types& in) { return elementwise_rule(in, (*infer(a, in))[0]); }
Cost cost(const ShiftAttrs& a, const Types& in) { return one_flop_each(in, infer(a, in)); }
}  // namespace shift

namespace binary {
Result<Types> infer(const BinaryAttrs&, const Types& in) {
  CUTSET_TRY(need_number(in[0]));
  return broadcast(in, 0, in[0].dtype);
}
ShardingRule shard(const BinaryAttrs& a, const Types& in) { return elementwise_rule(in, (*infer(a, in))[0]); }
Cost cost(const BinaryAttrs& a, const Types& in) { return one_flop_each(in, infer(a, in)); }
}  // namespace binary

namespace float_binary {
Result<Types> infer(const FloatBinaryAttrs&, const Types& in) {
  CUTSET_TRY(need_float(in[0]));
  return broadcast(in, 0, in[0].dtype);
}
ShardingRule shard(const FloatBinaryAttrs& a, const Types& in) { return elementwise_rule(in, (*infer(a, in))[0]); }
Cost cost(const FloatBinaryAttrs& a, const Types& in) { return one_flop_each(in, infer(a, in)); }
}  // namespace float_binary

namespace comparison {
Result<Types> infer(const ComparisonAttrs&, const Types& in) { return broadcast(in, 0, DType::i1); }
ShardingRule shard(const ComparisonAttrs& a, const Types& in) { return elementwise_rule(in, (*infer(a, in))[0]); }
Cost cost(const ComparisonAttrs& a, const Types& in) { return one_flop_each(in, infer(a, in)); }
}  // namespace comparison

namespace where {
Result<Types> infer(const WhereAttrs&, const Types& in) {
  if (in[0].dtype != DType::i1)
    return invalid_argument(std::string("C1: the condition is ") + name_of(in[0].dtype) + ", not i1", "compare first");
  return broadcast(in, 1, in[1].dtype);
}
ShardingRule shard(const WhereAttrs& a, const Types& in) { return elementwise_rule(in, (*infer(a, in))[0]); }
Cost cost(const WhereAttrs& a, const Types& in) { return one_flop_each(in, infer(a, in)); }
}  // namespace where

}  // namespace cutset::rules
