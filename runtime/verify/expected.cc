#include "runtime/verify/expected.h"

#include <algorithm>
#include <cmath>

#include "ir/core/rows.h"

namespace cutset {

HostTensor rows_of(const HostTensor& whole, int32_t dimension, int64_t start, int64_t size) {
  TensorType type = whole.type();
  const auto axis = static_cast<size_t>(dimension);
  const int64_t all = type.shape[axis];
  type.shape[axis] = size;
  HostTensor part(type);
  copy_rows(blocks_of(type.shape, dimension), size_of(type.dtype), whole.data(), all, start, part.data(), size, 0,
            size);
  return part;
}

std::pair<int64_t, int64_t> Expected::rows(int32_t first, int32_t last) const {
  int64_t start = 0, size = 0;
  for (size_t s = 0; s < function_.shards.size(); ++s) {
    if (static_cast<int32_t>(s) < first) start += function_.shards[s];
    if (static_cast<int32_t>(s) >= first && static_cast<int32_t>(s) < last) size += function_.shards[s];
  }
  return {start, size};
}

int32_t Expected::factor_of(int32_t number) const {
  for (const Buffer& b : function_.buffers)
    if (b.meaning.number == number && b.meaning.layout == kPartialSum) return b.meaning.factor;
  return kNone;
}

Result<HostTensor> Expected::of(const Meaning& m) const {
  if (m.layout == kPartialSum) return partial(m.number, m.factor, m.first, m.last, false);
  const HostTensor* whole = values_.value(m.number);
  if (!whole) return execution_failed("value " + std::to_string(m.number) + " is not one of the reference's");
  if (m.layout == kWholeValue) return *whole;
  const auto [start, size] = rows(m.first, m.last);
  const auto axis = static_cast<size_t>(m.layout);
  if (axis >= whole->type().shape.size() || start + size > whole->type().shape[axis])
    return execution_failed("value " + std::to_string(m.number) + " does not have the rows that are asked for");
  return rows_of(*whole, m.layout, start, size);
}

Result<HostTensor> Expected::partial(int32_t number, int32_t factor, int32_t first, int32_t last, bool wide) const {
  const ReferenceOp* made_by = values_.producer(number);
  if (!made_by) return execution_failed("no op makes value " + std::to_string(number));
  const auto result = static_cast<size_t>(number - made_by->first);
  std::vector<HostTensor> operands;
  if (factor == kNone) {  // a sum of partial sums
    for (int32_t operand : made_by->numbers) {
      CUTSET_ASSIGN(HostTensor part, partial(operand, factor_of(operand), first, last, wide));
      operands.push_back(std::move(part));
    }
  } else {
    CUTSET_ASSIGN(const FlatAttrs flat, FlatAttrs::pack(made_by->op->schema, made_by->attributes));
    Types types;
    for (const HostTensor& t : made_by->operands) types.push_back(t.type());
    const ShardingRule rule = made_by->op->shard(flat.data(), types);
    if (factor < 0 || static_cast<size_t>(factor) >= rule.factors.size())
      return execution_failed("'" + std::string(made_by->op->name) + "' has no factor " + std::to_string(factor));
    const Factor& split = rule.factors[static_cast<size_t>(factor)];
    const auto [start, size] = rows(first, last);
    for (size_t i = 0; i < made_by->operands.size(); ++i)
      if (split.operands[i] != kAbsent && start + size > types[i].shape[static_cast<size_t>(split.operands[i])])
        return execution_failed("value " + std::to_string(number) + " does not have the rows that are asked for");
    for (size_t i = 0; i < made_by->operands.size(); ++i)
      operands.push_back(split.operands[i] == kAbsent ? made_by->operands[i]
                                                      : rows_of(made_by->operands[i], split.operands[i], start, size));
  }
  CUTSET_ASSIGN(auto results, run_reference_loop(*made_by->op, made_by->attributes, operands, wide));
  return std::move(results[result]);
}

double Expected::bound(const Meaning& m, const HostTensor& want, bool doubt) const {
  if (!is_float(want.type().dtype)) return 0;
  const double unit = want.type().dtype == DType::f64 ? 1e-13 : 1e-5;
  double largest = 0;
  for (int64_t i = 0, n = want.type().elements(); i < n; ++i)
    if (std::isfinite(want.at(i))) largest = std::max(largest, std::abs(want.at(i)));
  const ReferenceOp* op = values_.producer(m.number);
  if (!op) return unit * largest;
  auto flat = FlatAttrs::pack(op->op->schema, op->attributes);
  Types types;
  for (const HostTensor& t : op->operands) types.push_back(t.type());
  const double length =
      op->op->cost(flat->data(), types).flops / 2 / static_cast<double>(std::max<int64_t>(1, want.type().elements()));
  double bound = unit * std::sqrt(1 + length / 1000) * largest;
  if (!doubt || want.type().dtype == DType::f64) return bound + 1e-300;
  // What f32 did to the reference's own value: sums that cancel are off by more than their size says.
  auto wide =
      m.layout == kPartialSum ? partial(m.number, m.factor, m.first, m.last, true) : [&]() -> Result<HostTensor> {
    CUTSET_ASSIGN(auto results, run_reference_loop(*op->op, op->attributes, op->operands, true));
    HostTensor value = std::move(results[static_cast<size_t>(m.number - op->first)]);
    if (m.layout == kWholeValue) return value;
    const auto [start, size] = rows(m.first, m.last);
    return rows_of(value, m.layout, start, size);
  }();
  if (!wide || wide->type().shape != want.type().shape) return bound;
  double rounding = 0;
  for (int64_t i = 0, n = want.type().elements(); i < n; ++i)
    if (std::isfinite(wide->at(i)) && std::isfinite(want.at(i)))
      rounding = std::max(rounding, std::abs(wide->at(i) - want.at(i)));
  constexpr double kOtherOrders = 8;  // of summation may round so much worse than the reference's
  return bound + kOtherOrders * rounding;
}

}  // namespace cutset
