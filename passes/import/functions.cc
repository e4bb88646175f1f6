// functions: from the one graph the user built, the functions a session runs, each with the ops and inputs it needs.
//
//   func @graph(%x, %y) ->                                    func @train(%x, %y) -> ("loss", "z")
//     ("loss", "z", "logits" {function = "predict"})     ->   func @evaluate(%x, %y) -> ("loss", "z")
//                                                             func @predict(%x) -> ("logits")
//
// @train is there where the module has an optimizer; it alone has the assignments. A result without a function
// belongs to @train, and to @evaluate unless the graph says what that returns. Every op gets a stable id first, so
// an op is placed alike in all functions, and alike when one function is compiled alone (`only`).
#include "ir/structural/structural.h"
#include "mlir/IR/IRMapping.h"
#include "passes/passes.h"
#include "passes/support/next_id.h"

using namespace mlir;

namespace cutset::passes {
namespace {

struct Functions : ModulePass<Functions> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Functions)
  static constexpr const char* kFlag = "functions";
  static constexpr const char* kSummary = "Make @train, @evaluate and the user's functions of @graph";
  Functions() = default;
  Functions(const Functions& o) : ModulePass(o) {}
  Option<std::string> only{*this, "only", llvm::cl::desc("make this function alone")};

  using Results = SmallVector<unsigned>;

  LogicalResult run(ModuleOp module) {
    auto graph = module.lookupSymbol<func::FuncOp>("graph");
    if (!graph) return success();
    if (graph.isExternal()) return graph.emitError("the function @graph has no body");
    number(module, graph);
    remember_inputs(module, graph);
    Results shared;
    llvm::MapVector<StringAttr, Results> own;
    for (unsigned i = 0; i < graph.getNumResults(); ++i) {
      auto function = graph.getResultAttrOfType<StringAttr>(i, kFunction);
      (function ? own[function] : shared).push_back(i);
    }
    Builder b(&getContext());
    llvm::MapVector<StringAttr, Results> functions;
    const bool trains = module->hasAttr(kLoss);
    const StringAttr train = b.getStringAttr("train"), evaluate = b.getStringAttr("evaluate");
    if (trains) functions[train] = shared;
    if (!own.contains(evaluate) && (!shared.empty() || own.empty())) functions[evaluate] = shared;
    for (auto& [name, results] : own)
      if (!functions.try_emplace(name, results).second)
        return graph.emitError() << "the function " << name << " is made by the module's optimizer";
    for (auto assign : graph.getOps<ir::AssignOp>())
      if (!trains)
        return assign.emitOpError() << "takes effect in 'train', which this graph does not have (call minimize)";
    if (!only.empty() && !functions.contains(b.getStringAttr(only)))
      return graph.emitError() << "the graph has no function '" << only << "'";
    for (auto& [name, results] : functions)
      if (only.empty() || name.getValue() == StringRef(only)) slice(graph, name, results, name == train);
    graph.erase();
    return success();
  }

  static void number(ModuleOp module, func::FuncOp graph) {
    int64_t next = next_id(module);
    graph.walk([&](ir::PlacedOpInterface op) {
      if (!op.placement().id) op.placement().id = next++;
    });
    // What `differentiate` makes has the same ids whichever functions are compiled.
    module->setAttr(kNextId, Builder(graph.getContext()).getI64IntegerAttr(next));
  }

  // An input that no function needs is still a name that the caller may use.
  static void remember_inputs(ModuleOp module, func::FuncOp graph) {
    SmallVector<Attribute> names;
    for (unsigned i = 0; i < graph.getNumArguments(); ++i)
      if (auto name = graph.getArgAttrOfType<StringAttr>(i, kInput)) names.push_back(name);
    module->setAttr(kInputs, ArrayAttr::get(module.getContext(), names));
  }

  // A function of what some results of the graph, and the assignments, depend on.
  static void slice(func::FuncOp graph, StringAttr name, ArrayRef<unsigned> results, bool assigns) {
    Block& body = graph.getBody().front();
    llvm::SetVector<Operation*> needed;
    llvm::DenseSet<Value> arguments;
    SmallVector<Value> work, returned;
    auto want = [&](Value v) {
      if (isa<BlockArgument>(v))
        arguments.insert(v);
      else if (needed.insert(v.getDefiningOp()))
        llvm::append_range(work, v.getDefiningOp()->getOperands());
    };
    for (unsigned i : results) returned.push_back(body.getTerminator()->getOperand(i));
    work = returned;
    if (assigns)
      for (auto assign : body.getOps<ir::AssignOp>()) needed.insert(assign), work.push_back(assign.getValue());
    while (!work.empty()) want(work.pop_back_val());
    SmallVector<Operation*> ops(needed.begin(), needed.end());
    llvm::sort(ops, [](Operation* a, Operation* b) { return a->isBeforeInBlock(b); });

    OpBuilder b(graph);
    SmallVector<Type> types;
    SmallVector<DictionaryAttr> attributes, of_results;
    SmallVector<Value> taken;
    for (BlockArgument a : body.getArguments())
      if (arguments.contains(a))
        taken.push_back(a), types.push_back(a.getType()), attributes.push_back(graph.getArgAttrDict(a.getArgNumber()));
    for (unsigned i : results) {
      NamedAttrList list(graph.getResultAttrDict(i));
      list.erase(kFunction);
      of_results.push_back(list.getDictionary(b.getContext()));
    }
    auto function = func::FuncOp::create(b, graph.getLoc(), name.getValue(),
                                         b.getFunctionType(types, ValueRange(returned).getTypes()));
    function.setAllArgAttrs(attributes);
    function.setAllResultAttrs(of_results);
    Block* block = function.addEntryBlock();
    IRMapping map;
    for (auto [from, to] : llvm::zip(taken, block->getArguments())) map.map(from, to), to.setLoc(from.getLoc());
    b.setInsertionPointToStart(block);
    for (Operation* op : ops) b.clone(*op, map);
    SmallVector<Value> values;
    for (Value v : returned) values.push_back(map.lookup(v));
    func::ReturnOp::create(b, body.getTerminator()->getLoc(), values);
  }
};

}  // namespace

std::unique_ptr<Pass> createFunctions(const std::string& only) {
  auto pass = std::make_unique<Functions>();
  pass->only = only;
  return pass;
}

}  // namespace cutset::passes
