#include "passes/emit/frame_pool.h"

#include "passes/emit/in_place.h"

using namespace mlir;

namespace cutset::passes {

Result<FrameId> FramePool::take(Value value, int64_t group) {
  CUTSET_ASSIGN(const bool leaves_calls, leaves(value));
  auto& free = free_[group];
  if (!leaves_calls && !free.empty()) {
    const FrameId frame = free.front();
    free.pop_front();
    return frame;
  }
  Types types;
  for (Type t : ir::element_types(value.getType())) types.push_back(*ir::tensor_type(t));
  const FrameId frame = memory_.new_frame(types);
  if (!leaves_calls) group_[frame] = group;
  return frame;
}

void FramePool::give_back(FrameId frame) {
  if (const auto its = group_.find(frame); its != group_.end()) free_[its->second].push_back(frame);
}

Result<bool> FramePool::leaves(Value frame) const {
  while (true) {
    Value next;
    for (OpOperand& use : frame.getUses()) {
      auto call = dyn_cast<ir::CallOp>(use.getOwner());
      if (!call) return true;
      CUTSET_ASSIGN(const auto in_place, in_place_(call));
      for (auto [i, operand] : llvm::enumerate(in_place))
        if (operand && *operand == use.getOperandNumber() && may_overwrite(call, *operand)) next = call.getValues()[i];
    }
    if (!next) return false;
    frame = next;
  }
}

}  // namespace cutset::passes
