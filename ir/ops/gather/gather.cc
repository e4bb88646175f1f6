// SPDX-License-Identifier: Apache-2.0
// The rules of gather and gather_backward: infer, shard, cost and gradient (ir/core/op/op_info.h).
#include "ir/ops/gather/gather_rules.h"
#include "ir/ops/gather/gather_shape.h"

namespace cutset {

Result<GatherShape> gather_shape(std::span<const int64_t> data, std::span<const int64_t> indices,
                                 int64_t axis, int64_t first_row, int64_t table_rows) {
  const auto rank = static_cast<int64_t>(data.size());
  const int64_t at = axis < 0 ? axis + rank : axis;
  if (at < 0 || at >= rank)
    return invalid_argument("C2: axis " + std::to_string(axis) + " is not a dimension of " +
                            to_string(Shape(data.begin(), data.end())));
  GatherShape s;
  s.axis = static_cast<int>(at);
  for (int64_t d = 0; d < rank; ++d)
    (d < at ? s.outer : d == at ? s.length : s.inner) *= data[static_cast<size_t>(d)];
  for (int64_t n : indices) s.indices *= n;
  s.first = first_row;
  s.rows = table_rows ? table_rows : s.length;
  if (first_row < 0 || s.rows < s.length || first_row > s.rows - s.length)
    return invalid_argument("C3: data has " + std::to_string(s.length) + " rows, and they begin at row " +
                            std::to_string(first_row) + " of a table of " + std::to_string(s.rows) + " rows");
  return s;
}

namespace rules {
namespace {

template <class A>  // GatherAttrs or GatherBackwardAttrs
Result<TensorType> gathered(const TensorType& data, const TensorType& indices, const A& a) {
  if (indices.dtype != DType::i32 && indices.dtype != DType::i64)
    return invalid_argument(std::string("C1: the indices have type ") + name_of(indices.dtype) +
                            "; they must have type i32 or i64");
  CUTSET_ASSIGN(const GatherShape s,
                gather_shape(data.shape, indices.shape, a.axis, a.first_row, a.table_rows));
  TensorType out = data;
  const auto at = out.shape.erase(out.shape.begin() + s.axis);
  out.shape.insert(at, indices.shape.begin(), indices.shape.end());
  return out;
}

int dimension(const TensorType& data, int64_t axis) {
  return static_cast<int>(axis < 0 ? axis + data.rank() : axis);
}

// Calls f(dimension of data or kAbsent, dimension of the indices or kAbsent, dimension of the result) for
// each loop of the op, except the loop over the rows of data.
template <class F>
void for_each_loop(const TensorType& data, const TensorType& indices, int64_t axis, F&& f) {
  const int at = dimension(data, axis);
  for (int d = 0; d < at; ++d) f(d, kAbsent, d);
  for (int k = 0; k < indices.rank(); ++k) f(kAbsent, k, at + k);
  for (int d = at + 1; d < data.rank(); ++d) f(d, kAbsent, d - 1 + indices.rank());
}

}  // namespace

namespace gather {
Result<Types> infer(const GatherAttrs& a, const Types& in) {
  CUTSET_ASSIGN(TensorType out, gathered(in[0], in[1], a));
  return Types{out};
}
// A shard of the rows gives zeros for the indices of other rows, so the shards add up. It must know the
// position of its rows.
ShardingRule shard(const GatherAttrs& a, const Types& in) {
  ShardingRule rule;
  for_each_loop(in[0], in[1], a.axis, [&](int data, int index, int to) { rule.factor({data, index}, {to}); });
  return rule.factor({dimension(in[0], a.axis), kAbsent}, {kPartial}).at("first_row", "table_rows");
}
// Only the gathered rows of the table are read.
Cost cost(const GatherAttrs& a, const Types& in) {
  const auto bytes = static_cast<double>((*infer(a, in))[0].bytes());
  return {.flops = 0, .bytes_read = bytes + static_cast<double>(in[1].bytes()), .bytes_written = bytes};
}
// The indices have no gradient.
GraphValues gradient(GradientBuilder& b, const Attrs&, const Differentiated& op) {
  return {b("gather_backward", {op.gradients[0], op.operands[1], op.operands[0]}, op.attributes)};
}
}  // namespace gather

namespace gather_backward {
Result<Types> infer(const GatherBackwardAttrs& a, const Types& in) {
  CUTSET_ASSIGN(const TensorType out, gathered(in[2], in[1], a));
  if (in[0] != out)
    return invalid_argument("C4: the gradient is " + to_string(in[0]) + ", but the result of gather is " +
                            to_string(out));
  if (!is_float(in[2].dtype))
    return invalid_argument(std::string("C5: data needs a floating-point type, not ") + name_of(in[2].dtype));
  return Types{in[2]};
}
// The shards of the indices give partial sums for the whole table. A shard of the rows ignores the indices of
// other rows.
ShardingRule shard(const GatherBackwardAttrs& a, const Types& in) {
  ShardingRule rule;
  for_each_loop(in[2], in[1], a.axis, [&](int data, int index, int from) {
    rule.factor({from, index, data}, {data == kAbsent ? kPartial : data});
  });
  const int rows = dimension(in[2], a.axis);
  return rule.factor({kAbsent, kAbsent, rows}, {rows}).at("first_row", "table_rows");
}
Cost cost(const GatherBackwardAttrs&, const Types& in) {
  return {.flops = static_cast<double>(in[0].elements()),
          .bytes_read = static_cast<double>(in[0].bytes() + in[1].bytes()),
          .bytes_written = static_cast<double>(in[2].bytes() + in[0].bytes())};
}
}  // namespace gather_backward

}  // namespace rules
}  // namespace cutset
