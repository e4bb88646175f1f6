// SPDX-License-Identifier: Apache-2.0
#include "runtime/verify/expected.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "runtime/files/numbers.h"
#include "runtime/kernels/run_reference.h"
#include "runtime/program/variable_pieces.h"

namespace cutset {

// Returns the absolute values of a floating-point tensor in f64, and any other tensor unchanged.
static HostTensor magnitudes_of(const HostTensor& t) {
  if (!is_float(t.type().dtype)) return t;
  HostTensor sizes({DType::f64, t.type().shape});
  const Numbers of(t);
  const std::span<double> to = sizes.as<double>();
  for (int64_t i = 0, n = t.type().elements(); i < n; ++i) to[static_cast<size_t>(i)] = std::abs(of[i]);
  return sizes;
}

// Whether the op sums over a dimension, so that splitting this dimension gives partial sums.
static bool adds_up(const ReferenceOp& op) {
  auto flat = FlatAttrs::pack(op.op->schema, op.attributes);
  if (!flat) return false;
  const ShardingRule rule = op.op->shard(flat->data(), types_of(op.operands));
  return std::any_of(rule.factors.begin(), rule.factors.end(), [](const Factor& f) { return f.sums(); });
}

// Returns the number of terms that are summed for an element of the result. It is estimated from the cost of
// the op: a term is a multiplication and an addition.
static double length_of(const ReferenceOp& op, int64_t elements) {
  auto flat = FlatAttrs::pack(op.op->schema, op.attributes);
  if (!flat) return 1;
  return op.op->cost(flat->data(), types_of(op.operands)).flops / 2 /
         static_cast<double>(std::max<int64_t>(1, elements));
}

Expected::Expected(const Function& function, const ReferenceValues& values)
    : function_(function), values_(values) {
  for (const Buffer& b : function.buffers) {
    computed_.insert(b.origin.number);
    if (b.origin.layout == kPartialSum) partial_factors_.emplace(b.origin.number, b.origin.factor);
    if (b.origin.piece.layout == kPartialSum) partial_pieces_.emplace(b.origin.number, b.origin.piece);
  }
}

int32_t Expected::factor_of(int32_t number) const {
  const auto it = partial_factors_.find(number);
  return it == partial_factors_.end() ? kNone : it->second;
}

Result<HostTensor> Expected::of(const ValueOrigin& m) const {
  if (is_partial(m)) return partial(m, Form::kAsItIs);
  const HostTensor* value = values_.value(m.number);
  if (!value) return execution_failed("the reference has no value " + std::to_string(m.number));
  return part_of(*value, m);
}

bool Expected::is_partial(const ValueOrigin& m) {
  return m.layout == kPartialSum || m.piece.layout == kPartialSum;
}

Result<HostTensor> Expected::part_of(HostTensor value, const ValueOrigin& m) const {
  if (m.layout >= 0) {
    CUTSET_ASSIGN(value, rows(value, m.layout, m, "value " + std::to_string(m.number)));
  }
  if (m.piece.layout >= 0) {
    CUTSET_ASSIGN(value,
                  piece(value, m.piece.layout, m.piece.unit, m.piece, "value " + std::to_string(m.number)));
  }
  return value;
}

Result<HostTensor> Expected::rows(const HostTensor& value, int32_t dimension, const ValueOrigin& m,
                                  const std::string& what) const {
  int64_t start = 0, size = 0, samples = 0;
  for (size_t s = 0; s < function_.shards.size(); ++s) {
    const int64_t shard = function_.shards[s];
    if (static_cast<int32_t>(s) < m.first) start += shard;
    if (static_cast<int32_t>(s) >= m.first && static_cast<int32_t>(s) < m.last) size += shard;
    samples += shard;
  }
  const auto axis = static_cast<size_t>(dimension);
  const int64_t all = axis < value.type().shape.size() ? value.type().shape[axis] : 0,
                common = std::gcd(all, std::max<int64_t>(samples, 1)),
                samples_per_part = std::max<int64_t>(samples, 1) / common;
  if (axis >= value.type().shape.size() || start % samples_per_part != 0 || size % samples_per_part != 0)
    return execution_failed(what + " of the reference is " + to_string(value.type()) + ", and the rows of " +
                            std::to_string(samples) + " samples along dimension " +
                            std::to_string(dimension) + " are needed");
  return rows_of(value, dimension, start / samples_per_part * (all / common),
                 size / samples_per_part * (all / common));
}

Result<HostTensor> Expected::piece(const HostTensor& value, int32_t dimension, int64_t unit, const Piece& p,
                                   const std::string& what) {
  const auto axis = static_cast<size_t>(dimension);
  if (axis >= value.type().shape.size() || value.type().shape[axis] % unit != 0)
    return execution_failed(what + " of the reference is " + to_string(value.type()) +
                            ", and pieces of dimension " + std::to_string(dimension) + " in units of " +
                            std::to_string(unit) + " are needed");
  const auto [start, size] = range_of(value.type().shape[axis], unit, p.count, p.index);
  return rows_of(value, dimension, start, size);
}

Result<HostTensor> Expected::partial(const ValueOrigin& m, Form form) const {
  const ReferenceOp* made_by = values_.producer(m.number);
  if (!made_by) return execution_failed("no op of the reference produces value " + std::to_string(m.number));
  const auto result = static_cast<size_t>(m.number - made_by->first);
  const bool of_rows = m.layout == kPartialSum, of_piece = m.piece.layout == kPartialSum;
  std::vector<HostTensor> operands;
  if ((of_rows && m.factor == kNone) || (of_piece && m.piece.factor == kNone)) {  // the op adds partial sums
    for (int32_t operand : made_by->numbers) {
      ValueOrigin operand_origin = m;
      operand_origin.number = operand;
      if (of_rows) operand_origin.factor = factor_of(operand);
      if (const auto partial_piece = partial_pieces_.find(operand);
          of_piece && partial_piece != partial_pieces_.end()) {
        operand_origin.piece.factor = partial_piece->second.factor;
        operand_origin.piece.unit = partial_piece->second.unit;
      } else if (of_piece) {
        return execution_failed("value " + std::to_string(operand) + " of the reference is no partial sum");
      }
      CUTSET_ASSIGN(HostTensor part, partial(operand_origin, form));
      operands.push_back(std::move(part));
    }
    CUTSET_ASSIGN(auto sums,
                  run_reference_kernel(*made_by->op, made_by->attributes, operands, form != Form::kAsItIs));
    return std::move(sums[result]);
  }
  CUTSET_ASSIGN(const FlatAttrs flat, FlatAttrs::pack(made_by->op->schema, made_by->attributes));
  const ShardingRule rule = made_by->op->shard(flat.data(), types_of(made_by->operands));
  for (const auto& [used, factor] : {std::pair(of_rows, m.factor), std::pair(of_piece, m.piece.factor)})
    if (used && (factor < 0 || static_cast<size_t>(factor) >= rule.factors.size()))
      return execution_failed("'" + std::string(made_by->op->name) + "' has no factor " +
                              std::to_string(factor));
  Attributes attributes = made_by->attributes;
  if (const Factor* f = of_piece ? &rule.factors[static_cast<size_t>(m.piece.factor)] : nullptr;
      f && f->first_step) {
    const size_t i = f->leading_operand();
    const int64_t steps =
        made_by->operands[i].type().shape[static_cast<size_t>(f->operands[i])] / f->operand_unit(i);
    set_position(*f, range_of(steps, m.piece.unit, m.piece.count, m.piece.index).start, steps, attributes);
  }
  for (size_t i = 0; i < made_by->operands.size(); ++i) {
    HostTensor operand = made_by->operands[i];
    const std::string what = "operand " + std::to_string(i) + " of '" + made_by->op->name + "'";
    if (const int by = of_rows ? rule.factors[static_cast<size_t>(m.factor)].operands[i] : kAbsent; by >= 0) {
      CUTSET_ASSIGN(operand, rows(operand, by, m, what));
    }
    const Factor* divided = of_piece ? &rule.factors[static_cast<size_t>(m.piece.factor)] : nullptr;
    if (const int by = divided ? divided->operands[i] : kAbsent; by >= 0) {
      CUTSET_ASSIGN(operand, piece(operand, by, m.piece.unit * divided->operand_unit(i), m.piece, what));
    }
    operands.push_back(form == Form::kMagnitudes ? magnitudes_of(operand) : std::move(operand));
  }
  CUTSET_ASSIGN(auto results,
                run_reference_kernel(*made_by->op, attributes, operands, form != Form::kAsItIs));
  return part_of(std::move(results[result]),
                 m);  // a partial sum along one axis may be a slice along the other axis
}

bool Expected::is_fused(int32_t number) const {
  return !computed_.contains(number) && values_.producer(number);
}

// Computes the whole value `number` again. Two kinds of operands are also computed in the form `form`:
// - Operands that the program has fused, so that their rounding errors count.
// - In the form kMagnitudes, operands of an op that adds partial sums, so that the result is the sum of the
//   magnitudes of all terms.
Result<HostTensor> Expected::whole(int32_t number, Form form) const {
  const ReferenceOp* made_by = values_.producer(number);
  if (!made_by) return execution_failed("no op of the reference produces value " + std::to_string(number));
  const auto partial = partial_factors_.find(number);
  const bool of_partial_sums =
      form == Form::kMagnitudes && partial != partial_factors_.end() && partial->second == kNone;
  std::vector<HostTensor> operands;
  for (size_t i = 0; i < made_by->operands.size(); ++i) {
    if (of_partial_sums || is_fused(made_by->numbers[i])) {
      CUTSET_ASSIGN(HostTensor operand, whole(made_by->numbers[i], form));
      operands.push_back(std::move(operand));
    } else {
      operands.push_back(form == Form::kMagnitudes ? magnitudes_of(made_by->operands[i])
                                                   : made_by->operands[i]);
    }
  }
  CUTSET_ASSIGN(auto results, run_reference_kernel(*made_by->op, made_by->attributes, operands, true));
  return std::move(results[static_cast<size_t>(number - made_by->first)]);
}

Result<HostTensor> Expected::in_form(const ValueOrigin& m, Form form) const {
  if (is_partial(m)) return partial(m, form);
  CUTSET_ASSIGN(HostTensor value, whole(m.number, form));
  return part_of(std::move(value), m);
}

bool Expected::sums(int32_t number) const {
  const ReferenceOp* op = values_.producer(number);
  if (!op) return false;
  return partial_factors_.contains(number) || partial_pieces_.contains(number) || adds_up(*op) ||
         std::any_of(op->numbers.begin(), op->numbers.end(),
                     [&](int32_t n) { return is_fused(n) && sums(n); });
}

double Expected::length(int32_t number) const {
  const ReferenceOp* op = values_.producer(number);
  if (!op) return 1;
  const HostTensor* value = values_.value(number);
  double all = length_of(*op, value ? value->type().elements() : 1);
  for (int32_t operand : op->numbers)
    if (is_fused(operand)) all += length(operand);
  return all;
}

double Expected::terms(int32_t number) const {
  const ReferenceOp* op = values_.producer(number);
  if (!op) return 1;
  const auto partial = partial_factors_.find(number);
  if (partial != partial_factors_.end() && partial->second == kNone) {
    double all = 0;
    for (int32_t operand : op->numbers) all += terms(operand);
    return all;
  }
  return std::max(2.0, 2 * length(number));
}

namespace {

// The errors that kernels of one floating-point type may have.
struct Precision {
  double rounding;  // the largest relative error of rounding to the type
  double
      unit;  // the difference of a short sum from another order of summation, relative to the largest element
};

// Kernels of f16 and bf16 compute in f32 and round the result, so that two of them differ by a few roundings.
Precision precision_of(DType type) {
  if (type == DType::f64) return {0x1p-53, 1e-13};
  if (type == DType::f16) return {0x1p-11, 0x1p-9};
  if (type == DType::bf16) return {0x1p-8, 0x1p-6};
  return {0x1p-24, 1e-5};
}

}  // namespace

Tolerance Expected::tolerance(const ValueOrigin& m, const HostTensor& want, bool doubt) const {
  if (!is_float(want.type().dtype)) return {};
  const bool narrow = want.type().dtype != DType::f64;
  const auto [rounding, unit] = precision_of(want.type().dtype);
  const int64_t n = want.type().elements();
  const ReferenceOp* op = values_.producer(m.number);
  const auto result = op ? static_cast<size_t>(m.number - op->first) : 0;
  const auto former = op && static_cast<int>(result) < op->op->updates
                          ? part_of(op->operands[result], m)
                          : Result<HostTensor>(execution_failed(""));
  if (former && former->type() == want.type()) {
    const Numbers before(*former), after(want);
    Tolerance t;
    t.each.resize(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) {
      const double change = std::abs(after[i] - before[i]);
      if (std::isfinite(change)) t.all = std::max(t.all, unit * change);
      t.each[static_cast<size_t>(i)] = 2 * rounding * std::max(std::abs(after[i]), std::abs(before[i]));
    }
    return t;
  }
  const Numbers numbers(want);
  double largest = 0;
  for (int64_t i = 0; i < n; ++i)
    if (std::isfinite(numbers[i])) largest = std::max(largest, std::abs(numbers[i]));
  if (!op) return {unit * largest, {}};
  Tolerance t{unit * std::sqrt(1 + length(m.number) / 1000) * largest + (narrow ? 0 : 1e-300), {}};
  if (!doubt) return t;
  // The rounding error of another order of summation may be larger by this factor than the error of the
  // reference's order. The factor is a chosen margin and not derived.
  constexpr double kSummationOrderSlack = 8;
  // The rounding error of the reference itself: in f32, a sum that cancels has a larger error than its size
  // suggests.
  if (auto wide = in_form(m, Form::kWide); narrow && wide && wide->type().shape == want.type().shape) {
    const Numbers exact(*wide);
    double off = 0;
    for (int64_t i = 0; i < n; ++i)
      if (std::isfinite(exact[i]) && std::isfinite(numbers[i]))
        off = std::max(off, std::abs(exact[i] - numbers[i]));
    t.all += kSummationOrderSlack * off;
  }
  // A reference kernel that sums in f64 does not show that error, so the magnitudes of the terms also count.
  // The error of a sum of n terms is probably at most about sqrt(n) roundings of the sum of their magnitudes
  // (Higham and Mary, "A new approach to probabilistic rounding error analysis", 2019).
  if (!sums(m.number)) return t;
  if (auto sizes = in_form(m, Form::kMagnitudes); sizes && sizes->type().shape == want.type().shape) {
    // Kernels of f16 and bf16 add in f32 and round once. A sum of partial sums adds tensors of these types,
    // so each of its additions rounds to the type. The factor 4 is a chosen margin and not derived.
    const bool of_parts =
        is_partial(m) || partial_factors_.contains(m.number) || partial_pieces_.contains(m.number);
    const double added = narrow ? precision_of(DType::f32).rounding : rounding;
    const double each = kSummationOrderSlack * std::sqrt(terms(m.number)) * added +
                        (of_parts && rounding > added ? 4 * rounding : 0);
    const Numbers magnitudes(*sizes);
    t.each.reserve(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) t.each.push_back(std::isfinite(magnitudes[i]) ? each * magnitudes[i] : 0);
  }
  return t;
}

}  // namespace cutset
