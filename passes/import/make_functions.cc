// SPDX-License-Identifier: Apache-2.0
// make-functions: makes the functions that a session runs from the graph that the user built.
//
//   func @graph(%x, %y) ->                                    func @train(%x, %y) -> ("loss", "z")
//     ("loss", "z", "logits" {function = "predict"})     ->   func @evaluate(%x, %y) -> ("loss", "z")
//                                                             func @predict(%x) -> ("logits")
//
// Each function gets the ops and the inputs that its results need, and the assignments that belong to it
// (passes/support/graph_functions.h). Functions that train use the first operand of a `when_training`, and
// all other functions the second. Every op gets an id first, so an op has the same id, and therefore the same
// device, in all functions, even if one function is compiled alone (CompileConfig::function). With the
// attribute `cutset.average`, each trainable variable gets a state that is its average. The functions that
// the attribute names read the average instead of the variable. The average of a variable of 16-bit floats is
// f32, and these functions convert it.
#include "ir/core/op/update_rules.h"
#include "ir/dialect/placed_builder.h"
#include "ir/structural/structural.h"
#include "llvm/ADT/StringSet.h"
#include "mlir/IR/IRMapping.h"
#include "passes/passes.h"
#include "passes/support/graph_functions.h"
#include "passes/support/next_id.h"

using namespace mlir;

namespace cutset::passes {

#define GEN_PASS_DEF_MAKEFUNCTIONS
#include "passes/passes.h.inc"

namespace {

struct MakeFunctions : ModulePass<MakeFunctions, impl::MakeFunctionsBase> {
  using ModulePass::ModulePass;

  LogicalResult run(ModuleOp module) {
    auto graph = module.lookupSymbol<func::FuncOp>("graph");
    if (!graph) return success();
    if (graph.isExternal()) return graph.emitError("the function @graph has no body");
    conversions_.clear();
    if (failed(make_averages(module, graph))) return failure();
    assign_ids(module, graph);
    remember_inputs(module, graph);
    const auto functions = functions_of(graph);
    if (failed(check_losses(graph))) return failure();
    for (auto assign : graph.getOps<ir::AssignOp>())
      if (failed(check_function(assign, functions))) return failure();
    const std::string& only = config.function;
    if (!only.empty() && !functions.contains(StringAttr::get(&getContext(), only)))
      return graph.emitError() << "the graph has no function '" << only << "'";
    if (auto averages = module->getAttrOfType<DictionaryAttr>(kAverage))
      for (auto name : averages.getAs<ArrayAttr>("functions").getAsRange<StringAttr>()) {
        const auto named = functions.find(name);
        if (named == functions.end())
          return graph.emitError() << "average_weights names the function " << name
                                   << ", which the graph does not have";
        if (named->second.trains)
          return graph.emitError() << "average_weights names the function " << name
                                   << ", which trains the variables and so cannot read their averages";
      }
    for (auto& [name, function] : functions)
      if (only.empty() || name.getValue() == only) slice(graph, name, function);
    for (auto function : module.getOps<func::FuncOp>())
      if (failed(read_averages(module, function))) return failure();
    graph.erase();
    return success();
  }

  // Fails if a function has several losses, or if its name is the name that minimize makes.
  static LogicalResult check_losses(func::FuncOp graph) {
    llvm::StringSet<> with_loss;
    for (unsigned i = 0; i < graph.getNumResults(); ++i) {
      const auto function = graph.getResultAttrOfType<StringAttr>(i, kFunction);
      const StringRef name = function ? function.getValue() : "train";
      if (graph.getResultAttr(i, kMinimize) && !with_loss.insert(name).second)
        return graph.emitError() << "the function '" << name << "' has several losses";
    }
    for (unsigned i = 0; i < graph.getNumResults(); ++i)
      if (auto function = graph.getResultAttrOfType<StringAttr>(i, kFunction);
          function && function == "train" && with_loss.contains("train"))
        return graph.emitError() << "a function cannot be named " << function
                                 << ", because minimize makes a function of this name";
    return success();
  }

  // Fails if the function that is to make the assignment does not train.
  static LogicalResult check_function(ir::AssignOp assign,
                                      const llvm::MapVector<StringAttr, GraphFunction>& functions) {
    if (assign.getMovedWith()) return success();
    const StringRef name = function_of(assign);
    if (functions.lookup(StringAttr::get(assign.getContext(), name)).trains) return success();
    auto error = assign.emitOpError() << "takes effect in '" << name << "', which this graph does not have ";
    if (llvm::none_of(functions, [](auto& function) { return function.second.trains; }))
      return error << "(call minimize)";
    return error << "(name the function of minimize that makes the assignment)";
  }

  // Makes the state that is the average of each variable that minimize may train.
  LogicalResult make_averages(ModuleOp module, func::FuncOp graph) {
    if (!module->hasAttr(kAverage)) return success();
    llvm::DenseSet<StringAttr> assigned;
    for (auto assign : graph.getOps<ir::AssignOp>()) assigned.insert(assign.getVariableAttr().getAttr());
    SymbolTable symbols(module);
    for (auto v : llvm::to_vector(module.getOps<ir::VariableOp>())) {
      auto type = cast<RankedTensorType>(v.getType());
      if (v.getFrozen() || assigned.contains(v.getSymNameAttr()) || !isa<FloatType>(type.getElementType()))
        continue;
      auto name = StringAttr::get(module.getContext(), v.getSymName() + "/" + kAverageName);
      if (Operation* other = symbols.lookup(name))
        return other->emitError() << "variable " << name << " has the name of the average of variable '"
                                  << v.getSymName() << "'; give it another name";
      OpBuilder before(v);
      const TensorType trained = *ir::tensor_type(type);
      const Type average = ir::mlir_type(module.getContext(), {update_type(trained.dtype), trained.shape});
      if (average != type) conversions_[name] = 0;
      symbols.insert(ir::VariableOp::create(
          before, v.getLoc(), name, TypeAttr::get(average), FlatSymbolRefAttr::get(v.getSymNameAttr()),
          ArrayAttr(), UnitAttr(), DenseI64ArrayAttr(), IntegerAttr(), FloatAttr(), before.getUnitAttr()));
    }
    return success();
  }

  // Makes a function read the averages of the variables, if the attribute `cutset.average` names the
  // function.
  LogicalResult read_averages(ModuleOp module, func::FuncOp function) {
    auto averages = module->getAttrOfType<DictionaryAttr>(kAverage);
    if (!averages || !llvm::is_contained(averages.getAs<ArrayAttr>("functions"), function.getNameAttr()))
      return success();
    const SymbolTable symbols(module);
    for (auto read : llvm::to_vector(function.getOps<ir::ReadOp>())) {
      auto average = symbols.lookup<ir::VariableOp>((read.getVariable() + "/" + kAverageName).str());
      if (!average || average.getStateOf() != read.getVariable()) continue;
      read.setVariable(average.getSymName());
      const auto of_variable = read.getValue().getType(), kept = cast<RankedTensorType>(average.getType());
      if (kept == of_variable) continue;
      OpBuilder after(read->getContext());
      after.setInsertionPointAfter(read);
      ir::PlacedBuilder build(after, read.getLoc(), {.id = conversions_.lookup(average.getSymNameAttr())});
      read.getValue().setType(kept);
      const Value rounded =
          build("cast", {read.getValue()}, {build.attribute("dtype", of_variable.getElementType())});
      if (!rounded) return failure();
      read.getValue().replaceAllUsesExcept(rounded, rounded.getDefiningOp());
    }
    return success();
  }

  // Gives every op an id, and also the conversion of each average to the type of its variable.
  void assign_ids(ModuleOp module, func::FuncOp graph) {
    int64_t next = next_id(module);
    graph.walk([&](ir::PlacedOpInterface op) {
      if (!op.placement().id) op.placement().id = next++;
    });
    for (auto& [average, id] : conversions_) id = next++;
    // The ops that `differentiate` makes get the same ids, whichever functions are compiled.
    module->setAttr(kNextId, Builder(graph.getContext()).getI64IntegerAttr(next));
  }

  // Records the names of all inputs, because a caller may also give shapes for inputs that no function needs.
  static void remember_inputs(ModuleOp module, func::FuncOp graph) {
    SmallVector<Attribute> names;
    for (unsigned i = 0; i < graph.getNumArguments(); ++i)
      if (auto name = graph.getArgAttrOfType<StringAttr>(i, kInput)) names.push_back(name);
    module->setAttr(kInputs, ArrayAttr::get(module.getContext(), names));
  }

  // Adds a function with the ops on which its results and assignments depend.
  static void slice(func::FuncOp graph, StringAttr name, const GraphFunction& listed) {
    Block& body = graph.getBody().front();
    const auto chosen = [&](Value v) { return chosen_value(v, listed.trains); };
    SmallVector<Value> returned;
    for (unsigned i : listed.results) returned.push_back(body.getTerminator()->getOperand(i));
    NeededOps needed = needed_by_results(graph, listed);
    for (ir::AssignOp assign : assignments_of(graph, name, listed, needed)) {
      add_needed(needed, assign.getValue(), listed.trains);
      needed.insert(assign);
    }
    SmallVector<Operation*> ops(needed.begin(), needed.end());
    llvm::sort(ops, [](Operation* a, Operation* b) { return a->isBeforeInBlock(b); });
    llvm::DenseSet<Value> arguments;
    const auto note_argument = [&](Value v) {
      if (isa<BlockArgument>(chosen(v))) arguments.insert(chosen(v));
    };
    llvm::for_each(returned, note_argument);
    for (Operation* op : ops) llvm::for_each(op->getOperands(), note_argument);

    OpBuilder b(graph);
    SmallVector<Type> types;
    SmallVector<DictionaryAttr> attributes, result_attributes;
    SmallVector<Value> inputs;
    for (BlockArgument a : body.getArguments())
      if (arguments.contains(a)) {
        inputs.push_back(a);
        types.push_back(a.getType());
        attributes.push_back(graph.getArgAttrDict(a.getArgNumber()));
      }
    for (unsigned i : listed.results) {
      NamedAttrList list(graph.getResultAttrDict(i));
      list.erase(kFunction);
      if (!listed.trains) list.erase(kMinimize);  // @evaluate also returns the loss
      result_attributes.push_back(list.getDictionary(b.getContext()));
    }
    auto function = func::FuncOp::create(b, graph.getLoc(), name.getValue(),
                                         b.getFunctionType(types, ValueRange(returned).getTypes()));
    function.setAllArgAttrs(attributes);
    function.setAllResultAttrs(result_attributes);
    Block* block = function.addEntryBlock();
    IRMapping map;
    for (auto [from, to] : llvm::zip(inputs, block->getArguments())) {
      map.map(from, to);
      to.setLoc(from.getLoc());
    }
    b.setInsertionPointToStart(block);
    for (Operation* op : ops) {
      for (Value v : op->getOperands()) map.map(v, map.lookup(chosen(v)));
      b.clone(*op, map);
    }
    make_in_turn(*block);
    SmallVector<Value> values;
    for (Value v : returned) values.push_back(map.lookup(chosen(v)));
    func::ReturnOp::create(b, body.getTerminator()->getLoc(), values);
  }

  // Lets each assignment of a variable read the value of the assignment before it, and keeps only the last
  // assignment.
  static void make_in_turn(Block& block) {
    llvm::MapVector<StringAttr, SmallVector<ir::AssignOp>> assignments;
    for (auto assign : block.getOps<ir::AssignOp>()) {
      assign.getMovedWithMutable().clear();
      assign.removeFunctionAttr();
      assignments[assign.getVariableAttr().getAttr()].push_back(assign);
    }
    for (auto& [variable, of_variable] : assignments)
      for (size_t i = 1; i < of_variable.size(); ++i) {
        read_instead(of_variable[i].getValue(), variable, of_variable[i - 1].getValue());
        of_variable[i - 1].erase();
      }
  }

  // Lets the ops after `instead` on which `value` depends read `instead` in place of the variable. They are
  // the ops of one call of a layer.
  static void read_instead(Value value, StringAttr variable, Value instead) {
    const auto is_after = [&](Operation* op) {
      return !instead.getDefiningOp() || instead.getDefiningOp()->isBeforeInBlock(op);
    };
    llvm::DenseSet<Operation*> seen;
    SmallVector<Operation*> work{value.getDefiningOp()};
    while (!work.empty()) {
      Operation* op = work.pop_back_val();
      if (!op || !is_after(op) || !seen.insert(op).second) continue;
      for (OpOperand& operand : op->getOpOperands()) {
        auto read = operand.get().getDefiningOp<ir::ReadOp>();
        if (read && read.getVariableAttr().getAttr() == variable)
          operand.set(instead);
        else
          work.push_back(operand.get().getDefiningOp());
      }
    }
  }

  // The averages that have another type than their variables, and the ids of the ops that convert them.
  llvm::MapVector<StringAttr, int64_t> conversions_;
};

}  // namespace

std::unique_ptr<Pass> create_make_functions(const CompileConfig& config) {
  return std::make_unique<MakeFunctions>(config);
}

}  // namespace cutset::passes
