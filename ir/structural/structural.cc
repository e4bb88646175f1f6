#include "ir/structural/structural.h"

#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "ir/structural/structural.cpp.inc"

namespace cutset::ir {

void registerStructural(Dialect& dialect) {
  auto add = [&]<class... Ops>() { (RegisteredOperationName::insert<Ops>(dialect), ...); };
  add.operator()<
#define GET_OP_LIST
#include "ir/structural/structural.cpp.inc"
      >();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult ConstantOp::verify() {
  constexpr int64_t kLimit = 1024;
  auto type = tensorType(getType());
  if (!type) return emitOpError() << type.error().what;
  if (type->bytes() > kLimit)
    return emitOpError() << "C1: " << type->bytes() << " bytes; a constant holds at most " << kLimit
                         << ", larger values belong in a variable";
  return success();
}

StringAttr VariableOp::homeOf(int64_t share) {
  auto homes = getHomesAttr();
  return homes && share < static_cast<int64_t>(homes.size()) ? cast<StringAttr>(homes[static_cast<size_t>(share)])
                                                             : StringAttr();
}

LogicalResult AllReduceOp::verify() {
  ArrayRef<int64_t> shards = getShards();
  if (getParts().empty() || shards.size() != 2 * getParts().size())
    return emitOpError() << "C1: " << shards.size() / 2 << " ranges of shards for " << getParts().size() << " parts";
  for (size_t i = 0; i + 1 < shards.size(); ++i)
    if (i % 2 ? shards[i] != shards[i + 1] : shards[i] >= shards[i + 1])
      return emitOpError("C1: the ranges of shards have a gap or overlap");
  return success();
}

static LogicalResult check_variable(Operation* op, FlatSymbolRefAttr name, Type type, SymbolTableCollection& symbols) {
  auto variable = symbols.lookupNearestSymbolFrom<VariableOp>(op, name);
  if (!variable) return op->emitOpError() << "C1: " << name << " is not a variable";
  if (variable.getType() != type)
    return op->emitOpError() << "C2: has type " << type << " but " << name << " is " << variable.getType();
  return success();
}
LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection& symbols) {
  return check_variable(*this, getVariableAttr(), getValue().getType(), symbols);
}
LogicalResult AssignOp::verifySymbolUses(SymbolTableCollection& symbols) {
  if (failed(check_variable(*this, getVariableAttr(), getValue().getType(), symbols))) return failure();
  for (auto other : (*this)->getBlock()->getOps<AssignOp>()) {
    if (other == *this) return success();
    if (other.getVariableAttr() == getVariableAttr() && other.getShare() == getShare())
      return emitOpError() << "C3: " << getVariableAttr() << " is assigned twice in one step";
  }
  return success();
}
LogicalResult CallOp::verifySymbolUses(SymbolTableCollection& symbols) {
  auto role = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(*this, getRoleAttr());
  if (!role) return emitOpError() << "C1: " << getRoleAttr() << " is not a role";
  if (getArguments().getTypes() != TypeRange(role.getArgumentTypes()) ||
      getValues().getTypes() != TypeRange(role.getResultTypes()))
    return emitOpError() << "C2: types do not match " << getRoleAttr();
  return success();
}

}  // namespace cutset::ir
