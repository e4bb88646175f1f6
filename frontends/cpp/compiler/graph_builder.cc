// The compiler's side of the bridge: the builder appends MLIR operations directly; there is no second graph.
#include "frontends/cpp/bridge.h"
#include "frontends/cpp/compiler/compile.h"
#include "ir/structural/structural.h"
#include "llvm/ADT/StringSet.h"
#include "mlir/IR/Verifier.h"
#include "passes/dump.h"

using namespace mlir;

namespace cutset {
namespace {

class MlirGraphSnapshot : public GraphSnapshot {
 public:
  MlirGraphSnapshot(std::string graph, std::string initial) : graph_(std::move(graph)), initial_(std::move(initial)) {}
  Result<CompileResult> compile(const CompileRequest& request) const override {
    return compile_bytecode(request.initializers ? initial_ : graph_, request);
  }

 private:
  std::string graph_, initial_;  // bytecode
};

class MlirGraphBuilder : public GraphBuilder {
 public:
  MlirGraphBuilder() : context_(MLIRContext::Threading::DISABLED), builder_(&context_) {
    loadDialects(context_);
    graph_ = skeleton("graph", builder_);
    initial_ = skeleton("graph", initial_builder_);
    for (StringRef name : {"graph", "train", "evaluate"}) function_names_.insert(name);
  }

  Result<BuiltValue> input(const std::string& name, const TensorType& type, bool batched,
                           const OpOrigin& origin) override {
    if (Status ok = check_type(type); !ok) return at(origin, ok.error(), "input '" + name + "'");
    if (!input_names_.insert(name).second)
      return at(origin, invalid_argument("there is an input '" + name + "' already"));
    auto function = function_of(*graph_);
    const unsigned index = function.getNumArguments();
    Builder b(&context_);
    SmallVector<NamedAttribute> attributes{b.getNamedAttr(passes::kInput, b.getStringAttr(name))};
    if (!batched) attributes.push_back(b.getNamedAttr(passes::kUnbatched, b.getUnitAttr()));
    (void)function.insertArgument(index, ir::mlirType(&context_, type), b.getDictionaryAttr(attributes),
                                  location(origin));
    return add(function.getArgument(index));
  }

  Result<BuiltValue> scalar(const std::string& name, DType type, Feed feed, double initial,
                            const OpOrigin& origin) override {
    const TensorType scalar{type, {}};
    for (const Scalar& s : scalars_) {
      if (s.name != name) continue;
      if (s.type == type && s.feed == feed && s.initial == initial) return s.value;
      return at(origin, invalid_argument("hyper-parameter '" + name + "' is there already, as " + name_of(s.type) +
                                             " with the first value " + std::to_string(s.initial),
                                         "use the same type and value, or another name"));
    }
    CUTSET_ASSIGN(const BuiltValue value, input(name, scalar, true, origin));
    auto function = function_of(*graph_);
    const unsigned index = function.getNumArguments() - 1;
    if (feed == Feed::kStep)
      function.setArgAttr(index, passes::kStep, builder_.getUnitAttr());
    else
      function.setArgAttr(index, passes::kHyperParameter, builder_.getF64FloatAttr(initial));
    scalars_.push_back({name, type, feed, initial, value});
    return value;
  }

  Result<BuiltValue> variable(const std::string& name, const TensorType& type, const std::optional<FirstValue>& first,
                              bool trainable, const OpOrigin& origin) override {
    if (Status ok = check_type(type); !ok) return at(origin, ok.error(), "variable '" + name + "'");
    if (function_names_.contains(name))
      return at(origin, invalid_argument("a variable cannot be named '" + name + "', because a function has that name",
                                         "give the variable another name"));
    if (variables_.contains(name)) return at(origin, invalid_argument("there is a variable '" + name + "' already"));
    if (first) CUTSET_TRY(draw(name, type, *first, origin));
    OpBuilder top(function_of(*graph_));
    variables_[name] = ir::VariableOp::create(top, location(origin), builder_.getStringAttr(name),
                                              TypeAttr::get(ir::mlirType(&context_, type)), FlatSymbolRefAttr(),
                                              ArrayAttr(), trainable ? UnitAttr() : builder_.getUnitAttr());
    Value v = ir::ReadOp::create(builder_, location(origin), ir::mlirType(&context_, type),
                                 FlatSymbolRefAttr::get(&context_, name));
    return add(v);
  }

  Result<BuiltValue> constant(const TensorType& type, std::span<const unsigned char> bytes,
                              const OpOrigin& origin) override {
    if (Status status = check_type(type); !status.ok()) return at(origin, status.error());
    if (type.dtype == DType::i1)
      return at(origin, unsupported("a constant of i1 is not supported", "compare constants of another type"));
    const ArrayRef<char> raw(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const auto value = DenseElementsAttr::getFromRawBuffer(ir::mlirType(&context_, type), raw);
    std::string message;
    ScopedDiagnosticHandler handler(&context_, first_message(message));
    auto op = ir::ConstantOp::create(builder_, location(origin), value);
    if (succeeded(verify(op))) return add(op);
    op.erase();
    return at(origin, invalid_argument(message));
  }

  Result<BuiltValue> type_only(const TensorType& type, const OpOrigin& origin) override {
    return add(ir::TypeOnlyOp::create(builder_, location(origin), ir::mlirType(&context_, type)));
  }

  Result<std::vector<BuiltValue>> append(const std::string& name, const std::vector<int>& operands,
                                         const Attributes& attributes, const OpOrigin& origin) override {
    const OpInfo* info = find_op(name);
    if (!info) return at(origin, invalid_argument("no op named '" + name + "'", "see cutset ops"));
    SmallVector<Value> values;
    for (int id : operands) values.push_back(values_[static_cast<size_t>(id)]);
    std::string message;
    ScopedDiagnosticHandler handler(&context_, first_message(message));
    DictionaryAttr inherent = ir::mlirAttributes(&context_, attributes);
    SmallVector<Type> types;
    if (failed(ir::inferTypes(*info, location(origin), values, inherent, types)))
      return at(origin, invalid_argument(message));
    SmallVector<NamedAttribute> all(inherent.begin(), inherent.end());
    ir::Placement placement;
    if (!origin.device.empty())
      placement.device = builder_.getStringAttr(origin.device), placement.reason = builder_.getStringAttr("user");
    all.push_back(builder_.getNamedAttr("placement", ir::convertToAttribute(&context_, placement)));
    OperationState state(location(origin), "cutset." + name);
    state.addOperands(values);
    state.addTypes(types);
    state.propertiesAttr = builder_.getDictionaryAttr(all);
    Operation* op = builder_.create(state);
    std::vector<BuiltValue> results;
    for (Value r : op->getResults()) results.push_back(add(r));
    return results;
  }

  Status output(const std::string& name, int value, const OpOrigin& origin) override {
    if (!output_names_.insert(name).second)
      return at(origin, invalid_argument("there is an output '" + name + "' already"));
    add_result(*graph_, name, values_[static_cast<size_t>(value)]);
    return {};
  }

  Status function(const std::string& name, const std::vector<int>& inputs,
                  const std::vector<std::pair<std::string, int>>& outputs, const OpOrigin& origin) override {
    auto refuse = [&](const std::string& what, const std::string& hint = "") {
      return at(origin, invalid_argument(what, hint));
    };
    if (name == "graph" || name == "train")
      return refuse("a function cannot be named '" + name + "'",
                    name == "train" ? "minimize() makes 'train'; it returns what output() names" : "");
    if (user_functions_.contains(name)) return refuse("there is a function '" + name + "' already");
    if (variables_.contains(name))
      return refuse("a function cannot be named '" + name + "', because a variable has that name");
    if (outputs.empty()) return refuse("the function '" + name + "' has no output");
    DenseSet<Value> given;
    for (const Scalar& s : scalars_) given.insert(values_[static_cast<size_t>(s.value.id)]);  // the session feeds them
    for (int id : inputs) {
      const Value v = values_[static_cast<size_t>(id)];
      if (!isa<BlockArgument>(v))
        return refuse("an input of the function '" + name + "' is not an input of the graph",
                      "pass what Graph::input returned");
      if (!given.insert(v).second)
        return refuse("the function '" + name + "' lists the input '" + input_name(v) + "' twice");
    }
    llvm::StringSet<> names;
    DenseSet<Operation*> seen;
    for (const auto& [output, id] : outputs) {
      if (!names.insert(output).second) return refuse("the function '" + name + "' has two outputs '" + output + "'");
      if (const std::string missing = missing_input(values_[static_cast<size_t>(id)], given, seen); !missing.empty())
        return refuse("the output '" + output + "' of the function '" + name + "' depends on the input '" + missing +
                          "', which the function does not list",
                      "add it to the function's inputs, or compute the output without it");
    }
    user_functions_.insert(name), function_names_.insert(name);
    for (const auto& [output, id] : outputs) add_result(*graph_, output, values_[static_cast<size_t>(id)], name);
    return {};
  }

  Status assign(int variable, int value, const OpOrigin& origin) override {
    auto read = values_[static_cast<size_t>(variable)].getDefiningOp<ir::ReadOp>();
    if (!read)
      return at(origin, invalid_argument("assign needs a variable, and this tensor is not one",
                                         "pass what Graph::variable returned"));
    const std::string name = read.getVariable().str();
    const Value v = values_[static_cast<size_t>(value)];
    if (v.getType() != read.getValue().getType())
      return at(origin, invalid_argument("the variable '" + name + "' is " +
                                         to_string(*ir::tensorType(read.getValue().getType())) +
                                         ", the value assigned to it " + to_string(*ir::tensorType(v.getType()))));
    if (!assigned_.insert(name).second)
      return at(origin,
                invalid_argument("the variable '" + name + "' is assigned already", "a step assigns a variable once"));
    ir::AssignOp::create(builder_, location(origin), read.getVariableAttr(), v);
    return {};
  }

  Status minimize(const std::string& output, const std::string& optimizer, const Attributes& attributes) override {
    (*graph_)->setAttr(passes::kLoss, builder_.getStringAttr(output));
    SmallVector<NamedAttribute> all(ir::mlirAttributes(&context_, attributes).getValue());
    all.push_back(builder_.getNamedAttr("op", builder_.getStringAttr(optimizer)));
    (*graph_)->setAttr(passes::kOptimizer, builder_.getDictionaryAttr(all));
    return {};
  }

  BuildMark mark() override { return {builder_.getInsertionBlock()->getTerminator()->getPrevNode(), values_.size()}; }
  void rewind(const BuildMark& mark) override {
    Operation* end = builder_.getInsertionBlock()->getTerminator();
    values_.resize(mark.values);
    while (end->getPrevNode() != mark.last_op) {
      Operation* op = end->getPrevNode();
      if (auto read = dyn_cast<ir::ReadOp>(op)) forget(read.getVariable());
      op->erase();
    }
  }

  std::string text() override { return passes::module_text(*graph_); }

  std::shared_ptr<const GraphSnapshot> snapshot() override {
    return std::make_shared<MlirGraphSnapshot>(bytecode_of(*graph_), bytecode_of(*initial_));
  }

 private:
  OwningOpRef<ModuleOp> skeleton(StringRef name, OpBuilder& inside) {
    OwningOpRef<ModuleOp> module(ModuleOp::create(builder_.getUnknownLoc()));
    OpBuilder b(module->getBodyRegion());
    auto function = func::FuncOp::create(b, b.getUnknownLoc(), name, b.getFunctionType({}, {}));
    Block* body = function.addEntryBlock();
    b.setInsertionPointToEnd(body);
    auto end = func::ReturnOp::create(b, b.getUnknownLoc());
    inside.setInsertionPoint(end);
    return module;
  }
  static func::FuncOp function_of(ModuleOp module) { return *module.getOps<func::FuncOp>().begin(); }

  // The op whose result is the first value of a variable, as an output of the program that draws them all.
  Status draw(const std::string& name, const TensorType& type, const FirstValue& first, const OpOrigin& origin) {
    std::string message;
    ScopedDiagnosticHandler handler(&context_, first_message(message));
    const DictionaryAttr inherent = ir::mlirAttributes(&context_, first.attributes);
    auto like = ir::TypeOnlyOp::create(initial_builder_, location(origin), ir::mlirType(&context_, type));
    ir::Build build(initial_builder_, location(origin), {});
    Value step = build.constant(initial_builder_.getI64Type(), 0);  // training begins with step 1
    Value drawn = build(first.op, {like, step}, SmallVector<NamedAttribute>(inherent.begin(), inherent.end()));
    if (!drawn) {
      step.getDefiningOp()->erase();
      like.erase();
      return at(origin, invalid_argument(message), "variable '" + name + "'");
    }
    add_result(*initial_, name, drawn);
    return {};
  }

  // `function` empty: a result of the graph.
  void add_result(ModuleOp module, const std::string& name, Value value, const std::string& function = "") {
    auto graph = function_of(module);
    Operation* end = graph.getBody().front().getTerminator();
    Builder b(&context_);
    NamedAttrList attributes;
    attributes.set(passes::kOutput, b.getStringAttr(name));
    if (!function.empty()) attributes.set(passes::kFunction, b.getStringAttr(function));
    (void)graph.insertResult(graph.getNumResults(), value.getType(), attributes.getDictionary(&context_));
    end->insertOperands(end->getNumOperands(), value);
  }

  std::string input_name(Value argument) {
    return function_of(*graph_)
        .getArgAttrOfType<StringAttr>(cast<BlockArgument>(argument).getArgNumber(), passes::kInput)
        .str();
  }
  // An input that `value` depends on and that is not among `given`; empty: none. What was `seen` needs no other look.
  std::string missing_input(Value value, const DenseSet<Value>& given, DenseSet<Operation*>& seen) {
    SmallVector<Value> work{value};
    while (!work.empty()) {
      const Value v = work.pop_back_val();
      if (isa<BlockArgument>(v)) {
        if (!given.contains(v)) return input_name(v);
      } else if (seen.insert(v.getDefiningOp()).second) {
        llvm::append_range(work, v.getDefiningOp()->getOperands());
      }
    }
    return {};
  }

  // Of a variable that goes again: its symbol and its first value, which is the last of those drawn.
  void forget(StringRef name) {
    variables_.lookup(name).erase();
    variables_.erase(name);
    auto function = function_of(*initial_);
    Operation* end = function.getBody().front().getTerminator();
    if (!end->getNumOperands()) return;
    const unsigned last = end->getNumOperands() - 1;
    if (function.getResultAttrOfType<StringAttr>(last, passes::kOutput) != name) return;
    Operation* drawn = end->getOperand(last).getDefiningOp();
    SmallVector<Operation*> operands;  // the tensor that it is like, and the step
    for (Value v : drawn->getOperands()) operands.push_back(v.getDefiningOp());
    end->eraseOperand(last);
    (void)function.eraseResult(last);
    drawn->erase();
    for (Operation* op : operands) op->erase();
  }

  static std::function<LogicalResult(Diagnostic&)> first_message(std::string& message) {
    return [&message](Diagnostic& d) {
      if (message.empty()) message = d.str();
      return success();
    };
  }

  Location location(const OpOrigin& origin) {
    Location line = FileLineColLoc::get(&context_, origin.file, static_cast<unsigned>(origin.line), 1);
    return origin.scope.empty() ? line : Location(NameLoc::get(builder_.getStringAttr(origin.scope), line));
  }
  Failure at(const OpOrigin& origin, Failure failure, const std::string& of = "") {
    failure.where = ir::sourceOf(location(origin));
    if (!of.empty()) failure.what = of + ": " + failure.what;
    return failure;
  }
  BuiltValue add(Value v) {
    values_.push_back(v);
    return {static_cast<int>(values_.size()) - 1, *ir::tensorType(v.getType())};
  }

  MLIRContext context_;
  OpBuilder builder_, initial_builder_{&context_};
  OwningOpRef<ModuleOp> graph_, initial_;
  std::vector<Value> values_;
  struct Scalar {
    std::string name;
    DType type;
    Feed feed;
    double initial;
    BuiltValue value;
  };
  std::vector<Scalar> scalars_;
  llvm::StringMap<ir::VariableOp> variables_;
  llvm::StringSet<> input_names_, output_names_, user_functions_, assigned_;
  llvm::StringSet<> function_names_;  // that a variable cannot have
};

class MlirCompiler : public Compiler {
  std::unique_ptr<GraphBuilder> builder() override { return std::make_unique<MlirGraphBuilder>(); }
};

}  // namespace
}  // namespace cutset

extern "C" cutset::Compiler* cutset_compiler_open(int version) {
  static cutset::MlirCompiler compiler;
  return version == cutset::kBridgeVersion ? &compiler : nullptr;
}
