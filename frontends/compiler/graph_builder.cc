// SPDX-License-Identifier: Apache-2.0
#include "frontends/compiler/graph_builder.h"

#include "frontends/compiler/compile.h"
#include "frontends/compiler/graph_results.h"
#include "frontends/compiler/graph_variables.h"
#include "frontends/compiler/resized_graph.h"
#include "ir/core/check_types.h"
#include "ir/structural/structural.h"
#include "llvm/ADT/StringSet.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "passes/inspect/dump.h"
#include "passes/pipeline.h"

using namespace mlir;

namespace cutset {
namespace {

class MlirGraphBuilder : public GraphBuilder {
 public:
  MlirGraphBuilder() : context_(MLIRContext::Threading::DISABLED), builder_(&context_) {
    load_dialects(context_);
    graph_ = ModuleOp::create(builder_.getUnknownLoc());
    OpBuilder b(graph_->getBodyRegion());
    function_ = func::FuncOp::create(b, b.getUnknownLoc(), "graph", b.getFunctionType({}, {}));
    b.setInsertionPointToEnd(function_.addEntryBlock());
    end_ = func::ReturnOp::create(b, b.getUnknownLoc());
    builder_.setInsertionPoint(end_);
    results_.emplace(function_, end_);
    variables_.emplace(function_, builder_, std::vector<InitializedVariable>(), false);
  }
  explicit MlirGraphBuilder(const GraphContents& copied)
      : context_(MLIRContext::Threading::DISABLED), builder_(&context_), scalars_(copied.scalars) {
    load_dialects(context_);
    graph_ = parseSourceString<ModuleOp>(copied.bytecode, ParserConfig(&context_));
    function_ = graph_->lookupSymbol<func::FuncOp>("graph");
    end_ = cast<func::ReturnOp>(function_.front().getTerminator());
    results_.emplace(function_, end_);
    builder_.setInsertionPoint(end_);
    values_ = values_at(function_, copied.values);
    variables_.emplace(function_, builder_, copied.initialized, true);
    is_copy_ = true;
  }

  Result<BuiltValue> input(const std::string& name, const TensorType& type, std::optional<int> batch,
                           bool several_rows, const OpSource& source) override {
    if (is_copy_) return input_of_copy(name, source);
    if (Status ok = check_type(type); !ok) return at(source, ok.error(), "input '" + name + "'");
    if (batch && (*batch < 0 || *batch >= std::max(type.rank(), 1)))
      return at(source, invalid_argument("input '" + name + "' is " + to_string(type) +
                                             ", and its batch dimension is " + std::to_string(*batch),
                                         "name a dimension from 0 on, or std::nullopt if it has no batch"));
    if (several_rows && (!batch || type.rank() == 0))
      return at(source, invalid_argument(
                            "input '" + name + "' has no batch, so a sample cannot have several rows of it",
                            "set batch_dimension, or leave several_rows_per_sample out"));
    if (!input_names_.insert(name).second)
      return at(source, invalid_argument("there is an input '" + name + "' already"));
    const unsigned index = function_.getNumArguments();
    Builder b(&context_);
    SmallVector<NamedAttribute> attributes{b.getNamedAttr(passes::kInput, b.getStringAttr(name))};
    if (type.rank() > 0 && batch != 0)
      attributes.push_back(b.getNamedAttr(passes::kBatchDimension, b.getI64IntegerAttr(batch.value_or(-1))));
    if (several_rows) attributes.push_back(b.getNamedAttr(passes::kSeveralRows, b.getUnitAttr()));
    (void)function_.insertArgument(index, ir::mlir_type(&context_, type), b.getDictionaryAttr(attributes),
                                   location(source));
    return add(function_.getArgument(index));
  }

  Result<BuiltValue> scalar(const std::string& name, DType type, Feed feed, double initial,
                            const OpSource& source) override {
    const TensorType scalar{type, {}};
    for (const Scalar& s : scalars_) {
      if (s.name != name) continue;
      if (s.type == type && s.feed == feed && s.initial == initial) return s.value;
      return at(source,
                invalid_argument("hyper-parameter '" + name + "' exists already, as " + name_of(s.type) +
                                     " with the initial value " + std::to_string(s.initial),
                                 "use the same type and value, or another name"));
    }
    CUTSET_ASSIGN(const BuiltValue value, input(name, scalar, 0, false, source));
    const unsigned index = function_.getNumArguments() - 1;
    if (feed == Feed::kStep)
      function_.setArgAttr(index, passes::kStep, builder_.getUnitAttr());
    else
      function_.setArgAttr(index, passes::kHyperParameter, builder_.getF64FloatAttr(initial));
    scalars_.push_back({name, type, feed, initial, value});
    return value;
  }

  Result<BuiltValue> variable(const std::string& name, const TensorType& type,
                              const std::optional<FirstValue>& first, bool trainable,
                              const OpSource& source) override {
    if (Status ok = check_type(type); !ok) return at(source, ok.error(), "variable '" + name + "'");
    if (results_->is_function(name))
      return at(source, invalid_argument(
                            "a variable cannot be named '" + name + "', because a function has that name",
                            "give the variable another name"));
    return at(source, variables_->declare(name, type, first, trainable, location(source)));
  }

  Result<BuiltValue> constant(const TensorType& type, std::span<const unsigned char> bytes,
                              const OpSource& source) override {
    if (Status status = check_type(type); !status.ok()) return at(source, status.error());
    if (type.dtype == DType::i1)
      return at(source, unsupported("a constant of i1 is not supported",
                                    "make it by a comparison of two constants of another type"));
    const ArrayRef<char> raw(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const auto value = DenseElementsAttr::getFromRawBuffer(ir::mlir_type(&context_, type), raw);
    std::string message;
    ScopedDiagnosticHandler handler(&context_, first_message(message));
    auto op = ir::ConstantOp::create(builder_, location(source), value);
    if (succeeded(verify(op))) return add(op);
    op.erase();
    return at(source, invalid_argument(message));
  }

  Result<BuiltValue> type_only(const TensorType& type, const OpSource& source) override {
    return add(ir::TypeOnlyOp::create(builder_, location(source), ir::mlir_type(&context_, type)));
  }

  Result<std::vector<BuiltValue>> append(const std::string& name, const std::vector<int>& operands,
                                         const Attributes& attributes, const OpSource& source) override {
    const OpInfo* info = find_op(name);
    if (!info) return at(source, invalid_argument("no op named '" + name + "'", "see cutset ops"));
    SmallVector<Value> values;
    for (int id : operands) values.push_back(values_[static_cast<size_t>(id)]);
    std::string message;
    ScopedDiagnosticHandler handler(&context_, first_message(message));
    SmallVector<Type> types;
    if (failed(ir::infer_types(*info, location(source), values, attributes, types)))
      return at(source, invalid_argument(message));
    OperationState state(location(source), "cutset." + name);
    state.addOperands(values);
    state.addTypes(types);
    state.propertiesAttr = ir::mlir_attributes(&context_, attributes);
    Operation* op = builder_.create(state);
    auto& placement = cast<ir::PlacedOpInterface>(op).placement();
    if (!source.device.empty()) {
      placement.device = builder_.getStringAttr(source.device);
      placement.reason = builder_.getStringAttr("user");
    }
    std::vector<BuiltValue> results;
    for (Value r : op->getResults()) results.push_back(add(r));
    return results;
  }

  Status output(const std::string& name, int value, const OpSource& source) override {
    return at(source, results_->add_output(name, value_of(value)));
  }

  Status function(const std::string& name, const std::vector<int>& inputs,
                  const std::vector<std::pair<std::string, int>>& outputs, const OpSource& source) override {
    std::vector<Value> inputs_of_call, fed;
    std::vector<std::pair<std::string, Value>> returned;
    for (const int id : inputs) inputs_of_call.push_back(value_of(id));
    for (const Scalar& s : scalars_) fed.push_back(value_of(s.value.id));
    for (const auto& [output, id] : outputs) returned.emplace_back(output, value_of(id));
    return at(source, results_->add_function(name, inputs_of_call, fed, returned));
  }

  Status minimize(const Minimization& minimization, const OpSource& source) override {
    return at(source, results_->add_loss(minimization, value_of(minimization.loss)));
  }

  Status assign(int variable, int value, const std::string& function, const OpSource& source) override {
    return at(source, variables_->assign(value_of(variable), value_of(value), function, location(source)));
  }

  Status move(int variable, int value, int moved_with, const OpSource& source) override {
    return at(source,
              variables_->move(value_of(variable), value_of(value), value_of(moved_with), location(source)));
  }

  Result<BuiltValue> when_training(int training, int otherwise, const OpSource& source) override {
    const Value value = values_[static_cast<size_t>(training)],
                other = values_[static_cast<size_t>(otherwise)];
    if (value.getType() != other.getType())
      return at(source, invalid_argument("when_training chooses between " +
                                             to_string(*ir::tensor_type(value.getType())) + " and " +
                                             to_string(*ir::tensor_type(other.getType())),
                                         "both values need the same type"));
    return add(ir::WhenTrainingOp::create(builder_, location(source), value, other));
  }

  Status shard(int variable, int dimension, const OpSource& source) override {
    return at(source, variables_->shard(value_of(variable), dimension));
  }

  std::vector<std::string> trainable() override { return variables_->trainable(); }
  void freeze(const std::vector<std::string>& names) override { variables_->freeze(names); }

  void clip_gradients(std::optional<double> value, std::optional<double> norm) override {
    if (value) (*graph_)->setAttr(passes::kClipValue, builder_.getF64FloatAttr(*value));
    if (norm) (*graph_)->setAttr(passes::kClipNorm, builder_.getF64FloatAttr(*norm));
  }
  void average_weights(double decay, const std::vector<std::string>& functions) override {
    const SmallVector<StringRef> names(functions.begin(), functions.end());
    (*graph_)->setAttr(
        passes::kAverage,
        builder_.getDictionaryAttr({builder_.getNamedAttr("decay", builder_.getF64FloatAttr(decay)),
                                    builder_.getNamedAttr("functions", builder_.getStrArrayAttr(names))}));
  }

  BuildMark mark() override { return {next()->getPrevNode(), values_.size()}; }
  void rewind(const BuildMark& mark) override {
    values_.resize(mark.values);
    while (next()->getPrevNode() != mark.last_op) {
      Operation* op = next()->getPrevNode();
      if (auto read = dyn_cast<ir::ReadOp>(op); read && !is_copy_) variables_->forget(read.getVariable());
      op->erase();
    }
  }

  std::string text() override { return passes::module_text(*graph_); }

  std::shared_ptr<const BuiltSnapshot> snapshot() override {
    return make_snapshot(
        {bytecode_of(*graph_), variables_->initialized(), places_of(function_, values_), scalars_});
  }
  std::unique_ptr<ResizedGraph> resized(const std::map<std::string, Shape>& input_shapes,
                                        const std::string& only) {
    return resize_graph(*this, function_, values_, builder_, input_shapes, only);
  }

 private:
  // Returns an input of a copy. The copy has all inputs already, because a model that is imported again makes
  // the same inputs.
  Result<BuiltValue> input_of_copy(const std::string& name, const OpSource& source) {
    const auto id = id_of_input(function_, values_, name);
    if (!id) return at(source, execution_failed("the graph has no input '" + name + "'"));
    return BuiltValue{static_cast<int>(*id), *ir::tensor_type(values_[*id].getType())};
  }

  // Returns the op before which ops are inserted.
  Operation* next() { return &*builder_.getInsertionPoint(); }

  Location location(const OpSource& source) {
    Location line = FileLineColLoc::get(&context_, source.file, static_cast<unsigned>(source.line), 1);
    return source.layer.empty() ? line : Location(NameLoc::get(builder_.getStringAttr(source.layer), line));
  }
  Value value_of(int id) const { return values_[static_cast<size_t>(id)]; }
  Status at(const OpSource& source, const Status& status) {
    return status.ok() ? status : Status(at(source, status.error()));
  }
  Result<BuiltValue> at(const OpSource& source, const Result<Value>& value) {
    if (!value) return at(source, value.error());
    return add(*value);
  }
  Failure at(const OpSource& source, Failure failure, const std::string& of = "") {
    failure.source = ir::source_of(location(source));
    if (!of.empty()) failure.what = of + ": " + failure.what;
    return failure;
  }
  BuiltValue add(Value v) {
    values_.push_back(v);
    return {static_cast<int>(values_.size()) - 1, *ir::tensor_type(v.getType())};
  }

  MLIRContext context_;
  OpBuilder builder_;
  OwningOpRef<ModuleOp> graph_;
  func::FuncOp function_;  // holds the whole graph; the pass make-functions divides it
  func::ReturnOp end_;
  std::vector<Value> values_;
  std::vector<Scalar> scalars_;
  bool is_copy_ = false;  // whether it builds a copy for other shapes (ResizedGraph)
  llvm::StringSet<> input_names_;
  std::optional<GraphResults> results_;
  std::optional<GraphVariables> variables_;
};

class MlirCompiler : public Compiler {
  std::unique_ptr<GraphBuilder> builder() override { return std::make_unique<MlirGraphBuilder>(); }
  std::vector<std::string> phases() override { return {passes::phases().begin(), passes::phases().end()}; }
};

}  // namespace

Result<GraphCopy> copy_of(const GraphContents& graph, const std::map<std::string, Shape>& input_shapes,
                          const std::string& function) {
  auto builder = std::make_unique<MlirGraphBuilder>(graph);
  GraphCopy copy;
  copy.resized = builder->resized(input_shapes, function);
  copy.builder = std::move(builder);
  return copy;
}

}  // namespace cutset

extern "C" cutset::Compiler* cutset_compiler_open(int version) {
  static cutset::MlirCompiler compiler;
  return version == cutset::kBridgeVersion ? &compiler : nullptr;
}
