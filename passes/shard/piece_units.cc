// SPDX-License-Identifier: Apache-2.0
#include "passes/shard/piece_units.h"

#include <deque>
#include <numeric>

#include "ir/structural/structural.h"

using namespace mlir;

namespace cutset::passes {
namespace {

int64_t size_of(Value v, Layout d) {
  return cast<RankedTensorType>(v.getType()).getDimSize(static_cast<unsigned>(d));
}

// Calls visit(value, dimension, unit) for each operand and result that has the factor.
template <class Visit>
void for_each_dimension(Operation* op, const Factor& f, Visit&& visit) {
  for (auto [i, v] : llvm::enumerate(op->getOperands()))
    if (f.operands[i] >= 0) visit(v, f.operands[i], f.operand_unit(i));
  for (auto [r, v] : llvm::enumerate(op->getResults()))
    if (f.results[r] >= 0) visit(v, f.results[r], f.result_unit(r));
}

}  // namespace

PieceUnits::PieceUnits(func::FuncOp function, int64_t devices, const DenseMap<Value, Layout>& batch,
                       const DividedVariables* fixed)
    : devices_(devices), batch_(batch) {
  std::deque<Operation*> work;
  DenseSet<Operation*> waiting;
  for (Operation& op : function.getBody().front()) {
    if (auto read = dyn_cast<ir::ReadOp>(&op); read && fixed)
      if (auto its = fixed->find(read.getVariable().str()); its != fixed->end()) {
        units_[{read.getValue(), its->second.axis}] = its->second.unit;
        fixed_.insert({read.getValue(), its->second.axis});
      }
    if (auto rules = dyn_cast<ir::CutsetOpInterface>(op)) {
      rules_[&op] =
          rules.op_info().shard(ir::flat_attributes(&op).data(), ir::tensor_types(op.getOperands()));
      work.push_back(&op);
      waiting.insert(&op);
    }
  }
  const auto changed = [&](Operation* op) {
    if (op && rules_.contains(op) && waiting.insert(op).second) work.push_back(op);
  };
  while (!work.empty()) {
    Operation* op = work.front();
    work.pop_front();
    waiting.erase(op);
    for (const Factor& f : rules_[op].factors) {
      const int64_t loop = unit_of_loop(op, f);
      if (loop == 0) continue;
      for_each_dimension(op, f, [&](Value v, Layout d, int64_t unit) {
        if (of(v, d) == loop * unit) return;
        units_[{v, d}] = loop * unit;
        changed(v.getDefiningOp());
        for (Operation* user : v.getUsers()) changed(user);
      });
    }
  }
}

int64_t PieceUnits::of(Value value, Layout d) const {
  const auto its = units_.find({value, d});
  return its == units_.end() ? 1 : its->second;
}

bool PieceUnits::can_divide(Value value, Layout d) const {
  return size_of(value, d) / of(value, d) >= devices_ && batch(value) != d;
}

bool PieceUnits::divides_evenly(Value value, Layout d, int64_t replicas) const {
  return size_of(value, d) / of(value, d) % devices_ == 0 && size_of(value, d) % (devices_ * replicas) == 0;
}

bool PieceUnits::can_update(Operation* update, Layout d) const {
  const ShardingRule rule = cast<ir::CutsetOpInterface>(update).op_info().shard(
      ir::flat_attributes(update).data(), ir::tensor_types(update->getOperands()));
  return llvm::any_of(rule.factors, [&](const Factor& f) { return f.operands[0] == d && f.is_parallel(); });
}

int64_t PieceUnits::unit_of_loop(Operation* op, const Factor& f) const {
  if (f.window) return 0;
  int64_t loop = 1, dimensions = 0;
  for_each_dimension(op, f, [&](Value v, Layout d, int64_t unit) {
    const int64_t has = of(v, d);
    loop = std::lcm(loop, has / std::gcd(has, unit));
    ++dimensions;
  });
  bool fits = dimensions > 0;
  for_each_dimension(op, f, [&](Value v, Layout d, int64_t unit) {
    const int64_t needs = loop * unit;
    fits &= size_of(v, d) % needs == 0 && size_of(v, d) / needs >= devices_ && batch(v) != d &&
            (!fixed_.contains({v, d}) || of(v, d) == needs);
  });
  return fits ? loop : 0;
}

int64_t PieceUnits::of_factor(Operation* op, int f) const {
  const Factor& factor = rules_.at(op).factors[static_cast<size_t>(f)];
  const int64_t loop = unit_of_loop(op, factor);
  bool equal = loop > 0;
  for_each_dimension(op, factor, [&](Value v, Layout d, int64_t unit) { equal &= of(v, d) == loop * unit; });
  return equal ? loop : 0;
}

}  // namespace cutset::passes
