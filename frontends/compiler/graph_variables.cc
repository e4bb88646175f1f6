// SPDX-License-Identifier: Apache-2.0
#include "frontends/compiler/graph_variables.h"

#include "ir/core/op/op_info.h"
#include "passes/passes.h"

using namespace mlir;

namespace cutset {
namespace {

// Returns the ReadOp whose result is `variable`. `use` names the method that needs
// it.
Result<ir::ReadOp> read_of(Value variable, const std::string& use) {
  if (auto read = variable.getDefiningOp<ir::ReadOp>()) return read;
  return invalid_argument(use + " needs a variable, but the tensor is not a variable",
                          "pass a Tensor that Graph::variable returned");
}

// Returns the ReadOp whose result is `variable`. Fails if the variable cannot get the
// value.
Result<ir::ReadOp> assignable(Value variable, Value value) {
  CUTSET_ASSIGN(ir::ReadOp read, read_of(variable, "assign"));
  if (value.getType() == read.getValue().getType()) return read;
  return invalid_argument("the variable '" + read.getVariable().str() + "' is " +
                          to_string(*ir::tensor_type(read.getValue().getType())) +
                          ", but the value assigned to it is " +
                          to_string(*ir::tensor_type(value.getType())));
}

}  // namespace

GraphVariables::GraphVariables(func::FuncOp function, OpBuilder& builder,
                               std::vector<InitializedVariable> initialized, bool is_copy)
    : function_(function), builder_(builder), initialized_(std::move(initialized)), is_copy_(is_copy) {
  for (auto v : cast<ModuleOp>(function_->getParentOp()).getOps<ir::VariableOp>())
    variables_[v.getSymName()] = v;
}

Value GraphVariables::read(const std::string& name, const TensorType& type, Location source) {
  MLIRContext* context = builder_.getContext();
  return ir::ReadOp::create(builder_, source, ir::mlir_type(context, type),
                            FlatSymbolRefAttr::get(context, name));
}

Result<Value> GraphVariables::declare(const std::string& name, const TensorType& type,
                                      const std::optional<FirstValue>& first, bool trainable,
                                      Location source) {
  if (is_copy_) return declared_in_copy(name, type, first, source);
  if (variables_.contains(name))
    return invalid_argument("there is a variable '" + name + "' already",
                            "give the layer or the variable another name; to share weights, make the layer "
                            "once and call it several times: nn::Dense fc(\"fc\", 10); fc(x); fc(y); "
                            "Graph::variable returns a variable by its name");
  if (first) {
    if (Status fits = first->elements ? Status() : check_drawn(first->drawn, type); !fits) {
      Failure failure = fits.error();
      failure.what = "variable '" + name + "': " + failure.what;
      return failure;
    }
    initialized_.push_back({name, type, *first});
  }
  OpBuilder top(function_);
  variables_[name] = ir::VariableOp::create(
      top, source, builder_.getStringAttr(name), TypeAttr::get(ir::mlir_type(builder_.getContext(), type)),
      FlatSymbolRefAttr(), ArrayAttr(), trainable ? UnitAttr() : builder_.getUnitAttr(), DenseI64ArrayAttr(),
      IntegerAttr(), FloatAttr(), UnitAttr());
  return read(name, type, source);
}

// A copy of the graph has all variables already. If a model is imported again into the copy, it must make the
// same variables.
Result<Value> GraphVariables::declared_in_copy(const std::string& name, const TensorType& type,
                                               const std::optional<FirstValue>& first, Location source) {
  auto variable = cast_or_null<ir::VariableOp>(variables_.lookup(name));
  if (!variable || *ir::tensor_type(variable.getType()) != type || !has_elements(initialized_, name, first))
    return unsupported("the variable '" + name + "' is another one for inputs of these sizes",
                       "import the model for these sizes");
  return read(name, type, source);
}

Status GraphVariables::assign(Value variable, Value value, const std::string& function, Location source) {
  CUTSET_ASSIGN(ir::ReadOp read, assignable(variable, value));
  const std::string name = read.getVariable().str();
  if (!assigned_.insert(function + " " + name).second)
    return invalid_argument("the variable '" + name + "' is assigned already in '" + function + "'",
                            "a step assigns a variable once");
  auto assignment = ir::AssignOp::create(builder_, source, read.getVariableAttr(), value);
  if (function != "train") assignment.setFunction(function);
  return {};
}

Status GraphVariables::move(Value variable, Value value, Value moved_with, Location source) {
  CUTSET_ASSIGN(ir::ReadOp read, assignable(variable, value));
  if (is_copy_) {  // a model that is imported again makes the same calls of move()
    SmallVector<ir::AssignOp> moves;
    for (auto assign : function_.getOps<ir::AssignOp>())
      if (assign.getVariable() == read.getVariable()) moves.push_back(assign);
    const size_t number = moved_again_[read.getVariable()]++;
    if (number >= moves.size()) return {};
    moves[number].getValueMutable().assign(value);
    moves[number].getMovedWithMutable().assign(moved_with);
    return {};
  }
  auto assignment = ir::AssignOp::create(builder_, source, read.getVariableAttr(), value);
  assignment.getMovedWithMutable().assign(moved_with);
  return {};
}

Status GraphVariables::shard(Value variable, int dimension) {
  CUTSET_ASSIGN(ir::ReadOp read, read_of(variable, "shard"));
  const std::string name = read.getVariable().str();
  auto divided = cast<ir::VariableOp>(variables_.at(name));
  const int64_t rank = cast<RankedTensorType>(divided.getType()).getRank();
  if (dimension < 0 || dimension >= rank)
    return invalid_argument("the variable '" + name + "' has " + std::to_string(rank) +
                            " dimensions, and there is no dimension " + std::to_string(dimension));
  if (divided.getDividedAttr()) return invalid_argument("the variable '" + name + "' has a sharding already");
  divided.setDividedAttr(builder_.getI64IntegerAttr(dimension));
  return {};
}

std::vector<std::string> GraphVariables::trainable() {
  std::vector<std::string> names;
  for (auto v : cast<ModuleOp>(function_->getParentOp()).getOps<ir::VariableOp>())
    if (!v.getFrozen() && isa<FloatType>(cast<RankedTensorType>(v.getType()).getElementType()))
      names.push_back(v.getSymName().str());
  return names;
}

void GraphVariables::freeze(const std::vector<std::string>& names) {
  for (const std::string& name : names) cast<ir::VariableOp>(variables_.lookup(name)).setFrozen(true);
}

void GraphVariables::forget(StringRef name) {
  variables_.lookup(name)->erase();
  variables_.erase(name);
  if (!initialized_.empty() && initialized_.back().name == name) initialized_.pop_back();
}

}  // namespace cutset
