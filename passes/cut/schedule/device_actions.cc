// SPDX-License-Identifier: Apache-2.0
#include "passes/cut/schedule/device_actions.h"

#include "passes/passes.h"
#include "passes/support/placement/value_origin.h"

using namespace mlir;

namespace cutset::passes {

DeviceActions::DeviceActions(func::FuncOp function, const Partition& partition, const CutEdges& edges,
                             ArrayRef<MicroBatch> micro_batches, StringAttr device, Block* block)
    : function_(function),
      partition_(partition),
      edges_(edges),
      micro_batches_(micro_batches),
      device_(device),
      builder_(block, block->end()),
      i64_(builder_.getI64Type()),
      origin_(builder_.getStringAttr(kOrigin)),
      samples_(samples_of(function)),
      of_micro_batch_(micro_batches.size()) {}

Value DeviceActions::fetch(Value v) {
  if (Value value = here_.lookup(v)) return value;
  if (auto argument = dyn_cast<BlockArgument>(v)) {
    const unsigned number = argument.getArgNumber();
    return here_[v] = emit_input(v, rows_of(v).start(), function_.getArgAttr(number, kOrigin));
  }
  Operation* definer = v.getDefiningOp();
  const Attribute origin = definer->getDiscardableAttr(kOrigin);
  if (auto reduced = dyn_cast<ir::AllReduceOp>(definer)) {
    auto wait =
        ir::AllReduceWaitOp::create(builder_, v.getLoc(), v.getType(), i64(edges_.number_of(reduced)));
    label(wait, origin);
    return here_[v] = wait.getSums()[0];
  }
  return here_[v] = receive(v, 0, one_result(origin, cast<OpResult>(v).getResultNumber()));
}

Value DeviceActions::fetch(Value v, const MicroBatch& m) {
  Values& values = of_micro_batch_[static_cast<size_t>(m.shard)];
  if (Value value = values.lookup(v)) return value;
  if (class_of(function_, v) < 0) return fetch(v);
  if (Operation* definer = v.getDefiningOp()) {
    const Attribute origin =
        one_result(definer->getDiscardableAttr(kOrigin), cast<OpResult>(v).getResultNumber());
    return values[v] = receive(v, m.nth, moved_origin(origin, m.later));
  }
  const unsigned number = cast<BlockArgument>(v).getArgNumber();
  return values[v] = emit_input(v, rows_of(v).start_of(m),
                                moved_origin(function_.getArgAttr(number, kOrigin), m.later));
}

void DeviceActions::define(Value original, Value value) {
  here_[original] = value;
  emit_uses_elsewhere(original, value);
}

void DeviceActions::define(Value original, Value value, const MicroBatch& m) {
  of_micro_batch_[static_cast<size_t>(m.shard)][original] = value;
  for (const auto& t : edges_.transfers(original))
    ir::SendOp::create(builder_, original.getLoc(), value, t.to, t.channel + m.nth);
  for (const auto& out : edges_.outputs(original)) emit_output(original, value, out, out.rows.start_of(m));
}

void DeviceActions::emit_outputs() {
  for (auto& [value, outputs] : edges_.outputs()) {
    if (edges_.output_device(value) != device_ || is_unplaced(value.getDefiningOp())) continue;
    const int64_t shard_class = class_of(function_, value);
    if (shard_class < 0) emit_uses_elsewhere(value, fetch(value));
    for (const MicroBatch& m : micro_batches_)
      if (shard_class == m.shard_class)
        for (const auto& out : outputs) emit_output(value, fetch(value, m), out, out.rows.start_of(m));
  }
}

PortRows DeviceActions::rows_of(Value v) {
  return {function_.getArgAttrDict(cast<BlockArgument>(v).getArgNumber()), samples_};
}

Value DeviceActions::emit_input(Value v, int64_t start, Attribute origin) {
  const unsigned number = cast<BlockArgument>(v).getArgNumber();
  auto input = ir::InputOp::create(builder_, v.getLoc(), v.getType(),
                                   function_.getArgAttrOfType<StringAttr>(number, kInput), i64(start),
                                   i64(rows_of(v).dimension()));
  label(input, origin);
  return input.getValue();
}

void DeviceActions::emit_output(Value original, Value value, const CutEdges::Output& out, int64_t start) {
  ir::OutputOp::create(builder_, original.getLoc(), value, out.name, i64(start), i64(out.rows.dimension()));
}

void DeviceActions::emit_uses_elsewhere(Value original, Value value) {
  for (const auto& t : edges_.transfers(original))
    ir::SendOp::create(builder_, original.getLoc(), value, t.to, t.channel);
  for (auto [op, i] : edges_.partials(original))
    ir::AllReduceStartOp::create(
        builder_, op.getLoc(), value, i64(edges_.number_of(op)),
        builder_.getDenseI64ArrayAttr({op.getShards()[2 * i], op.getShards()[2 * i + 1]}));
  for (const auto& out : edges_.outputs(original)) emit_output(original, value, out, out.rows.start());
}

Value DeviceActions::receive(Value v, int64_t nth, Attribute origin) {
  auto recv =
      ir::RecvOp::create(builder_, v.getLoc(), v.getType(), partition_.device.lookup(v.getDefiningOp()),
                         edges_.channel_to(device_, v) + nth);
  label(recv, origin);
  return recv.getValue();
}

void DeviceActions::label(Operation* op, Attribute origin) const {
  if (origin)
    op->setDiscardableAttrs(DictionaryAttr::getWithSorted(op->getContext(), NamedAttribute(origin_, origin)));
}

}  // namespace cutset::passes
