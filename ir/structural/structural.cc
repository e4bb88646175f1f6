// SPDX-License-Identifier: Apache-2.0
#include "ir/structural/structural.h"

#include "ir/core/piece.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "ir/structural/structural.cpp.inc"

namespace cutset::ir {

void register_structural(Dialect& dialect) {
  auto add = [&]<class... Ops>() { (RegisteredOperationName::insert<Ops>(dialect), ...); };
  add.operator()<
#define GET_OP_LIST
#include "ir/structural/structural.cpp.inc"
      >();
}

SmallVector<Type> element_types(TypeRange types) {
  SmallVector<Type> elements;
  for (Type type : types)
    if (auto frame = dyn_cast<TupleType>(type))
      llvm::append_range(elements, frame.getTypes());
    else
      elements.push_back(type);
  return elements;
}

unsigned number_of_elements(Type type) {
  auto frame = dyn_cast<TupleType>(type);
  return frame ? static_cast<unsigned>(frame.size()) : 1;
}

// Whether the elements of values of types `types` have the types `elements`.
static bool has_elements(TypeRange types, ArrayRef<Type> elements) {
  for (Type type : types) {
    const auto frame = dyn_cast<TupleType>(type);
    const ArrayRef<Type> own = frame ? frame.getTypes() : ArrayRef<Type>(type);
    if (own.size() > elements.size() || own != elements.take_front(own.size())) return false;
    elements = elements.drop_front(own.size());
  }
  return elements.empty();
}

// Fails if a type of `types` that is not in `checked` is neither a tensor for which ir/core has a type nor a
// frame of such tensors.
static LogicalResult verify_types(Operation* op, TypeRange types,
                                  llvm::SmallPtrSetImpl<const void*>& checked) {
  for (Type type : types)
    if (checked.insert(type.getAsOpaquePointer()).second)
      for (Type element : element_types(type))
        if (auto known = tensor_type(element); !known) return op->emitOpError() << known.error().what;
  return success();
}

LogicalResult verify_tensors(Operation* op) {
  llvm::SmallPtrSet<const void*, 8> checked;
  if (failed(verify_types(op, op->getOperandTypes(), checked))) return failure();
  return verify_types(op, op->getResultTypes(), checked);
}

static LogicalResult verify_replica(Operation* op, int64_t replica) {
  if (replica >= 0 && replica < kMostReplicas) return success();
  return op->emitOpError() << "C4: belongs to replica " << replica << ", which is not from 0 to "
                           << kMostReplicas - 1;
}
static LogicalResult verify_number(Operation* op, const char* what, int64_t number) {
  constexpr int64_t kMost = 1 << 24;
  if (number >= 0 && number < kMost) return success();
  return op->emitOpError() << "C1: the " << what << " is " << number << ", which is not from 0 to "
                           << kMost - 1;
}
static LogicalResult verify_device(Operation* op, StringRef device) {
  return device.empty() ? op->emitOpError("C2: the name of the device is empty") : success();
}

LogicalResult VariableOp::verify() {
  if (auto type = tensor_type(getType()); !type) return emitOpError() << type.error().what;
  if (auto homes = getHomesAttr()) {
    if (homes.empty() || homes.size() > kMostReplicas)
      return emitOpError() << "C1: has " << homes.size()
                           << " homes; it must have one per replica, and there are 1 to " << kMostReplicas
                           << " replicas";
    for (Attribute home : homes)
      if (failed(verify_device(*this, cast<StringAttr>(home).getValue()))) return failure();
  }
  const auto shape = cast<RankedTensorType>(getType()).getShape();
  if (auto d = getDividedAttr(); d && (d.getInt() < 0 || d.getInt() >= static_cast<int64_t>(shape.size())))
    return emitOpError() << "C4: is to be divided along dimension " << d.getInt() << ", and has "
                         << shape.size() << " dimensions";
  auto pieces = getPiecesAttr();
  if (!pieces) return success();
  if (pieces.size() != 3 || pieces[0] < 0 || pieces[0] >= static_cast<int64_t>(shape.size()) ||
      pieces[1] < 1 || pieces[1] > kMostReplicas || pieces[2] < 1 ||
      shape[static_cast<size_t>(pieces[0])] % pieces[2] != 0)
    return emitOpError(
        "C3: 'pieces' must be a dimension of the variable, a number of pieces from 1 to 4096, and a unit "
        "that divides the size of the dimension");
  return success();
}
LogicalResult ReadOp::verify() { return verify_replica(*this, static_cast<int64_t>(getReplica())); }
LogicalResult AssignOp::verify() { return verify_replica(*this, static_cast<int64_t>(getReplica())); }
LogicalResult ScheduleOp::verify() { return verify_device(*this, getDevice()); }
LogicalResult ScheduleOp::verifyRegions() {
  llvm::SmallPtrSet<const void*, 32>
      checked;  // types of operands are not checked, because operands are results of other actions
  for (Operation& action : getActions().front())
    if (failed(verify_types(&action, action.getResultTypes(), checked))) return failure();
  return success();
}
// Checks the first row of a shard of an input or an output.
static LogicalResult verify_rows(Operation* op, Value value, int64_t start, int64_t dimension) {
  if (start < 0) return op->emitOpError() << "C1: the first row is " << start << ", which is negative";
  if (dimension >= 0 && dimension < std::max<int64_t>(cast<RankedTensorType>(value.getType()).getRank(), 1))
    return success();
  return op->emitOpError() << "C1: there is no dimension " << dimension;
}
LogicalResult SumMicroBatchesOp::verify() {
  if (getPartials().empty()) return emitOpError("C1: sums no tensor");
  const auto first = static_cast<int64_t>(getFirst()), last = static_cast<int64_t>(getLast());
  if (first >= 0 && first < last && last <= INT32_MAX) return success();
  return emitOpError("C1: the micro-batches must be a range with 0 <= first < last < 2^31");
}
LogicalResult CallOp::verify() {
  const int64_t shard = static_cast<int64_t>(getShard().value_or(0));
  if (shard < 0 || shard > INT32_MAX)
    return emitOpError() << "C1: the shard is " << shard << ", and must be from 0 to 2^31 - 1";
  const int64_t end = static_cast<int64_t>(getEnd().value_or(shard + 1));
  if (end <= shard || end > INT32_MAX || (getEnd() && !getShard()))
    return emitOpError() << "C1: the range of shards from " << shard << " to " << end
                         << " must be a range with 0 <= shard < end < 2^31";
  const auto is_frame = [](Type type) { return isa<TupleType>(type); };
  if (!getShard() && (llvm::any_of(getOperandTypes(), is_frame) || llvm::any_of(getResultTypes(), is_frame)))
    return emitOpError("C3: takes or returns a frame, and has no shard");
  return success();
}
FrameElement CallOp::element_of_argument(unsigned number) {
  for (Value argument : getArguments()) {
    const unsigned elements = number_of_elements(argument.getType());
    if (number < elements) return {argument, number};
    number -= elements;
  }
  return {};
}
unsigned CallOp::number_of_element(unsigned result, unsigned element) {
  for (unsigned before = 0; before < result; ++before)
    element += number_of_elements(getValues()[before].getType());
  return element;
}
LogicalResult UnpackOp::verify() {
  if (llvm::equal(getFrame().getType().getTypes(), getValues().getTypes())) return success();
  return emitOpError("C1: the results do not have the types of the elements");
}
LogicalResult InputOp::verify() {
  return verify_rows(*this, getValue(), static_cast<int64_t>(getStart()),
                     static_cast<int64_t>(getDimension()));
}
LogicalResult OutputOp::verify() {
  return verify_rows(*this, getValue(), static_cast<int64_t>(getStart()),
                     static_cast<int64_t>(getDimension()));
}
LogicalResult SendOp::verify() {
  if (failed(verify_device(*this, getTo()))) return failure();
  return verify_number(*this, "channel", getChannel());
}
LogicalResult RecvOp::verify() {
  if (failed(verify_device(*this, getFrom()))) return failure();
  return verify_number(*this, "channel", getChannel());
}
LogicalResult AllReduceStartOp::verify() {
  if (failed(verify_number(*this, "collective", static_cast<int64_t>(getCollective())))) return failure();
  ArrayRef<int64_t> shards = getShards();
  if (getValues().empty()) return emitOpError("C3: contributes no tensor");
  if (shards.size() != 2 || shards[0] < 0 || shards[0] >= shards[1] || shards[1] > INT32_MAX)
    return emitOpError("C4: 'shards' must be a range [first, last) with 0 <= first < last < 2^31");
  return success();
}
LogicalResult AllReduceWaitOp::verify() {
  if (getSums().empty()) return emitOpError("C3: waits for no tensor");
  return verify_number(*this, "collective", static_cast<int64_t>(getCollective()));
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult ConstantOp::verify() {
  constexpr int64_t kLimit = 1024;
  auto type = tensor_type(getType());
  if (!type) return emitOpError() << type.error().what;
  if (type->bytes() > kLimit)
    return emitOpError() << "C1: the constant has " << type->bytes() << " bytes; the limit is " << kLimit
                         << " bytes (store a larger value in a variable)";
  return success();
}

StringAttr VariableOp::home_of(int64_t replica) {
  auto homes = getHomesAttr();
  return homes && replica >= 0 && replica < static_cast<int64_t>(homes.size())
             ? cast<StringAttr>(homes[static_cast<size_t>(replica)])
             : StringAttr();
}

bool VariableOp::has_shape_of(VariableOp other) {
  return cast<RankedTensorType>(getType()).getShape() == cast<RankedTensorType>(other.getType()).getShape();
}
RankedTensorType VariableOp::type_of(int64_t replica) {
  auto type = cast<RankedTensorType>(getType());
  auto pieces = getPiecesAttr();
  if (!pieces) return type;
  SmallVector<int64_t> shape(type.getShape());
  int64_t& size = shape[static_cast<size_t>(pieces[0])];
  size = range_of(size, pieces[2], pieces[1], replica % pieces[1]).size;
  return type.clone(shape);
}

LogicalResult AllReduceOp::verify() {
  ArrayRef<int64_t> shards = getShards();
  if (getPartials().empty() || shards.size() != 2 * getPartials().size())
    return emitOpError() << "C1: " << shards.size() / 2 << " ranges of shards for " << getPartials().size()
                         << " operands";
  if (shards.front() < 0 || shards.back() > INT32_MAX)
    return emitOpError() << "C1: the shards " << shards.front() << " to " << shards.back()
                         << " are not from 0 to " << INT32_MAX;
  for (size_t i = 0; i + 1 < shards.size(); ++i)
    if (i % 2 ? shards[i] != shards[i + 1] : shards[i] >= shards[i + 1])
      return emitOpError("C1: the ranges of shards have a gap or overlap");
  return success();
}

static LogicalResult check_variable(Operation* op, FlatSymbolRefAttr name, Type type, uint64_t replica,
                                    SymbolTableCollection& symbols) {
  auto variable = symbols.lookupNearestSymbolFrom<VariableOp>(op, name);
  if (!variable) return op->emitOpError() << "C1: " << name << " is not a variable";
  if (const Type held = variable.type_of(replica); held != type)
    return op->emitOpError() << "C2: has type " << type << ", but the variable " << name << " has type "
                             << held;
  return success();
}
LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection& symbols) {
  return check_variable(*this, getVariableAttr(), getValue().getType(), getReplica(), symbols);
}
// C3 is checked for all assignments of a block when the first of them is verified, so that the block is
// walked only once.
LogicalResult AssignOp::verifySymbolUses(SymbolTableCollection& symbols) {
  if (failed(check_variable(*this, getVariableAttr(), getValue().getType(), getReplica(), symbols)))
    return failure();
  auto function = (*this)->getParentOfType<SymbolOpInterface>();
  if (function && function.getName() == "graph") return success();  // functions share its assignments
  for (Operation* before = (*this)->getPrevNode(); before; before = before->getPrevNode())
    if (isa<AssignOp>(before)) return success();
  llvm::DenseSet<std::pair<StringAttr, uint64_t>> assigned;
  for (auto assign : (*this)->getBlock()->getOps<AssignOp>())
    if (!assigned.insert({assign.getVariableAttr().getAttr(), assign.getReplica()}).second)
      return assign.emitOpError() << "C3: " << assign.getVariableAttr() << " is assigned twice in one step";
  return success();
}
LogicalResult ScheduleOp::verifySymbolUses(SymbolTableCollection& symbols) {
  DenseMap<Attribute, FunctionOpInterface> roles;
  for (auto call : getActions().front().getOps<CallOp>()) {
    const auto [known, first] = roles.try_emplace(call.getRoleAttr());
    FunctionOpInterface& role = known->second;
    if (first) role = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(*this, call.getRoleAttr());
    if (!role) return call.emitOpError() << "C1: " << call.getRoleAttr() << " is not a role";
    if (!has_elements(call.getArguments().getTypes(), role.getArgumentTypes()) ||
        !has_elements(call.getValues().getTypes(), role.getResultTypes()))
      return call.emitOpError() << "C2: the types of the operands and results do not match the types of "
                                << call.getRoleAttr();
  }
  return success();
}

}  // namespace cutset::ir
