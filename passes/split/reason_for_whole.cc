// SPDX-License-Identifier: Apache-2.0
#include "passes/split/reason_for_whole.h"

using namespace mlir;

namespace cutset::passes {

std::string reason_for_whole(Operation* op, ArrayRef<Layout> have, const BatchUnits& units) {
  auto rules = dyn_cast<ir::CutsetOpInterface>(op);
  if (!rules) return {};
  const OpInfo& info = rules.op_info();
  for (auto [i, layout] : llvm::enumerate(have)) {
    if (layout < 0 || info.reads_type_only(i)) continue;
    const std::string name = "'" + op->getName().stripDialect().str() + "' (" + ir::source_of(op->getLoc()) +
                             ") ",
                      batch = "dimension " + std::to_string(layout) + " of operand " + std::to_string(i);
    for (const Factor& f :
         info.shard(ir::flat_attributes(op).data(), ir::tensor_types(op->getOperands())).factors) {
      if (f.operands[i] != layout || ends_with_shards(op, f, units) || units.samples == 0) continue;
      auto type = cast<RankedTensorType>(op->getOperand(static_cast<unsigned>(i)).getType());
      const int64_t rows = type.getDimSize(static_cast<unsigned>(layout));
      const std::string divided =
          rows % units.samples
              ? ""
              : "a sample of the batch has " + std::to_string(rows / units.samples) + " of them";
      const std::string shards = units.unit == 1 ? ""
                                                 : "the parts of the batch are multiples of " +
                                                       std::to_string(units.unit) + " samples";
      return name + "can be split by " + batch + " after each " + std::to_string(f.operand_unit(i)) +
             " rows, and " + divided + (divided.empty() || shards.empty() ? "" : ", and ") + shards;
    }
    return name + "has no rule that splits it by " + batch + ", which is the batch";
  }
  return {};
}

}  // namespace cutset::passes
