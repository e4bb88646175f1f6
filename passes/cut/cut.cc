// cut: one function a role, one schedule a device, a send and a recv for each (tensor, destination).
//
//   func @train(%x) {                        func @"train/cpu:0/forward0"(%x) -> %0
//     %0 = cutset.relu %x on "cpu:0"         func @"train/sim:0/forward1"(%0) -> %1
//     %1 = cutset.neg %0 on "sim:0"     ->   cutset.schedule @"train/cpu:0" { input; call; send channel 0 }
//     return %1                              cutset.schedule @"train/sim:0" { recv channel 0; call; output }
//   }
//
// An all_reduce becomes, on each device, a start behind the role that computes its part and a wait before the
// role that reads the sum. What crosses for its type alone (`like` operands) does not cross: it becomes a cutset.type_only.
#include "llvm/ADT/StringSet.h"
#include "mlir/IR/IRMapping.h"
#include "passes/cut/partition.h"
#include "passes/passes.h"
#include "passes/split/meaning.h"
#include "passes/support/erase_dead.h"
#include "passes/support/next_id.h"

using namespace mlir;

namespace cutset::passes {
namespace {

class FunctionCutter {
 public:
  FunctionCutter(ModuleOp module, func::FuncOp function, Partition partition, llvm::StringSet<>& symbols,
                 int64_t check_id)
      : module_(module),
        function_(function),
        p_(std::move(partition)),
        builder_(module.getContext()),
        symbols_(symbols),
        check_id_(check_id) {}

  LogicalResult run() {
    Operation* end = function_.getBody().front().getTerminator();
    for (auto [i, v] : llvm::enumerate(end->getOperands())) {
      const auto at = static_cast<unsigned>(i);
      auto start = function_.getResultAttrOfType<IntegerAttr>(at, kStart);
      outputs_[v].push_back({function_.getResultAttrOfType<StringAttr>(at, kOutput), start ? start.getInt() : 0});
    }
    findTransfers();
    findCollectives();
    bool applies = false;
    for (auto& [device, roles] : p_.roles)
      for (auto& [key, ops] : roles) applies |= key.apply;
    for (auto& [device, roles] : p_.roles)
      if (failed(emitSchedule(device, roles, applies))) return failure();
    return success();
  }

 private:
  struct Transfer {
    Value value;
    StringAttr to;
    int64_t channel;
  };
  struct Collective {
    ir::AllReduceOp op;
    int64_t number;
  };
  struct Output {
    StringAttr name;
    int64_t start;
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
        if (!to || !definer || is_free(definer) || isa<ir::AllReduceOp>(definer) || p_.device.lookup(definer) == to)
          continue;
        if (llvm::none_of(transfers_, [&](const Transfer& t) { return t.value == v && t.to == to; }))
          transfers_.push_back({v, to, static_cast<int64_t>(transfers_.size())});
      }
    });
  }

  void findCollectives() {
    for (auto op : function_.getBody().front().getOps<ir::AllReduceOp>())
      collectives_.push_back({op, static_cast<int64_t>(collectives_.size())});
  }

  // A sum that no op reads is the host's; the device of its first part hands it over.
  StringAttr handsOver(Value sum) const {
    for (Operation* user : sum.getUsers())
      if (auto device = p_.device.lookup(user)) return device;
    auto reduced = sum.getDefiningOp<ir::AllReduceOp>();
    return p_.device.lookup(reduced.getParts()[0].getDefiningOp());
  }

  // A symbol that no variable of the user's has either.
  std::string fresh(std::string name) {
    while (!symbols_.insert(name).second) name += "'";
    return name;
  }

  func::FuncOp emitRole(StringAttr device, RoleKey key, ArrayRef<Operation*> ops, ArrayRef<Value> arguments,
                        ArrayRef<Value> results) {
    const std::string name = fresh((function_.getName() + "/" + device.getValue() + "/" + name_of(key.kind) +
                                    (key.apply ? "" : std::to_string(key.level)))
                                       .str());
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
      if (isa<ir::AllReduceOp>(user)) return true;
      return p_.device.lookup(user) == device && p_.role.lookup(user) != key && !local_read(v, device);
    });
  }

  LogicalResult emitSchedule(StringAttr device, const std::map<RoleKey, SmallVector<Operation*>>& roles, bool applies) {
    builder_.setInsertionPointToEnd(module_.getBody());
    auto schedule = ir::ScheduleOp::create(builder_, function_.getLoc(),
                                           fresh((function_.getName() + "/" + device.getValue()).str()),
                                           function_.getName(), device.getValue());
    Block* actions = builder_.createBlock(&schedule.getActions());
    OpBuilder at(actions, actions->end());
    DenseMap<Value, Value> here;  // what this device has
    bool committed = false;
    for (auto& [key, ops] : roles) {
      if (key.apply && !committed) {
        // What updates need comes before the commit: nothing behind it can fail.
        for (auto& [later, updates] : roles)
          if (later.apply)
            for (Value v : wantedBy(device, later, updates)) fetch(at, v, device, here);
        handOver(at, device, here);
        const auto finite = checkFinite(at, device, roles, here);
        if (failed(finite)) return failure();
        ir::CommitOp::create(at, function_.getLoc(), *finite), committed = true;
      }
      const auto arguments = wantedBy(device, key, ops);
      SmallVector<Value> results, given;
      for (Operation* op : ops)
        for (Value r : op->getResults())
          if (used_outside(r, device, key)) results.push_back(r);
      for (Value v : arguments) given.push_back(fetch(at, v, device, here));
      func::FuncOp role = emitRole(device, key, ops, arguments.getArrayRef(), results);
      auto call = ir::CallOp::create(at, function_.getLoc(), role.getResultTypes(), role.getName(), given);
      for (auto [original, value] : llvm::zip(results, call.getValues())) {
        here[original] = value;
        leave(at, original, value);
      }
    }
    if (!committed) handOver(at, device, here);
    if (applies && !committed) ir::CommitOp::create(at, function_.getLoc(), ValueRange());
    return success();
  }

  // Is what the updates of this device are about to use finite? One op of its own role looks, before the commit. What
  // the session feeds, the session has looked at.
  FailureOr<SmallVector<Value>> checkFinite(OpBuilder& at, StringAttr device,
                                            const std::map<RoleKey, SmallVector<Operation*>>& roles,
                                            DenseMap<Value, Value>& here) {
    llvm::MapVector<Value, Attribute> checked;  // by what people call it
    for (auto& [key, ops] : roles)
      for (Operation* op : key.apply ? ArrayRef<Operation*>(ops) : ArrayRef<Operation*>())
        for (OpOperand& operand : op->getOpOperands())
          if (Value v = operand.get(); external(v, device, key) && !fed_by_session(v) && is_finite_or_not(v))
            checked.try_emplace(v, at.getStringAttr(role_of(operand)));
    if (checked.empty()) return SmallVector<Value>();
    SmallVector<Type> types;
    SmallVector<Value> given;
    SmallVector<Attribute> names;
    for (auto& [value, name] : checked)
      types.push_back(value.getType()), given.push_back(fetch(at, value, device, here)), names.push_back(name);
    builder_.setInsertionPointToEnd(module_.getBody());
    auto role = func::FuncOp::create(builder_, function_.getLoc(),
                                     fresh((function_.getName() + "/" + device.getValue() + "/check").str()),
                                     builder_.getFunctionType(types, RankedTensorType::get({}, builder_.getI1Type())));
    role.setPrivate();
    role->setAttr("cutset.role", builder_.getStringAttr("check"));
    role->setAttr("cutset.device", device);
    Block* body = role.addEntryBlock();
    builder_.setInsertionPointToStart(body);
    // It stands for no op of the user's, so it has an id of its own.
    ir::Build build(builder_, function_.getLoc(),
                    {device, builder_.getStringAttr("before the commit"), 0, -1, check_id_});
    Operation* look = build.op("all_finite", ValueRange(body->getArguments()));
    if (!look) return failure();
    look->setDiscardableAttr(kFinite, builder_.getArrayAttr(names));
    func::ReturnOp::create(builder_, function_.getLoc(), look->getResults());
    auto call = ir::CallOp::create(at, function_.getLoc(), role.getResultTypes(), role.getName(), given);
    return SmallVector<Value>{call.getValues()[0]};
  }
  bool fed_by_session(Value v) {
    auto argument = dyn_cast<BlockArgument>(v);
    return argument && (function_.getArgAttr(argument.getArgNumber(), kHyperParameter) ||
                        function_.getArgAttr(argument.getArgNumber(), kStep));
  }
  static bool is_finite_or_not(Value v) { return isa<FloatType>(cast<RankedTensorType>(v.getType()).getElementType()); }
  // "the gradient of variable 'w'"
  static std::string role_of(OpOperand& operand) {
    Operation* op = operand.getOwner();
    if (auto assign = dyn_cast<ir::AssignOp>(op))
      return "the new value of variable '" + assign.getVariable().str() + "'";
    const std::string unnamed = "an operand of '" + op->getName().stripDialect().str() + "'";
    auto rules = dyn_cast<ir::CutsetOpInterface>(op);
    if (!rules || rules.opInfo().updates == 0 || operand.getOperandNumber() >= rules.opInfo().operands.size())
      return unnamed;
    auto first = op->getOperand(0).getDefiningOp<ir::ReadOp>();
    return std::string("the ") + rules.opInfo().operands[operand.getOperandNumber()] +
           (first ? " of variable '" + first.getVariable().str() + "'" : " of an update");
  }

  llvm::SetVector<Value> wantedBy(StringAttr device, RoleKey key, ArrayRef<Operation*> ops) const {
    llvm::SetVector<Value> values;
    for (Operation* op : ops)
      for (Value v : op->getOperands())
        if (external(v, device, key)) values.insert(v);
    return values;
  }

  // All that a value is wanted for away from its device.
  void leave(OpBuilder& at, Value original, Value value) {
    for (const Transfer& t : transfers_)
      if (t.value == original) ir::SendOp::create(at, original.getLoc(), value, t.to, at.getI64IntegerAttr(t.channel));
    for (auto& [op, number] : collectives_)
      for (auto [i, part] : llvm::enumerate(op.getParts()))
        if (part == original)
          ir::AllReduceStartOp::create(at, op.getLoc(), value, at.getI64IntegerAttr(number),
                                       at.getDenseI64ArrayAttr({op.getShards()[2 * i], op.getShards()[2 * i + 1]}));
    for (const Output& out : outputs_.lookup(original))
      ir::OutputOp::create(at, original.getLoc(), value, out.name, at.getI64IntegerAttr(out.start));
  }

  // The sums and the inputs that are outputs of the function.
  void handOver(OpBuilder& at, StringAttr device, DenseMap<Value, Value>& here) {
    for (auto& [value, outputs] : outputs_) {
      const bool sum = isa_and_nonnull<ir::AllReduceOp>(value.getDefiningOp());
      if (sum ? handsOver(value) == device : isa<BlockArgument>(value) && p_.passed.lookup(value) == device)
        leave(at, value, fetch(at, value, device, here));
    }
  }

  // A value on `device`: already here, an input of the function, a sum over devices, or received now.
  Value fetch(OpBuilder& at, Value v, StringAttr device, DenseMap<Value, Value>& here) {
    if (Value known = here.lookup(v)) return known;
    if (auto argument = dyn_cast<BlockArgument>(v)) {
      const unsigned number = argument.getArgNumber();
      auto start = function_.getArgAttrOfType<IntegerAttr>(number, kStart);
      auto input =
          ir::InputOp::create(at, v.getLoc(), v.getType(), function_.getArgAttrOfType<StringAttr>(number, kInput),
                              at.getI64IntegerAttr(start ? start.getInt() : 0));
      label(input, function_.getArgAttr(number, kMeaning));
      return here[v] = input.getValue();
    }
    Operation* definer = v.getDefiningOp();
    const Attribute meaning = definer->getDiscardableAttr(kMeaning);
    if (auto reduced = dyn_cast<ir::AllReduceOp>(definer)) {
      auto known = llvm::find_if(collectives_, [&](const Collective& c) { return c.op == reduced; });
      auto wait = ir::AllReduceWaitOp::create(at, v.getLoc(), v.getType(), at.getI64IntegerAttr(known->number));
      label(wait, meaning);
      return here[v] = wait.getSums()[0];
    }
    auto t = llvm::find_if(transfers_, [&](const Transfer& t) { return t.value == v && t.to == device; });
    auto recv =
        ir::RecvOp::create(at, v.getLoc(), v.getType(), p_.device.lookup(definer), at.getI64IntegerAttr(t->channel));
    label(recv, one_result(meaning, cast<OpResult>(v).getResultNumber()));
    return here[v] = recv.getValue();
  }
  static void label(Operation* op, Attribute meaning) {
    if (meaning) op->setDiscardableAttr(kMeaning, meaning);
  }

  ModuleOp module_;
  func::FuncOp function_;
  Partition p_;
  OpBuilder builder_;
  llvm::StringSet<>& symbols_;
  const int64_t check_id_;
  llvm::MapVector<Value, SmallVector<Output>> outputs_;
  SmallVector<Transfer> transfers_;
  SmallVector<Collective> collectives_;
};

// Operands that are read for their type only stop being uses of a value.
void drop_type_only(func::FuncOp function) {
  function.walk([&](ir::CutsetOpInterface op) {
    for (OpOperand& operand : op->getOpOperands()) {
      if (!op.opInfo().reads_type_only(operand.getOperandNumber())) continue;
      OpBuilder b(op);
      operand.set(ir::TypeOnlyOp::create(b, operand.get().getLoc(), operand.get().getType()));
    }
  });
  // What was computed for its type alone is computed no more.
  erase_dead(function.getBody().front());
}

// The host speaks to a function by the names of its inputs and outputs.
LogicalResult check_ports(func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (!function.getArgAttr(i, kInput)) return function.emitError() << "argument " << i << " has no " << kInput;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (!function.getResultAttr(i, kOutput)) return function.emitError() << "result " << i << " has no " << kOutput;
  return success();
}

struct Cut : ModulePass<Cut> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Cut)
  static constexpr const char* kFlag = "cut";
  static constexpr const char* kSummary = "Roles and schedules, with send and recv at the cut edges";

  LogicalResult run(ModuleOp module) {
    const int64_t check_id = next_id(module);
    llvm::StringSet<> symbols;
    for (Operation& op : *module.getBody())
      if (auto name = op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName())) symbols.insert(name.getValue());
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
      if (function.isExternal() || function->hasAttr("cutset.role")) continue;
      if (failed(check_ports(function))) return failure();
      drop_type_only(function);
      auto parts = partition(function);
      if (failed(parts) || failed(FunctionCutter(module, function, *std::move(parts), symbols, check_id).run()))
        return failure();
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
