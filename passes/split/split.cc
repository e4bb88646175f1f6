// split: the batch over replicas (space) and shards (time); the parts of a sum meet in an all_reduce.
//
//   func @train(%x: tensor<61x8xf32>)            func @train(%x0: tensor<44x8xf32>, %x1: tensor<17x8xf32>)
//     %w = cutset.read @w                          %w0 = cutset.read @w        %w1 = cutset.read @w share 1
//     %y = cutset.mul %x, %w                  ->   %y0 = cutset.mul %x0, %w0   %y1 = cutset.mul %x1, %w1 share 1
//     %s = cutset.reduce_sum %y                    %p0 = reduce_sum %y0        %p1 = reduce_sum %y1
//     return %s                                    %s:2 = cutset.all_reduce %p0, %p1; return %s#0
//
// The batch (axis 0 of each input) is cut into `parts`; each part is computed by the replica it belongs to, the parts of
// one replica one after the other. Parts = replicas is data parallelism; one replica and many parts are micro-batches;
// `--deterministic` fixes the parts, so that neither the number of replicas nor that of threads changes a sum. Which op
// has rows and which has partial sums, its sharding rule says; no op is known by name but `accumulate`, `slice`, `concat`.
#include "ir/structural/structural.h"
#include "passes/passes.h"
#include "passes/place/groups.h"
#include "passes/split/meaning.h"
#include "passes/split/parts.h"
#include "passes/support/erase_dead.h"
#include "passes/support/infer_again.h"

using namespace mlir;
using cutset::ir::Build;

namespace cutset::passes {
namespace {

// Inputs that every replica has whole: scalars, and those that the user said have no batch axis.
bool is_whole(func::FuncOp function, unsigned argument) {
  return cast<RankedTensorType>(function.getArgument(argument).getType()).getRank() == 0 ||
         function.getArgAttr(argument, kUnbatched);
}

class Splitter {
 public:
  Splitter(func::FuncOp function, Parts parts) : function_(function), parts_(std::move(parts)), b_(function) {}
  LogicalResult run() {
    Block* old = &function_.getBody().front();
    Block* body = new Block;
    function_.getBody().push_back(body);
    b_.setInsertionPointToEnd(body);
    arguments(old, body);
    for (Operation& op : old->without_terminator())
      if (failed(visit(&op))) return failure();
    if (failed(results(old->getTerminator()))) return failure();
    for (Operation& op : *old) op.dropAllReferences();
    old->erase();
    erase_dead(*body);
    return success();
  }

 private:
  struct State {
    Layout layout = kWhole;
    SmallVector<Value> parts;  // a value a part, where the layout is not kWhole
    SmallVector<Value> whole;  // a value a replica; made when it is first wanted
    std::map<int, SmallVector<Value>> rows;
    Operation* origin = nullptr;
    StringAttr whole_since;  // the op that ended the split of what this was made of, and why
  };

  // Each input that has rows becomes an argument a part.
  void arguments(Block* old, Block* body) {
    SmallVector<DictionaryAttr> attributes;
    Builder b(function_.getContext());
    for (BlockArgument a : old->getArguments()) {
      State& state = states_[a];
      auto type = cast<RankedTensorType>(a.getType());
      DictionaryAttr given = function_.getArgAttrDict(a.getArgNumber());
      const int64_t number = meaning_of(given ? given.get(kMeaning) : Attribute(), 0).number;
      auto add = [&](RankedTensorType t, int64_t first, int64_t last, Layout layout, int64_t start) {
        NamedAttrList list(given);
        list.set(kMeaning, meaning_attribute(b.getContext(), number, first, last, -1, {layout}));
        if (layout == 0) list.set(kStart, b.getI64IntegerAttr(start));
        if (layout == 0) list.set(kRows, b.getI64IntegerAttr(type.getDimSize(0)));
        attributes.push_back(list.getDictionary(b.getContext()));
        return body->addArgument(t, a.getLoc());
      };
      if (is_whole(function_, a.getArgNumber())) {
        state.whole.assign(static_cast<size_t>(parts_.replicas), add(type, 0, 1, kWhole, 0));
        continue;
      }
      state.layout = 0;
      SmallVector<int64_t> shape(type.getShape());
      for (size_t p = 0; p < parts_.count(); ++p) {
        shape[0] = parts_.rows[p];
        state.parts.push_back(
            add(type.clone(shape), static_cast<int64_t>(p), static_cast<int64_t>(p) + 1, 0, parts_.start[p]));
      }
    }
    argument_attributes_ = std::move(attributes);
  }

  LogicalResult visit(Operation* op) {
    SmallVector<Layout> have;
    for (Value v : op->getOperands()) have.push_back(states_.at(v).layout);
    const OpLayout layout = layout_of(op, have);
    const size_t copies = layout.split ? parts_.count() : static_cast<size_t>(parts_.replicas);
    auto rules = dyn_cast<ir::CutsetOpInterface>(op);
    const bool sets = isa<ir::AssignOp>(op) || (rules && rules.opInfo().updates > 0);  // a variable
    const StringAttr whole_since = layout.split ? StringAttr() : ended(op, have);
    SmallVector<SmallVector<Value>> made(op->getNumResults());
    for (size_t c = 0; c < copies; ++c) {
      const int64_t replica = layout.split ? parts_.replica[c] : static_cast<int64_t>(c);
      if (isa<ir::ConstantOp, ir::TypeOnlyOp>(op) && c > 0) {  // has no device, so one will do
        made[0].push_back(made[0].front());
        continue;
      }
      SmallVector<Value> operands;  // what they need is made before the copy
      for (auto [i, v] : llvm::enumerate(op->getOperands())) {
        if (rules && rules.opInfo().reads_type_only(i))
          operands.push_back(typeOnly(v, layout.operands[i], c));
        else if (auto have = layout.operands[i] == kWhole ? whole(v, op) : parts(v, layout.operands[i], op);
                 failed(have))
          return failure();
        else
          operands.push_back(
              (*have)[layout.operands[i] != kWhole ? c : static_cast<size_t>(sets ? decides(v, replica) : replica)]);
      }
      Operation* copy = b_.clone(*op);
      copy->setOperands(operands);
      label(copy, op, replica, layout, c);
      if (rules && rules.opInfo().positional && layout.split) set_first_element(copy, parts_.start[c]);
      if (whole_since) copy->setDiscardableAttr(kWholeBecause, whole_since);
      if (auto infers = dyn_cast<InferTypeOpInterface>(copy); infers && failed(infer_again(infers)))
        return op->emitOpError("does not take its part of the batch");
      for (auto [r, value] : llvm::enumerate(copy->getResults())) made[r].push_back(value);
    }
    for (auto [r, value] : llvm::enumerate(op->getResults())) {
      State& state = states_[value];
      state.layout = layout.results[r];
      (state.layout == kWhole ? state.whole : state.parts) = made[r];
      state.origin = op;
      state.whole_since = whole_since;
    }
    return success();
  }

  // Why an op is computed whole although rows of the batch came into it, or into what it reads.
  StringAttr ended(Operation* op, ArrayRef<Layout> have) {
    auto rules = dyn_cast<ir::CutsetOpInterface>(op);
    if (!rules || rules.opInfo().updates > 0) return {};
    const std::string name = op->getName().stripDialect().str(), source = ir::sourceOf(op->getLoc());
    for (auto [i, layout] : llvm::enumerate(have))
      if (layout >= 0 && !(rules.opInfo().reads_type_only(i)))
        return b_.getStringAttr("'" + name + "' (" + source + ") has no rule that splits it by dimension " +
                                Twine(layout) + " of operand " + Twine(i) + ", which is the batch");
    for (Value v : op->getOperands())
      if (StringAttr since = states_.at(v).whole_since) return since;
    return {};
  }

  // Whose value of `v` the variable of `replica` takes. What each replica computes for itself may round otherwise on
  // another device, unless it is an update, which rounds alike everywhere; so the first one's is for all.
  int64_t decides(Value v, int64_t replica) const {
    auto rules = v.getDefiningOp<ir::CutsetOpInterface>();
    const bool computed = rules && rules.opInfo().updates == 0 && states_.at(v).layout == kWhole;
    return computed ? 0 : replica;
  }

  void label(Operation* copy, Operation* op, int64_t replica, const OpLayout& layout, size_t part) {
    if (auto placed = dyn_cast<ir::PlacedOpInterface>(copy)) placed.placement().share = replica;
    if (auto read = dyn_cast<ir::ReadOp>(copy)) read.setShare(replica);
    if (auto assign = dyn_cast<ir::AssignOp>(copy)) assign.setShare(replica);
    const auto first = layout.split ? static_cast<int64_t>(part) : 0;
    copy->setDiscardableAttr(
        kMeaning, meaning_attribute(copy->getContext(), number_of(op), first, layout.split ? first + 1 : all(),
                                    layout.factor, layout.results));
  }
  int64_t all() const { return static_cast<int64_t>(parts_.count()); }

  Value typeOnly(Value original, Layout layout, size_t part) {
    auto type = cast<RankedTensorType>(original.getType());
    SmallVector<int64_t> shape(type.getShape());
    if (layout >= 0) shape[static_cast<size_t>(layout)] = parts_.rows[part];
    return ir::TypeOnlyOp::create(b_, original.getLoc(), type.clone(shape));
  }

  // The value of each replica: as it is, summed up, or joined from its rows.
  FailureOr<ArrayRef<Value>> whole(Value original, Operation* wanted_by) {
    State& state = states_.at(original);
    if (!state.whole.empty()) return ArrayRef<Value>(state.whole);
    if (state.layout == kPartial) {
      if (failed(sum(original, state))) return failure();
    } else {
      for (int64_t r = 0; r < parts_.replicas; ++r) {
        Build build(b_, original.getLoc(), placementOf(state.origin, r, wanted_by));
        auto* join = build.op("concat", state.parts, {b_.getNamedAttr("axis", b_.getI64IntegerAttr(state.layout))});
        if (!join) return failure();
        join->setDiscardableAttr(kMeaning, meaningOfWhole(original, state));
        state.whole.push_back(join->getResult(0));
      }
    }
    return ArrayRef<Value>(state.whole);
  }

  // The rows of each part of a value that every replica has whole, or the parts as they are.
  FailureOr<ArrayRef<Value>> parts(Value original, Layout layout, Operation* wanted_by) {
    State& state = states_.at(original);
    if (state.layout == layout) return ArrayRef<Value>(state.parts);
    if (failed(whole(original, wanted_by))) return failure();
    SmallVector<Value>& rows = state.rows[layout];
    for (size_t p = rows.size(); p < parts_.count(); ++p) {
      Build build(b_, original.getLoc(), placementOf(state.origin, parts_.replica[p], wanted_by));
      auto number = [&](StringRef name, int64_t v) { return b_.getNamedAttr(name, b_.getI64IntegerAttr(v)); };
      Operation* part =
          build.op("slice", {state.whole[static_cast<size_t>(parts_.replica[p])]},
                   {number("axis", layout), number("start", parts_.start[p]), number("length", parts_.rows[p])});
      if (!part) return failure();
      const auto first = static_cast<int64_t>(p);
      part->setDiscardableAttr(kMeaning,
                               meaning_attribute(b_.getContext(), numberOf(original), first, first + 1, -1, {layout}));
      rows.push_back(part->getResult(0));
    }
    return ArrayRef<Value>(rows);
  }

  // The parts of one replica that the tree adds to each other first are added there; the rest crosses.
  LogicalResult sum(Value original, State& state) {
    SmallVector<Value> values;
    SmallVector<int64_t> ranges;
    gather(original, state, 0, all(), values, ranges);
    if (llvm::is_contained(values, Value())) return failure();
    if (parts_.replicas == 1) {
      state.whole = {values[0]};
      return success();
    }
    auto reduced = ir::AllReduceOp::create(b_, original.getLoc(),
                                           SmallVector<Type>(static_cast<size_t>(parts_.replicas), original.getType()),
                                           values, ranges);
    reduced->setDiscardableAttr(kMeaning, meaningOfWhole(original, state));
    state.whole.assign(reduced.getSums().begin(), reduced.getSums().end());
    return success();
  }
  void gather(Value original, State& state, int64_t first, int64_t last, SmallVector<Value>& values,
              SmallVector<int64_t>& ranges) {
    const auto local = [&](int64_t p) {
      return parts_.replica[static_cast<size_t>(p)] == parts_.replica[static_cast<size_t>(first)];
    };
    if (local(last - 1)) {  // replicas have consecutive parts
      values.push_back(tree(original, state, first, last));
      ranges.append({first, last});
      return;
    }
    const int64_t middle = first + (last - first + 1) / 2;
    gather(original, state, first, middle, values, ranges);
    gather(original, state, middle, last, values, ranges);
  }
  Value tree(Value original, State& state, int64_t first, int64_t last) {
    if (last - first == 1) return state.parts[static_cast<size_t>(first)];
    const int64_t middle = first + (last - first + 1) / 2;
    const Value left = tree(original, state, first, middle), right = tree(original, state, middle, last);
    Build build(b_, original.getLoc(), placementOf(state.origin, parts_.replica[static_cast<size_t>(first)]));
    Operation* add = build.op("accumulate", {left, right});
    if (!add) return {};
    add->setDiscardableAttr(
        kMeaning, meaning_attribute(b_.getContext(), numberOf(original), first, last, factorOf(original), {kPartial}));
    return add->getResult(0);
  }

  LogicalResult results(Operation* end) {
    SmallVector<Value> values;
    SmallVector<DictionaryAttr> attributes;
    SmallVector<Type> types;
    for (auto [i, v] : llvm::enumerate(end->getOperands())) {
      DictionaryAttr given = function_.getResultAttrDict(static_cast<unsigned>(i));
      if (State& state = states_.at(v); state.layout == 0) {
        for (size_t p = 0; p < parts_.count(); ++p) {
          NamedAttrList list(given);
          list.set(kStart, b_.getI64IntegerAttr(parts_.start[p]));
          list.set(kRows, b_.getI64IntegerAttr(cast<RankedTensorType>(v.getType()).getDimSize(0)));
          attributes.push_back(list.getDictionary(b_.getContext()));
          values.push_back(state.parts[p]);
        }
      } else if (auto sum = whole(v, end); succeeded(sum)) {
        values.push_back(sum->front());
        attributes.push_back(given);
      } else {
        return failure();
      }
    }
    func::ReturnOp::create(b_, end->getLoc(), values);
    for (Value v : values) types.push_back(v.getType());
    Block* body = b_.getInsertionBlock();
    function_.setType(FunctionType::get(b_.getContext(), body->getArgumentTypes(), types));
    function_.setAllArgAttrs(argument_attributes_);
    function_.setAllResultAttrs(attributes);
    return success();
  }

  // What a part or a join stands for: the op that made the value, or, where that has no placement (a read, a
  // sum, an argument), the op that wants it.
  static ir::Placement placementOf(Operation* made_by, int64_t replica, Operation* wanted_by = nullptr) {
    ir::Placement p;
    if (auto maker = dyn_cast_or_null<ir::PlacedOpInterface>(made_by))
      p = maker.placement();
    else if (auto user = dyn_cast_or_null<ir::PlacedOpInterface>(wanted_by))
      p = user.placement();
    p.share = replica;
    return p;
  }
  int64_t numberOf(Value original) {
    if (auto argument = dyn_cast<BlockArgument>(original)) return argument.getArgNumber();
    return number_of(original.getDefiningOp()) + cast<OpResult>(original).getResultNumber();
  }
  int factorOf(Value original) {
    Operation* op = original.getDefiningOp();
    SmallVector<Layout> have;
    for (Value v : op->getOperands()) have.push_back(states_.at(v).layout);
    return layout_of(op, have).factor;
  }
  DenseI64ArrayAttr meaningOfWhole(Value original, State& state) {
    return meaning_attribute(b_.getContext(), numberOf(original), 0, all(), -1,
                             SmallVector<Layout>(static_cast<size_t>(parts_.replicas), kWhole));
  }

  func::FuncOp function_;
  Parts parts_;
  OpBuilder b_;
  DenseMap<Value, State> states_;
  SmallVector<DictionaryAttr> argument_attributes_;
};

LogicalResult refuse_pins(ModuleOp module, int64_t replicas) {
  const auto walked = module.walk([&](ir::PlacedOpInterface op) {
    if (!op.placement().byUser()) return WalkResult::advance();
    op->emitOpError() << "is pinned to " << op.placement().device << ", but the op has a copy in each of " << replicas
                      << " replicas, which run on different devices (a pin names one device; leave it out, or use a "
                         "strategy without data)";
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

struct Split : ModulePass<Split> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Split)
  static constexpr const char* kFlag = "split";
  static constexpr const char* kSummary = "The batch over replicas and shards";
  Split() = default;
  Split(const Split& o) : ModulePass(o), device_options(o.device_options) {}
  Option<std::string> names{*this, "devices", llvm::cl::desc("cpu:0,opencl:0")};
  Option<std::string> strategy{*this, "strategy", llvm::cl::desc("data(2, shares=5:2) * model")};
  Option<int64_t> parts{*this, "parts",
                        llvm::cl::desc("cut the batch into so many, whatever the replicas; 0: one a replica"),
                        llvm::cl::init(0)};
  DeviceOptions device_options;

  LogicalResult run(ModuleOp module) {
    if (!names.empty()) device_options.devices = names, device_options.describe_only = true;
    auto refuse = [&](const Failure& e) {
      return module.emitError() << (e.hint.empty() ? e.what : e.what + " (" + e.hint + ")");
    };
    auto devices = describe_devices(device_options);
    if (!devices) return refuse(devices.error());
    auto parsed = parse_strategy(strategy, devices->size());
    if (!parsed) return refuse(parsed.error());
    if (failed(check_bodies(module))) return failure();
    if (parts < 0 || parts > ir::kMostReplicas)
      return module.emitError() << "the batch cannot be cut into " << parts << " parts; at most " << ir::kMostReplicas;
    if (parsed->replicas > ir::kMostReplicas)
      return module.emitError() << parsed->replicas << " replicas are too many; at most " << ir::kMostReplicas;
    for (auto function : module.getOps<func::FuncOp>()) number_values(function);
    if (parsed->replicas > 1 && failed(refuse_pins(module, parsed->replicas))) return failure();
    if (parsed->shares.empty()) parsed->shares = replica_speeds(module, *devices, parsed->replicas);
    module->setAttr(kStrategy, StringAttr::get(&getContext(), parsed->text()));
    module->setAttr(kReplicas, IntegerAttr::get(IntegerType::get(&getContext(), 64), parsed->replicas));
    if (parsed->replicas == 1 && parts == 0) return success();
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
      int64_t batch = -1;
      for (BlockArgument a : function.getArguments()) {
        if (is_whole(function, a.getArgNumber())) continue;
        const int64_t rows = cast<RankedTensorType>(a.getType()).getDimSize(0);
        if (batch >= 0 && rows != batch)
          return emitError(a.getLoc())
                 << "inputs of " << batch << " and " << rows
                 << " rows: data parallelism splits axis 0 of every input, which must be the batch (an input without "
                    "a batch axis says so: InputOptions{.batched = false})";
        batch = rows;
      }
      if (batch < 0) batch = 0;
      const Parts divided = divide(batch, *parsed, parts);
      const SmallVector<int64_t> sizes(divided.rows);
      if (failed(Splitter(function, divided).run())) return failure();
      function->setAttr(kShards, DenseI64ArrayAttr::get(&getContext(), sizes));
    }
    give_missing_ids(module);
    return success();
  }
};

}  // namespace

std::unique_ptr<Pass> createSplit(const SplitOptions& options) {
  auto pass = std::make_unique<Split>();
  pass->device_options = options.devices;
  pass->strategy = options.strategy;
  pass->parts = options.parts;
  return pass;
}

}  // namespace cutset::passes
