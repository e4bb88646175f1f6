// SPDX-License-Identifier: Apache-2.0
#include "frontends/compiler/list_function.h"

#include "frontends/compiler/compile.h"
#include "ir/structural/structural.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/Parser/Parser.h"
#include "passes/emit/constants.h"
#include "passes/pipeline.h"

using namespace mlir;

namespace cutset {
namespace {

// Runs the phase `import` on the module, and returns the result of `f` for the module.
template <class T, class F>
Result<T> after_import(const std::string& bytecode, CompileConfig config, F f) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  load_dialects(context);
  std::optional<Failure> failure;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic& d) {
    if (d.getSeverity() == DiagnosticSeverity::Error && !failure) {
      failure = invalid_argument(d.str());
      failure->source = ir::source_of(d.getLocation());
    }
    return success();
  });
  config.last_phase = "import";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(bytecode, ParserConfig(&context));
  if (!module || failed(passes::run_phases(*module, config)))
    return failure.value_or(execution_failed("the compiler failed without an error message"));
  return f(*module);
}

class Lister {
 public:
  Result<ListedFunction> list(ModuleOp module, func::FuncOp function) {
    list_.name = function.getName().str();
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (function.getResultAttr(i, passes::kMinimize)) list_.trains = true;
    for (auto v : module.getOps<ir::VariableOp>()) {
      Variable& variable = list_.variables.emplace_back();
      variable.name = v.getSymName().str();
      variable.type = *ir::tensor_type(v.getType());
      variable.state_of = v.getStateOf().value_or("").str();
      variable.starts_as_owner = v.getStartsAsOwner();
    }
    for (BlockArgument argument : function.getArguments()) add_input(function, argument);
    for (Operation& op : function.getBody().front().without_terminator()) CUTSET_TRY(add_op(op));
    for (auto [i, v] : llvm::enumerate(function.getBody().front().getTerminator()->getOperands()))
      list_.outputs.emplace_back(
          function.getResultAttrOfType<StringAttr>(static_cast<unsigned>(i), passes::kOutput).str(),
          numbers_.at(v));
    return std::move(list_);
  }

 private:
  int number(Value v) {
    list_.types.push_back(*ir::tensor_type(v.getType()));
    return numbers_[v] = static_cast<int>(list_.types.size()) - 1;
  }

  void add_input(func::FuncOp function, BlockArgument argument) {
    const unsigned i = argument.getArgNumber();
    ListedInput& input = list_.inputs.emplace_back();
    input.name = function.getArgAttrOfType<StringAttr>(i, passes::kInput).str();
    input.value = number(argument);
    if (list_.types.back().rank() > 0) {
      const auto dimension = function.getArgAttrOfType<IntegerAttr>(i, passes::kBatchDimension);
      if (!dimension || dimension.getInt() >= 0)
        input.batch_dimension = dimension ? static_cast<int>(dimension.getInt()) : 0;
    }
    input.several_rows = function.getArgAttr(i, passes::kSeveralRows) != nullptr;
    input.fed = function.getArgAttr(i, passes::kStep) || function.getArgAttr(i, passes::kHyperParameter);
  }

  Status add_op(Operation& op) {
    ListedOp& listed = list_.ops.emplace_back();
    listed.name = op.getName().stripDialect().str();
    listed.source = ir::source_of(op.getLoc());
    listed.layer = ir::layer_of(op.getLoc());
    if (auto read = dyn_cast<ir::ReadOp>(op)) {
      listed.variable = read.getVariable().str();
    } else if (auto constant = dyn_cast<ir::ConstantOp>(op)) {
      CUTSET_ASSIGN(Constant elements, passes::constant_of(constant, 0));
      listed.elements =
          std::make_shared<const HostTensor>(std::move(elements.type), std::move(elements.bytes));
    } else if (isa<ir::PlacedOpInterface>(op)) {
      listed.attributes = ir::attributes_of(&op);
    }
    for (Value v : op.getOperands()) listed.operands.push_back(numbers_.at(v));
    for (Value v : op.getResults()) listed.results.push_back(number(v));
    return {};
  }

  ListedFunction list_;
  DenseMap<Value, int> numbers_;
};

}  // namespace

Result<std::vector<std::string>> functions_of_bytecode(const std::string& bytecode) {
  return after_import<std::vector<std::string>>(bytecode, {},
                                                [](ModuleOp module) -> Result<std::vector<std::string>> {
                                                  std::vector<std::string> names;
                                                  for (auto function : module.getOps<func::FuncOp>())
                                                    names.push_back(function.getName().str());
                                                  return names;
                                                });
}

Result<ListedFunction> list_function(const std::string& bytecode, const std::string& function,
                                     const std::map<std::string, Shape>& input_shapes) {
  CompileConfig config;
  config.function = function;
  config.input_shapes = input_shapes;
  return after_import<ListedFunction>(bytecode, config, [&](ModuleOp module) -> Result<ListedFunction> {
    auto found = module.lookupSymbol<func::FuncOp>(function);
    if (!found) return invalid_argument("the graph has no function '" + function + "'");
    return Lister().list(module, found);
  });
}

}  // namespace cutset
