// SPDX-License-Identifier: Apache-2.0
#include "passes/cut/roles/port_rows.h"

#include <numeric>

#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {

PortRows::PortRows(DictionaryAttr attributes, int64_t samples) {
  const auto number = [&](StringRef name) {
    auto number = attributes ? attributes.getAs<IntegerAttr>(name) : IntegerAttr();
    return number ? number.getInt() : 0;
  };
  start_ = number(kStart);
  if (number(kRows) == 0)
    return;  // not a shard; the attribute kBatchDimension then says what a split would do
  dimension_ = std::max<int64_t>(number(kBatchDimension), 0);
  if (samples <= 0) return;
  const int64_t common = std::gcd(number(kRows), samples);
  samples_per_part_ = samples / common;
  rows_per_part_ = number(kRows) / common;
}

int64_t samples_of(func::FuncOp function) {
  int64_t samples = 0;
  if (auto shards = function->getAttrOfType<DenseI64ArrayAttr>(kShards))
    for (int64_t shard : shards.asArrayRef()) samples += shard;
  return samples;
}

}  // namespace cutset::passes
