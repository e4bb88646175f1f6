#include "passes/cut/port_rows.h"

#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {

PortRows::PortRows(func::FuncOp function, DictionaryAttr attributes) {
  const auto number = [&](StringRef name) {
    auto its = attributes ? attributes.getAs<IntegerAttr>(name) : IntegerAttr();
    return its ? its.getInt() : 0;
  };
  start_ = number(kStart);
  if (number(kRows) == 0) return;  // not a shard; the attribute kBatchDimension then says what a split would do
  dimension_ = std::max<int64_t>(number(kBatchDimension), 0);
  int64_t samples = 0;
  if (auto shards = function->getAttrOfType<DenseI64ArrayAttr>(kShards))
    for (int64_t its : shards.asArrayRef()) samples += its;
  if (samples > 0) rows_per_sample_ = number(kRows) / samples;
}

}  // namespace cutset::passes
