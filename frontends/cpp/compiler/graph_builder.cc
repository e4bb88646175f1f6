// The compiler's side of the bridge: the builder appends MLIR operations directly; there is no second graph.
#include "frontends/cpp/bridge.h"
#include "frontends/cpp/compiler/compile.h"
#include "ir/structural/structural.h"
#include "mlir/IR/Verifier.h"
#include "passes/dump.h"

using namespace mlir;

namespace cutset {
namespace {

class MlirGraphBuilder : public GraphBuilder {
 public:
  MlirGraphBuilder() : context_(MLIRContext::Threading::DISABLED), builder_(&context_) {
    loadDialects(context_);
    graph_ = skeleton("graph", builder_);
    initial_ = skeleton("graph", initial_builder_);
  }

  Result<BuiltValue> input(const std::string& name, const TensorType& type, bool batched,
                           const OpOrigin& origin) override {
    if (Status ok = check_type(type); !ok) return at(origin, ok.error(), "input '" + name + "'");
    if (llvm::is_contained(input_names_, name))
      return at(origin, invalid_argument("there is an input '" + name + "' already"));
    input_names_.push_back(name);
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
                              const OpOrigin& origin) override {
    if (Status ok = check_type(type); !ok) return at(origin, ok.error(), "variable '" + name + "'");
    for (const char* taken : {"graph", "train", "evaluate"})
      if (name == taken)
        return at(origin, invalid_argument("a variable cannot be named '" + name + "', which is the name of a function",
                                           "choose another name"));
    if (graph_->lookupSymbol(name)) return at(origin, invalid_argument("there is a variable '" + name + "' already"));
    if (first) CUTSET_TRY(draw(name, type, *first, origin));
    OpBuilder top(function_of(*graph_));
    ir::VariableOp::create(top, location(origin), builder_.getStringAttr(name),
                           TypeAttr::get(ir::mlirType(&context_, type)), FlatSymbolRefAttr(), ArrayAttr());
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
    ScopedDiagnosticHandler handler(&context_, [&](Diagnostic& d) {
      if (message.empty()) message = d.str();
      return success();
    });
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
    ScopedDiagnosticHandler handler(&context_, [&](Diagnostic& d) {
      if (message.empty()) message = d.str();
      return success();
    });
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

  Status output(const std::string& name, int value) override {
    auto function = function_of(*graph_);
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (function.getResultAttrOfType<StringAttr>(i, passes::kOutput).getValue() == name)
        return invalid_argument("there is an output '" + name + "' already");
    add_output(*graph_, name, values_[static_cast<size_t>(value)]);
    return {};
  }

  Status minimize(const std::string& output, const std::string& optimizer, const Attributes& attributes) override {
    (*graph_)->setAttr(passes::kLoss, builder_.getStringAttr(output));
    SmallVector<NamedAttribute> all(ir::mlirAttributes(&context_, attributes).getValue());
    all.push_back(builder_.getNamedAttr("op", builder_.getStringAttr(optimizer)));
    (*graph_)->setAttr(passes::kOptimizer, builder_.getDictionaryAttr(all));
    return {};
  }

  std::string text() override { return passes::module_text(*graph_); }

  Result<CompileResult> compile(const CompileRequest& request) override {
    return compile_module(request.initializers ? *initial_ : *graph_, request);
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
    ScopedDiagnosticHandler handler(&context_, [&](Diagnostic& d) {
      if (message.empty()) message = d.str();
      return success();
    });
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
    add_output(*initial_, name, drawn);
    return {};
  }

  void add_output(ModuleOp module, const std::string& name, Value value) {
    auto function = function_of(module);
    Operation* end = function.getBody().front().getTerminator();
    Builder b(&context_);
    (void)function.insertResult(function.getNumResults(), value.getType(),
                                b.getDictionaryAttr(b.getNamedAttr(passes::kOutput, b.getStringAttr(name))));
    end->insertOperands(end->getNumOperands(), value);
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
  std::vector<std::string> input_names_;
  struct Scalar {
    std::string name;
    DType type;
    Feed feed;
    double initial;
    BuiltValue value;
  };
  std::vector<Scalar> scalars_;
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
