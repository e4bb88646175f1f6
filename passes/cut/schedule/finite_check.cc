// SPDX-License-Identifier: Apache-2.0
#include "passes/cut/schedule/finite_check.h"

#include "passes/cut/new_role.h"
#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {

bool needs_test(func::FuncOp function, Value operand) {
  auto argument = dyn_cast<BlockArgument>(operand);
  const bool fed = argument && (function.getArgAttr(argument.getArgNumber(), kHyperParameter) ||
                                function.getArgAttr(argument.getArgNumber(), kStep));
  return !fed && isa<FloatType>(cast<RankedTensorType>(operand.getType()).getElementType());
}

std::string description_of(OpOperand& operand) {
  Operation* op = operand.getOwner();
  if (auto assign = dyn_cast<ir::AssignOp>(op))
    return "the new value of variable '" + assign.getVariable().str() + "'";
  const std::string unnamed = "an operand of '" + op->getName().stripDialect().str() + "'";
  auto rules = dyn_cast<ir::CutsetOpInterface>(op);
  if (!rules || rules.op_info().updates == 0 || operand.getOperandNumber() >= rules.op_info().operands.size())
    return unnamed;
  auto first = op->getOperand(0).getDefiningOp<ir::ReadOp>();
  return std::string("the ") + rules.op_info().operands[operand.getOperandNumber()].name +
         (first ? " of variable '" + first.getVariable().str() + "'" : " of an update");
}

FailureOr<func::FuncOp> make_check_role(OpBuilder& builder, func::FuncOp function, const std::string& name,
                                        StringAttr device, int64_t id, const CheckedValues& checked) {
  SmallVector<Type> types;
  SmallVector<Attribute> names;
  for (const auto& [value, description] : checked) {
    types.push_back(value.getType());
    names.push_back(description);
  }
  const Type flag = RankedTensorType::get({}, builder.getI1Type());
  auto role = new_role(builder, function->getParentOfType<ModuleOp>(), function.getLoc(), name, "check",
                       device, types, flag);
  // The op corresponds to no op of the user, so it has its own id.
  ir::PlacedBuilder build(builder, function.getLoc(),
                          {.device = device, .reason = builder.getStringAttr("before the commit"), .id = id});
  Operation* check = build.op("all_finite", ValueRange(role.getArguments()));
  if (!check) return failure();
  check->setDiscardableAttr(kFinite, builder.getArrayAttr(names));
  func::ReturnOp::create(builder, function.getLoc(), check->getResults());
  return role;
}

}  // namespace cutset::passes
