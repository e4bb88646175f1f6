// split: the batch over replicas (space) and shards (time); the parts of a sum meet in an all_reduce.
//
//   func @train(%x: tensor<61x8xf32>)            func @train(%x0: tensor<44x8xf32>, %x1: tensor<17x8xf32>)
//     %w = cutset.read @w                          %w0 = cutset.read @w        %w1 = cutset.read @w share 1
//     %y = cutset.mul %x, %w                  ->   %y0 = cutset.mul %x0, %w0   %y1 = cutset.mul %x1, %w1 share 1
//     %s = cutset.reduce_sum %y                    %p0 = reduce_sum %y0        %p1 = reduce_sum %y1
//     return %s                                    %s:2 = cutset.all_reduce %p0, %p1; return %s#0
//
// One pass for every split of the batch. The batch (axis 0 of each input) is cut into `parts`; each part is
// computed by the replica it belongs to, the parts of one replica one after the other. Parts = replicas is
// data parallelism; one replica and many parts are micro-batches; `--deterministic` fixes the parts, so that
// neither the number of replicas nor that of threads changes a sum. Which op has rows and which has partial
// sums, its sharding rule says; no op is known by name but the structural `accumulate`, `part` and `join`.
#include "graph/strategy.h"
#include "ir/structural/structural.h"
#include "passes/passes.h"
#include "passes/place/groups.h"
#include "passes/split/meaning.h"
#include "passes/support/erase_dead.h"
#include "passes/support/infer_again.h"

using namespace mlir;
using cutset::ir::Build;

namespace cutset::passes {
namespace {

// Which rows each part has, and which replica computes it. A part has rows, unless the batch is empty.
struct Parts {
  int64_t replicas = 1;
  SmallVector<int64_t> start, rows, replica;
  size_t count() const { return rows.size(); }
};

Parts divide(int64_t batch, const Strategy& strategy, int64_t fixed_parts) {
  Parts parts;
  parts.replicas = strategy.replicas;
  auto add = [&](int64_t rows, int64_t replica) {
    const int64_t start = parts.count() ? parts.start.back() + parts.rows.back() : 0;
    if (rows > 0) parts.start.push_back(start), parts.rows.push_back(rows), parts.replica.push_back(replica);
  };
  if (fixed_parts > 0) {
    const auto sizes = apportion(batch, std::vector<double>(static_cast<size_t>(fixed_parts), 1.0));
    const auto of_replica = apportion(llvm::count_if(sizes, [](int64_t n) { return n > 0; }), strategy.shares);
    size_t next = 0;
    for (size_t r = 0; r < of_replica.size(); ++r)
      for (int64_t i = 0; i < of_replica[r]; ++i) add(sizes[next++], static_cast<int64_t>(r));
  } else {
    const auto sizes = apportion(batch, strategy.shares);
    for (size_t r = 0; r < sizes.size(); ++r) add(sizes[r], static_cast<int64_t>(r));
  }
  if (!parts.count()) parts.start = {0}, parts.rows = {0}, parts.replica = {0};
  return parts;
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
    results(old->getTerminator());
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
      if (type.getRank() == 0) {
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
        else if (layout.operands[i] == kWhole)
          operands.push_back(whole(v, op)[static_cast<size_t>(replica)]);
        else
          operands.push_back(parts(v, layout.operands[i], op)[c]);
      }
      Operation* copy = b_.clone(*op);
      copy->setOperands(operands);
      label(copy, op, replica, layout, c);
      if (rules && rules.opInfo().positional && layout.split) setFirstElement(copy, parts_.start[c]);
      if (auto infers = dyn_cast<InferTypeOpInterface>(copy); infers && failed(infer_again(infers)))
        return op->emitOpError() << "does not take " << parts_.rows[c] << " samples of the batch";
      for (auto [r, value] : llvm::enumerate(copy->getResults())) made[r].push_back(value);
    }
    for (auto [r, value] : llvm::enumerate(op->getResults())) {
      State& state = states_[value];
      state.layout = layout.results[r];
      (state.layout == kWhole ? state.whole : state.parts) = made[r];
      state.origin = op;
    }
    return success();
  }

  // Where in the whole tensor the rows of a shard begin, for an op whose numbers depend on it.
  static void setFirstElement(Operation* copy, int64_t row) {
    auto type = cast<RankedTensorType>(copy->getResult(0).getType());
    const int64_t each = type.getDimSize(0) ? type.getNumElements() / type.getDimSize(0) : 0;
    auto before = copy->getAttrOfType<IntegerAttr>("first_element");
    copy->setAttr("first_element", IntegerAttr::get(IntegerType::get(copy->getContext(), 64),
                                                    (before ? before.getInt() : 0) + row * each));
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
  ArrayRef<Value> whole(Value original, Operation* wanted_by) {
    State& state = states_.at(original);
    if (!state.whole.empty()) return state.whole;
    if (state.layout == kPartial) {
      sum(original, state);
    } else {
      for (int64_t r = 0; r < parts_.replicas; ++r) {
        Build build(b_, original.getLoc(), placementOf(state.origin ? state.origin : wanted_by, r));
        Operation* join = build.op("join", state.parts, {b_.getNamedAttr("axis", b_.getI64IntegerAttr(state.layout))});
        join->setDiscardableAttr(kMeaning, meaningOfWhole(original, state));
        state.whole.push_back(join->getResult(0));
      }
    }
    return state.whole;
  }

  // The rows of each part of a value that every replica has whole, or the parts as they are.
  ArrayRef<Value> parts(Value original, Layout layout, Operation* wanted_by) {
    State& state = states_.at(original);
    if (state.layout == layout) return state.parts;
    whole(original, wanted_by);
    SmallVector<Value>& rows = state.rows[layout];
    for (size_t p = rows.size(); p < parts_.count(); ++p) {
      Build build(b_, original.getLoc(), placementOf(state.origin ? state.origin : wanted_by, parts_.replica[p]));
      auto number = [&](StringRef name, int64_t v) { return b_.getNamedAttr(name, b_.getI64IntegerAttr(v)); };
      Operation* part =
          build.op("part", {state.whole[static_cast<size_t>(parts_.replica[p])]},
                   {number("axis", layout), number("start", parts_.start[p]), number("rows", parts_.rows[p])});
      const auto first = static_cast<int64_t>(p);
      part->setDiscardableAttr(kMeaning,
                               meaning_attribute(b_.getContext(), numberOf(original), first, first + 1, -1, {layout}));
      rows.push_back(part->getResult(0));
    }
    return rows;
  }

  // The parts of one replica that the tree adds to each other first are added there; the rest crosses.
  void sum(Value original, State& state) {
    SmallVector<Value> values;
    SmallVector<int64_t> ranges;
    gather(original, state, 0, all(), values, ranges);
    if (parts_.replicas == 1) {
      state.whole = {values[0]};
      return;
    }
    auto reduced = ir::AllReduceOp::create(b_, original.getLoc(),
                                           SmallVector<Type>(static_cast<size_t>(parts_.replicas), original.getType()),
                                           values, ranges);
    reduced->setDiscardableAttr(kMeaning, meaningOfWhole(original, state));
    state.whole.assign(reduced.getSums().begin(), reduced.getSums().end());
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
    add->setDiscardableAttr(
        kMeaning, meaning_attribute(b_.getContext(), numberOf(original), first, last, factorOf(original), {kPartial}));
    return add->getResult(0);
  }

  void results(Operation* end) {
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
      } else {
        values.push_back(whole(v, end)[0]);
        attributes.push_back(given);
      }
    }
    func::ReturnOp::create(b_, end->getLoc(), values);
    for (Value v : values) types.push_back(v.getType());
    Block* body = b_.getInsertionBlock();
    function_.setType(FunctionType::get(b_.getContext(), body->getArgumentTypes(), types));
    function_.setAllArgAttrs(argument_attributes_);
    function_.setAllResultAttrs(attributes);
  }

  static ir::Placement placementOf(Operation* op, int64_t replica) {
    ir::Placement p;
    if (auto placed = dyn_cast_or_null<ir::PlacedOpInterface>(op)) p = placed.placement();
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
    for (auto function : module.getOps<func::FuncOp>()) number_values(function);
    if (parsed->shares.empty()) parsed->shares = speeds(module, *devices, parsed->replicas);
    module->setAttr(kStrategy, StringAttr::get(&getContext(), parsed->text()));
    module->setAttr(kReplicas, IntegerAttr::get(IntegerType::get(&getContext(), 64), parsed->replicas));
    if (parsed->replicas == 1 && parts == 0) return success();
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
      int64_t batch = -1;
      for (Type type : function.getArgumentTypes()) {
        auto tensor = cast<RankedTensorType>(type);
        if (tensor.getRank() == 0) continue;
        if (batch >= 0 && tensor.getDimSize(0) != batch)
          return function.emitError()
                 << "inputs of " << batch << " and " << tensor.getDimSize(0)
                 << " rows: data parallelism splits axis 0 of every input, which must be the batch";
        batch = tensor.getDimSize(0);
      }
      if (batch < 0) batch = 0;
      const Parts divided = divide(batch, *parsed, parts);
      SmallVector<int64_t> sizes(divided.rows);
      if (failed(Splitter(function, divided).run())) return failure();
      function->setAttr(kShards, DenseI64ArrayAttr::get(&getContext(), sizes));
    }
    return success();
  }

  // How fast each replica's devices run the whole program, by the planner's numbers.
  static std::vector<double> speeds(ModuleOp module, const DeviceList& devices, int64_t replicas) {
    std::vector<double> seconds(devices.size(), 0), speed(static_cast<size_t>(replicas), 0);
    if (replicas == 1) return {1};
    for (const Group& group : collect_groups(module, devices))
      for (size_t d = 0; d < devices.size(); ++d) seconds[d] += group.seconds[d];
    const size_t each = devices.size() / static_cast<size_t>(replicas);
    for (size_t d = 0; d < devices.size(); ++d)
      if (std::isfinite(seconds[d]) && seconds[d] > 0) speed[d / each] += 1 / seconds[d];
    const double fastest = *std::max_element(speed.begin(), speed.end());
    if (!(fastest > 0)) return std::vector<double>(speed.size(), 1.0);
    for (double& s : speed) s /= fastest;
    return speed;
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
