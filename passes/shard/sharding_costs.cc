// SPDX-License-Identifier: Apache-2.0
#include "passes/shard/sharding_costs.h"

#include "ir/structural/structural.h"

using namespace mlir;

namespace cutset::passes {

CollectiveCosts::CollectiveCosts(const CompileConfig& config)
    : devices_(config.devices), count_(static_cast<double>(config.strategy.tensor_devices())) {}

double CollectiveCosts::seconds(Layout from, Layout to, double bytes) const {
  if (from == to || to == kPartial) return 0;
  const bool reduces = from == kPartial && to == kWhole;
  // `slice` copies the pieces of a whole value; the other collectives also join or add what they receive.
  const double copied = from == kWhole ? bytes / count_ : reduces ? 0 : bytes;
  const Cost copy{.flops = 0, .bytes_read = copied, .bytes_written = copied};
  const double sent = from == kWhole         ? 0
                      : reduces              ? 2 * bytes * (count_ - 1) / count_
                      : from >= 0 && to >= 0 ? bytes * (count_ - 1) / count_ / count_
                                             : bytes * (count_ - 1) / count_;
  double most = 1e-9;  // if two choices take the same time, fewer collectives are better
  for (const auto& d : devices_)
    most = std::max(most, (copied > 0 ? d->seconds(copy) : 0) +
                              (sent > 0 ? d->transfer_seconds(static_cast<int64_t>(sent)) : 0));
  return most;
}

double seconds_of(Operation* op, const CompileConfig& config) {
  const OpInfo& info = cast<ir::CutsetOpInterface>(op).op_info();
  const Cost cost = info.cost(ir::flat_attributes(op).data(), ir::tensor_types(op->getOperands()));
  double most = 0;
  for (const auto& d : config.devices) most = std::max(most, d->seconds(cost));
  return most;
}

}  // namespace cutset::passes
