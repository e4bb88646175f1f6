// SPDX-License-Identifier: Apache-2.0
#include "passes/cut/schedule/cut_edges.h"

#include <utility>

#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {

CutEdges::CutEdges(func::FuncOp function, const Partition& partition, ArrayRef<MicroBatch> micro_batches)
    : partition_(partition) {
  Block& body = function.getBody().front();
  const int64_t samples = samples_of(function);
  for (auto [i, v] : llvm::enumerate(body.getTerminator()->getOperands())) {
    const auto at = static_cast<unsigned>(i);
    outputs_[v].push_back({function.getResultAttrOfType<StringAttr>(at, kOutput),
                           PortRows(function.getResultAttrDict(at), samples)});
  }
  // A value of a micro-batch is transferred once per micro-batch of its class, each time over another
  // channel.
  const auto transfers_per_step = [&](Value v) -> int64_t {
    const int64_t shard_class = class_of(function, v);
    return shard_class < 0
               ? 1
               : llvm::count_if(
                     micro_batches, [&](const MicroBatch& m) { return m.shard_class == shard_class; });
  };
  int64_t channels = 0;
  body.walk([&](Operation* op) {
    const StringAttr to = partition_.device.lookup(op);
    for (Value v : op->getOperands()) {
      Operation* definer = v.getDefiningOp();
      if (!to || !definer || is_unplaced(definer) || isa<ir::AllReduceOp>(definer) ||
          partition_.device.lookup(definer) == to)
        continue;
      auto& of_value = transfers_[v];
      if (llvm::none_of(of_value, [&](const Transfer& t) { return t.to == to; }))
        of_value.push_back({to, std::exchange(channels, channels + transfers_per_step(v))});
    }
  });
  for (auto op : body.getOps<ir::AllReduceOp>()) {
    collectives_[op] = static_cast<int64_t>(collectives_.size());
    for (auto [i, partial] : llvm::enumerate(op.getPartials())) partials_[partial].push_back({op, i});
  }
}

bool CutEdges::is_local_read(Value v, StringAttr device) const {
  auto read = v.getDefiningOp<ir::ReadOp>();
  return read && partition_.device.lookup(read) == device;
}

bool CutEdges::is_argument(Value v, StringAttr device, RoleKey key) const {
  Operation* definer = v.getDefiningOp();
  if (!definer) return true;
  if (is_unplaced(definer) || is_local_read(v, device)) return false;
  return partition_.device.lookup(definer) != device || partition_.role.lookup(definer) != key;
}

SmallVector<Value> CutEdges::arguments_of(StringAttr device, RoleKey key, ArrayRef<Operation*> ops) const {
  llvm::SetVector<Value> values;
  for (Operation* op : ops)
    for (Value v : op->getOperands())
      if (is_argument(v, device, key)) values.insert(v);
  return SmallVector<Value>(values.getArrayRef());
}

SmallVector<Value> CutEdges::results_of(StringAttr device, RoleKey key, ArrayRef<Operation*> ops) const {
  SmallVector<Value> results;
  for (Operation* op : ops)
    for (Value r : op->getResults())
      if (used_outside(r, device, key)) results.push_back(r);
  return results;
}

bool CutEdges::used_outside(Value v, StringAttr device, RoleKey key) const {
  if (outputs_.contains(v) || transfers_.contains(v)) return true;
  return llvm::any_of(v.getUsers(), [&](Operation* user) {
    if (isa<ir::AllReduceOp>(user)) return true;
    return partition_.device.lookup(user) == device && partition_.role.lookup(user) != key &&
           !is_local_read(v, device);
  });
}

int64_t CutEdges::channel_to(StringAttr device, Value v) const {
  return llvm::find_if(transfers(v), [&](const Transfer& t) { return t.to == device; })->channel;
}

StringAttr CutEdges::output_device(Value v) const {
  auto reduced = v.getDefiningOp<ir::AllReduceOp>();
  if (!reduced) return partition_.passed.lookup(v);
  for (Operation* user : v.getUsers())  // a device that reads the sum anyway
    if (auto device = partition_.device.lookup(user)) return device;
  return partition_.device.lookup(reduced.getPartials()[0].getDefiningOp());
}

}  // namespace cutset::passes
