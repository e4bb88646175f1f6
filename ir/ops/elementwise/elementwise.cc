// SPDX-License-Identifier: Apache-2.0
// The rules of the elementwise families: infer, shard and cost (ir/core/op/op_info.h).
#include "ir/core/check_types.h"
#include "ir/ops/elementwise/elementwise_rules.h"

namespace cutset::rules {
namespace {

// Returns the result type of an op whose operands broadcast. The operands from `first` on must have the same
// element type.
Result<Types> broadcast(const Types& in, size_t first, DType result) {
  Shape shape = in[0].shape;
  for (size_t i = 1; i < in.size(); ++i) {
    auto joined = broadcast_shapes(shape, in[i].shape);
    if (!joined) return invalid_argument("C2: " + joined.error().what);
    shape = *joined;
  }
  for (size_t i = first + 1; i < in.size(); ++i)
    if (in[i].dtype != in[first].dtype)
      return invalid_argument(std::string("C1: element types ") + name_of(in[first].dtype) + " and " +
                                  name_of(in[i].dtype) + " differ",
                              "cast one of them");
  return Types{{result, shape}};
}
// Returns the result type of an op whose operands have the same element type. `check` must accept the element
// type.
Result<Types> of_one_type(Status (*check)(DType), const Types& in) {
  CUTSET_TRY(check(in[0].dtype));
  return broadcast(in, 0, in[0].dtype);
}
Status need_float(DType type) {
  if (is_float(type)) return {};
  return invalid_argument(std::string("C1: needs a floating-point type, not ") + name_of(type), "cast it");
}
Status need_number(DType type) {
  if (type != DType::i1) return {};
  return invalid_argument("C1: needs a numeric type, not i1", "cast it");
}
Status need_bits(DType type) {
  if (!is_float(type)) return {};
  return invalid_argument(std::string("C1: needs an integer type or i1, not ") + name_of(type), "cast it");
}
Status need_integer(DType type) {
  if (!is_float(type) && type != DType::i1) return {};
  return invalid_argument(std::string("C1: needs an integer type, not ") + name_of(type), "cast it");
}
Result<Types> selected(const Types& in) {
  if (in[0].dtype != DType::i1)
    return invalid_argument(std::string("C1: the condition is ") + name_of(in[0].dtype) + ", not i1",
                            "compare first");
  return broadcast(in, 1, in[1].dtype);
}

}  // namespace

// Defines the rules of a family. The families differ only in the result type.
#define FAMILY(family, its_attributes, result)                                   \
  namespace family {                                                             \
  Result<Types> infer(const its_attributes&, const Types& in) { return result; } \
  ShardingRule shard(const its_attributes& a, const Types& in) {                 \
    return elementwise_rule(in, (*infer(a, in))[0]);                             \
  }                                                                              \
  Cost cost(const its_attributes& a, const Types& in) {                          \
    const Types out = *infer(a, in);                                             \
    return streaming_cost(in, out, static_cast<double>(out[0].elements()));      \
  }                                                                              \
  }
FAMILY(unary, UnaryAttrs, of_one_type(need_float, in))
FAMILY(numeric_unary, NumericUnaryAttrs, of_one_type(need_number, in))
FAMILY(binary, BinaryAttrs, of_one_type(need_number, in))
FAMILY(float_binary, FloatBinaryAttrs, of_one_type(need_float, in))
FAMILY(bitwise, BitwiseAttrs, of_one_type(need_bits, in))
FAMILY(bitwise_not, BitwiseNotAttrs, of_one_type(need_bits, in))
FAMILY(shift, ShiftAttrs, of_one_type(need_integer, in))
FAMILY(comparison, ComparisonAttrs, broadcast(in, 0, DType::i1))
FAMILY(where, WhereAttrs, selected(in))
#undef FAMILY

}  // namespace cutset::rules
