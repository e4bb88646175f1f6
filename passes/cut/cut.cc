// cut: one function a role, one schedule a device, a send and a recv for each (tensor, destination).
//
//   func @train(%x) {                        func @"train/cpu:0/forward0"(%x) -> %0
//     %0 = cutset.relu %x on "cpu:0"         func @"train/sim:0/forward1"(%0) -> %1
//     %1 = cutset.neg %0 on "sim:0"     ->   cutset.schedule @"train/cpu:0" { input; call; send channel 0 }
//     return %1                              cutset.schedule @"train/sim:0" { recv channel 0; call; output }
//   }
//
// What crosses for its type alone (`like` operands) does not cross: it becomes a cutset.type_only.
#include "mlir/IR/IRMapping.h"
#include "passes/cut/partition.h"
#include "passes/passes.h"
#include "passes/support/erase_dead.h"

using namespace mlir;

namespace cutset::passes {
namespace {

class FunctionCutter {
 public:
  FunctionCutter(ModuleOp module, func::FuncOp function, Partition partition)
      : module_(module), function_(function), p_(std::move(partition)), builder_(module.getContext()) {}

  LogicalResult run() {
    Operation* end = function_.getBody().front().getTerminator();
    for (auto [i, v] : llvm::enumerate(end->getOperands())) {
      if (!isa_and_nonnull<ir::PlacedOpInterface>(v.getDefiningOp()))
        return emitError(v.getLoc()) << "output " << function_.getResultAttr(static_cast<unsigned>(i), kOutput)
                                     << " is not computed by an op";
      outputs_[v].push_back(function_.getResultAttrOfType<StringAttr>(static_cast<unsigned>(i), kOutput));
    }
    findTransfers();
    bool applies = false;
    for (auto& [device, roles] : p_.roles)
      for (auto& [key, ops] : roles) applies |= key.apply;
    for (auto& [device, roles] : p_.roles) emitSchedule(device, roles, applies);
    return success();
  }

 private:
  struct Transfer {
    Value value;
    StringAttr to;
    int64_t channel;
  };

  bool local_read(Value v, StringAttr device) const {
    auto read = v.getDefiningOp<ir::ReadOp>();
    return read && p_.device.lookup(read) == device;
  }
  // Where a value comes from that a role does not make or clone itself.
  bool external(Value v, StringAttr device, RoleKey key) const {
    Operation* definer = v.getDefiningOp();
    if (!definer) return true;
    if (is_free(definer) || local_read(v, device)) return false;
    return p_.device.lookup(definer) != device || p_.role.lookup(definer) != key;
  }

  void findTransfers() {
    function_.getBody().front().walk([&](Operation* op) {
      const StringAttr to = p_.device.lookup(op);
      for (Value v : op->getOperands()) {
        Operation* definer = v.getDefiningOp();
        if (!to || !definer || is_free(definer) || p_.device.lookup(definer) == to) continue;
        if (llvm::none_of(transfers_, [&](const Transfer& t) { return t.value == v && t.to == to; }))
          transfers_.push_back({v, to, static_cast<int64_t>(transfers_.size())});
      }
    });
  }

  func::FuncOp emitRole(StringAttr device, RoleKey key, ArrayRef<Operation*> ops, ArrayRef<Value> arguments,
                        ArrayRef<Value> results) {
    const std::string name = (function_.getName() + "/" + device.getValue() + "/" + name_of(key.kind) +
                              (key.apply ? "" : std::to_string(key.level)))
                                 .str();
    builder_.setInsertionPointToEnd(module_.getBody());
    auto role = func::FuncOp::create(
        builder_, function_.getLoc(), name,
        builder_.getFunctionType(ValueRange(arguments).getTypes(), ValueRange(results).getTypes()));
    role.setPrivate();
    role->setAttr("cutset.role", builder_.getStringAttr(name_of(key.kind)));
    role->setAttr("cutset.device", device);
    Block* body = role.addEntryBlock();
    builder_.setInsertionPointToStart(body);
    IRMapping map;
    for (auto [from, to] : llvm::zip(arguments, body->getArguments())) map.map(from, to);
    for (Operation* op : ops) {
      for (Value v : op->getOperands())
        if (!map.contains(v)) map.map(v, builder_.clone(*v.getDefiningOp())->getResult(0));
      builder_.clone(*op, map);
    }
    SmallVector<Value> returned;
    for (Value v : results) returned.push_back(map.lookup(v));
    func::ReturnOp::create(builder_, function_.getLoc(), returned);
    return role;
  }

  bool used_outside(Value v, StringAttr device, RoleKey key) const {
    if (outputs_.contains(v) || llvm::any_of(transfers_, [&](const Transfer& t) { return t.value == v; })) return true;
    return llvm::any_of(v.getUsers(), [&](Operation* user) {
      return p_.device.lookup(user) == device && p_.role.lookup(user) != key && !local_read(v, device);
    });
  }

  void emitSchedule(StringAttr device, const std::map<RoleKey, SmallVector<Operation*>>& roles, bool applies) {
    builder_.setInsertionPointToEnd(module_.getBody());
    auto schedule =
        ir::ScheduleOp::create(builder_, function_.getLoc(), (function_.getName() + "/" + device.getValue()).str(),
                               function_.getName(), device.getValue());
    Block* actions = builder_.createBlock(&schedule.getActions());
    OpBuilder at(actions, actions->end());
    DenseMap<Value, Value> here;  // what this device has
    bool committed = false;
    for (auto& [key, ops] : roles) {
      if (key.apply && !committed) ir::CommitOp::create(at, function_.getLoc()), committed = true;
      llvm::SetVector<Value> arguments;
      for (Operation* op : ops)
        for (Value v : op->getOperands())
          if (external(v, device, key)) arguments.insert(v);
      SmallVector<Value> results, given;
      for (Operation* op : ops)
        for (Value r : op->getResults())
          if (used_outside(r, device, key)) results.push_back(r);
      for (Value v : arguments) given.push_back(fetch(at, v, device, here));
      func::FuncOp role = emitRole(device, key, ops, arguments.getArrayRef(), results);
      auto call = ir::CallOp::create(at, function_.getLoc(), role.getResultTypes(), role.getName(), given);
      for (auto [original, value] : llvm::zip(results, call.getValues())) {
        here[original] = value;
        for (const Transfer& t : transfers_)
          if (t.value == original)
            ir::SendOp::create(at, original.getLoc(), value, t.to, at.getI64IntegerAttr(t.channel));
        for (StringAttr name : outputs_.lookup(original)) ir::OutputOp::create(at, original.getLoc(), value, name);
      }
    }
    if (applies && !committed) ir::CommitOp::create(at, function_.getLoc());
  }

  // A value on `device`: already here, an input of the function, or received now.
  Value fetch(OpBuilder& at, Value v, StringAttr device, DenseMap<Value, Value>& here) {
    if (Value known = here.lookup(v)) return known;
    Value got;
    if (auto argument = dyn_cast<BlockArgument>(v)) {
      got = ir::InputOp::create(at, v.getLoc(), v.getType(),
                                function_.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kInput));
    } else {
      auto t = llvm::find_if(transfers_, [&](const Transfer& t) { return t.value == v && t.to == device; });
      got = ir::RecvOp::create(at, v.getLoc(), v.getType(), p_.device.lookup(v.getDefiningOp()),
                               at.getI64IntegerAttr(t->channel));
    }
    return here[v] = got;
  }

  ModuleOp module_;
  func::FuncOp function_;
  Partition p_;
  OpBuilder builder_;
  llvm::MapVector<Value, SmallVector<StringAttr>> outputs_;
  SmallVector<Transfer> transfers_;
};

// Operands that are read for their type only stop being uses of a value.
void drop_type_only(func::FuncOp function) {
  function.walk([&](ir::CutsetOpInterface op) {
    for (OpOperand& operand : op->getOpOperands()) {
      if (!(op.opInfo().type_only >> operand.getOperandNumber() & 1)) continue;
      OpBuilder b(op);
      operand.set(ir::TypeOnlyOp::create(b, operand.get().getLoc(), operand.get().getType()));
    }
  });
  // What was computed for its type alone is computed no more.
  erase_dead(function.getBody().front());
}

struct Cut : ModulePass<Cut> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Cut)
  static constexpr const char* kFlag = "cut";
  static constexpr const char* kSummary = "Roles and schedules, with send and recv at the cut edges";

  LogicalResult run(ModuleOp module) {
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
      if (function.isExternal() || function->hasAttr("cutset.role")) continue;
      drop_type_only(function);
      auto parts = partition(function);
      if (failed(parts) || failed(FunctionCutter(module, function, *std::move(parts)).run())) return failure();
      function.getBody().dropAllReferences();
      function.getBody().getBlocks().clear();  // what stays is the signature
      function.setPrivate();
    }
    return success();
  }
};

}  // namespace

std::unique_ptr<Pass> createCut() { return std::make_unique<Cut>(); }

}  // namespace cutset::passes
