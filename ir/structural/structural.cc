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

LogicalResult verifyTensors(Operation* op) {
  auto check = [&](Type type) -> LogicalResult {
    auto known = tensorType(type);
    return known ? success() : op->emitOpError() << known.error().what;
  };
  for (Type t : op->getOperandTypes())
    if (failed(check(t))) return failure();
  for (Type t : op->getResultTypes())
    if (failed(check(t))) return failure();
  return success();
}

static LogicalResult verify_share(Operation* op, int64_t share) {
  if (share >= 0 && share < kMostReplicas) return success();
  return op->emitOpError() << "C4: belongs to replica " << share << ", which is not from 0 to " << kMostReplicas - 1;
}
static LogicalResult verify_number(Operation* op, const char* what, int64_t number) {
  constexpr int64_t kMost = 1 << 24;
  if (number >= 0 && number < kMost) return success();
  return op->emitOpError() << "C1: the " << what << " is " << number << ", which is not from 0 to " << kMost - 1;
}
static LogicalResult verify_device(Operation* op, StringRef device) {
  return device.empty() ? op->emitOpError("C2: the name of the device is empty") : success();
}

LogicalResult VariableOp::verify() {
  if (auto type = tensorType(getType()); !type) return emitOpError() << type.error().what;
  if (auto homes = getHomesAttr()) {
    if (homes.empty() || homes.size() > kMostReplicas)
      return emitOpError() << "C1: " << homes.size() << " homes; a variable has one in each of 1 to " << kMostReplicas
                           << " replicas";
    for (Attribute home : homes)
      if (failed(verify_device(*this, cast<StringAttr>(home).getValue()))) return failure();
  }
  return success();
}
LogicalResult ReadOp::verify() { return verify_share(*this, static_cast<int64_t>(getShare())); }
LogicalResult AssignOp::verify() { return verify_share(*this, static_cast<int64_t>(getShare())); }
LogicalResult ScheduleOp::verify() { return verify_device(*this, getDevice()); }
static LogicalResult verify_start(Operation* op, int64_t start) {
  return start < 0 ? op->emitOpError() << "C1: the first row is " << start << ", which is negative" : success();
}
LogicalResult InputOp::verify() { return verify_start(*this, static_cast<int64_t>(getStart())); }
LogicalResult OutputOp::verify() { return verify_start(*this, static_cast<int64_t>(getStart())); }
LogicalResult SendOp::verify() {
  if (failed(verify_device(*this, getTo()))) return failure();
  return verify_number(*this, "channel", static_cast<int64_t>(getChannel()));
}
LogicalResult RecvOp::verify() {
  if (failed(verify_device(*this, getFrom()))) return failure();
  return verify_number(*this, "channel", static_cast<int64_t>(getChannel()));
}
LogicalResult AllReduceStartOp::verify() {
  if (failed(verify_number(*this, "collective", static_cast<int64_t>(getCollective())))) return failure();
  ArrayRef<int64_t> shards = getShards();
  if (getValues().empty()) return emitOpError("C3: hands no tensor on");
  if (shards.size() != 2 || shards[0] < 0 || shards[0] >= shards[1] || shards[1] > INT32_MAX)
    return emitOpError("C4: 'shards' is the range [first, last) of this device's part");
  return success();
}
LogicalResult AllReduceWaitOp::verify() {
  if (getSums().empty()) return emitOpError("C3: waits for no tensor");
  return verify_number(*this, "collective", static_cast<int64_t>(getCollective()));
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
  return homes && share >= 0 && share < static_cast<int64_t>(homes.size())
             ? cast<StringAttr>(homes[static_cast<size_t>(share)])
             : StringAttr();
}

LogicalResult AllReduceOp::verify() {
  ArrayRef<int64_t> shards = getShards();
  if (getParts().empty() || shards.size() != 2 * getParts().size())
    return emitOpError() << "C1: " << shards.size() / 2 << " ranges of shards for " << getParts().size() << " parts";
  if (shards.front() < 0 || shards.back() > INT32_MAX)
    return emitOpError("C1: a shard has a number from 0 to 2^31 - 1");
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
