// SPDX-License-Identifier: Apache-2.0
#include "passes/emit/called_roles.h"

#include "passes/emit/emit_role.h"
#include "passes/emit/in_place.h"
#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {
namespace {

// Returns the argument that the op of a returned value updates in place, if there is one.
std::optional<unsigned> updated_argument(Value returned) {
  auto op = returned.getDefiningOp<ir::CutsetOpInterface>();
  if (!op) return std::nullopt;
  const unsigned number = cast<OpResult>(returned).getResultNumber();
  if (static_cast<int>(number) >= op.op_info().updates) return std::nullopt;
  auto argument = dyn_cast<BlockArgument>(op->getOperand(number));
  if (!argument || !argument.hasOneUse()) return std::nullopt;
  return argument.getArgNumber();
}

// Returns the operand of the call in whose memory the role computes result `result` of the call, if there is
// one. `first`: the number of its first element among the values that the role returns.
std::optional<unsigned> operand_in_place(ir::CallOp call, func::FuncOp role, unsigned result,
                                         unsigned first) {
  std::optional<unsigned> operand;
  for (unsigned e = 0; e < ir::number_of_elements(call.getValues()[result].getType()); ++e) {
    const auto argument = updated_argument(role.getBody().front().getTerminator()->getOperand(first + e));
    if (!argument) return std::nullopt;
    const auto [operand_value, element] = call.element_of_argument(*argument);
    if (element != e || operand_value.getType() != call.getValues()[result].getType()) return std::nullopt;
    for (unsigned o = 0; !operand && o < call.getArguments().size(); ++o)
      if (call.getArguments()[o] == operand_value) operand = o;
    if (call.getArguments()[*operand] != operand_value) return std::nullopt;
  }
  return operand;
}

}  // namespace

bool begins_turn(func::FuncOp role) {
  const StringRef kind = role->getAttrOfType<StringAttr>(kRole).getValue();
  return kind != "accumulate" && kind != "check";
}

Result<const CalledRoles::Called*> CalledRoles::find_or_emit(ir::CallOp call, int64_t& next_group) {
  if (auto entry = known_.find(call.getRole()); entry != known_.end()) return &entry->second;
  auto role = context_.names.roles.lookup<func::FuncOp>(call.getRoleAttr().getAttr());
  Function body;  // the role alone, as if it were a function with one queue
  body.devices.resize(context_.function.devices.size());
  DeviceCode code(
      {context_.names, context_.program, body, context_.device, context_.description, context_.alignment});
  CUTSET_ASSIGN(Role emitted, RoleEmitter(code).emit_alone(role, call));
  if (auto first = role->getAttrOfType<IntegerAttr>(kFirstShard))
    emitted.shard = static_cast<int32_t>(first.getInt());
  Called called{context_.function.roles.next(), {}, code.plan.arena_bytes, next_group};
  next_group += call.getNumResults();
  for (unsigned first = 0; auto [i, value] : llvm::enumerate(call.getValues())) {
    called.in_place.push_back(operand_in_place(call, role, static_cast<unsigned>(i), first));
    first += ir::number_of_elements(value.getType());
  }
  bytes_ = std::max(bytes_, called.bytes);
  context_.function.roles.push_back(std::move(emitted));
  return &(known_[call.getRole()] = std::move(called));
}

Result<bool> CalledRoles::leaves(Value frame, int64_t& next_group) {
  while (frame) {
    Value updated;  // the value that a call computes in the memory of `frame`
    for (OpOperand& use : frame.getUses()) {
      auto call = dyn_cast<ir::CallOp>(use.getOwner());
      if (!call) return true;
      CUTSET_ASSIGN(const Called* role, find_or_emit(call, next_group));
      for (auto [i, operand] : llvm::enumerate(role->in_place))
        if (operand && *operand == use.getOperandNumber() && may_overwrite(call, *operand))
          updated = call.getValues()[i];
    }
    frame = updated;
  }
  return false;
}

void CalledRoles::place_at(uint64_t offset) {
  for (const auto& entry : known_)
    for (Buffer& b : context_.function.roles[entry.second.id].buffers)
      if (b.storage == Storage::kArena) b.offset += offset;
}

}  // namespace cutset::passes
