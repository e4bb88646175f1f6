// SPDX-License-Identifier: Apache-2.0
#include "passes/support/layout/layout.h"

#include <numeric>

#include "ir/structural/structural.h"

using namespace mlir;

namespace cutset::passes {

bool ends_with_shards(Operation* op, const Factor& factor, const BatchUnits& batch) {
  if (!factor.is_compound()) return true;
  for (auto [i, d] : llvm::enumerate(factor.operands)) {
    if (d < 0) continue;
    auto type = cast<RankedTensorType>(op->getOperand(static_cast<unsigned>(i)).getType());
    const int64_t steps = type.getDimSize(static_cast<unsigned>(d)) / factor.operand_unit(i);
    // The steps of a unit of samples are a whole number: steps * unit / samples, without an overflow.
    if (batch.samples == 0 || steps % (batch.samples / std::gcd(batch.samples, batch.unit)) != 0)
      return false;
  }
  return true;
}

OpLayout layout_of(Operation* op, ArrayRef<Layout> have, const BatchUnits& batch) {
  OpLayout layout;
  layout.operands.assign(op->getNumOperands(), kWhole);
  layout.results.assign(op->getNumResults(), kWhole);
  auto rules = dyn_cast<ir::CutsetOpInterface>(op);
  // A sum over the devices of a tensor axis is computed for each shard, and a sum of partial sums is a
  // partial sum.
  if (isa<ir::AllReduceOp>(op) && have.front() != kWhole && llvm::all_equal(have)) {
    layout.split = true;
    layout.operands.assign(have.begin(), have.end());
    layout.results.assign(op->getNumResults(), have.front());
    return layout;
  }
  if (!rules) return layout;
  const OpInfo& info = rules.op_info();
  if (info.updates > 0) return layout;  // each replica updates its whole copy of the variable
  // A sum of partial sums is a partial sum, so the all-reduce comes after it.
  if (ir::is_op(op, "add_n") && llvm::all_of(have, [](Layout l) { return l == kPartial; })) {
    layout.split = true;
    layout.operands.assign(have.begin(), have.end());
    layout.results = {kPartial};
    return layout;
  }
  if (llvm::none_of(have, [](Layout l) { return l >= 0; })) return layout;
  const ShardingRule rule = info.shard(ir::flat_attributes(op).data(), ir::tensor_types(op->getOperands()));
  auto follow = [&](size_t operand) {
    for (auto [number, factor] : llvm::enumerate(rule.factors)) {
      // The micro-batches of a class share an op, and a call of a role does not move `first_step`.
      if (factor.operands[operand] != have[operand] || !ends_with_shards(op, factor, batch) ||
          factor.first_step)
        continue;
      if (factor.window) return false;
      layout.split = true;
      layout.factor = static_cast<int>(number);
      for (size_t i = 0; i < have.size(); ++i) layout.operands[i] = factor.operands[i];
      for (size_t i = 0; i < layout.results.size(); ++i) layout.results[i] = factor.results[i];
      return true;
    }
    return false;
  };
  for (bool by_type : {false, true})  // operands that are read only for their types decide last
    for (size_t i = 0; i < have.size(); ++i)
      if (have[i] >= 0 && info.reads_type_only(i) == by_type && follow(i)) return layout;
  const auto has_rows = [](Type t) { return cast<RankedTensorType>(t).getRank() > 0; };
  if (batch.samples != 1 || !llvm::all_of(op->getResultTypes(), has_rows)) return layout;
  layout.split = true;
  for (size_t i = 0; i < have.size(); ++i) layout.operands[i] = have[i] >= 0 ? have[i] : kWhole;
  layout.results.assign(op->getNumResults(), 0);
  return layout;
}

void set_shape(Operation* copy, Layout result, int64_t size) {
  auto shape = copy->getAttrOfType<DenseI64ArrayAttr>("shape");
  if (!shape || result < 0) return;
  SmallVector<int64_t> sizes(shape.asArrayRef());
  if (const auto d = static_cast<size_t>(result); d < sizes.size() && sizes[d] > 0) sizes[d] = size;
  copy->setAttr("shape", DenseI64ArrayAttr::get(copy->getContext(), sizes));
}

void set_position(Operation* copy, const Factor& factor, int64_t first, int64_t all) {
  const auto get = [&](StringRef name) {
    auto value = copy->getAttrOfType<IntegerAttr>(name);
    return value ? value.getInt() : 0;
  };
  cutset::set_position(factor, first, all, get, [&](StringRef name, int64_t value) {
    copy->setAttr(name, IntegerAttr::get(IntegerType::get(copy->getContext(), 64), value));
  });
}

bool reads_rows_of_samples(Operation* op) {
  auto rows = ir::is_op(op, "slice") ? op->getAttrOfType<IntegerAttr>("rows_per_sample") : IntegerAttr();
  return rows && rows.getInt() != 0;
}

void set_first_element(Operation* copy, int64_t row) {
  auto type = cast<RankedTensorType>(copy->getResult(0).getType());
  const int64_t row_elements = type.getDimSize(0) ? type.getNumElements() / type.getDimSize(0) : 0;
  auto before = copy->getAttrOfType<IntegerAttr>("first_element");
  copy->setAttr("first_element", IntegerAttr::get(IntegerType::get(copy->getContext(), 64),
                                                  (before ? before.getInt() : 0) + row * row_elements));
}

}  // namespace cutset::passes
