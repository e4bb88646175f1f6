// SPDX-License-Identifier: Apache-2.0
#include "frontends/compiler/graph_results.h"

#include "frontends/compiler/graph_values.h"
#include "ir/structural/structural.h"
#include "passes/passes.h"

using namespace mlir;

namespace cutset {
namespace {

ArrayAttr strings(Builder& b, const std::vector<std::string>& texts) {
  return b.getStrArrayAttr(SmallVector<StringRef>(texts.begin(), texts.end()));
}

// Returns the attribute `cutset.minimize` of a loss.
DictionaryAttr minimize_attribute(MLIRContext* context, const Minimization& m) {
  Builder b(context);
  NamedAttrList settings(ir::mlir_attributes(context, m.attributes));
  settings.set("op", b.getStringAttr(m.optimizer));
  if (m.variables) settings.set("variables", strings(b, *m.variables));
  SmallVector<Attribute> groups;
  for (const VariableGroup& group : m.groups) {
    NamedAttrList of_group(ir::mlir_attributes(context, group.hyper_parameters));
    of_group.set("name", b.getStringAttr(group.name));
    of_group.set("variables", strings(b, group.variables));
    groups.push_back(of_group.getDictionary(context));
  }
  if (!groups.empty()) settings.set("groups", b.getArrayAttr(groups));
  return settings.getDictionary(context);
}

}  // namespace

GraphResults::GraphResults(func::FuncOp graph, func::ReturnOp end) : graph_(graph), end_(end) {
  for (StringRef name : {"graph", "train", "evaluate"}) reserved_.insert(name);
}

void GraphResults::add(const std::string& name, Value value, const std::string& function) {
  Builder b(graph_.getContext());
  NamedAttrList attributes;
  attributes.set(passes::kOutput, b.getStringAttr(name));
  if (!function.empty()) attributes.set(passes::kFunction, b.getStringAttr(function));
  (void)graph_.insertResult(graph_.getNumResults(), value.getType(),
                            attributes.getDictionary(b.getContext()));
  end_->insertOperands(end_->getNumOperands(), value);
}

Status GraphResults::add_output(const std::string& name, Value value) {
  if (!outputs_.insert(name).second) return invalid_argument("there is an output '" + name + "' already");
  add(name, value);
  return {};
}

Status GraphResults::check_name(const std::string& function) const {
  if (function == "graph" || function == "train")
    return invalid_argument(
        "a function cannot be named '" + function + "'",
        function == "train" ? "minimize() makes 'train', which returns the tensors that output() names" : "");
  if (functions_.contains(function))
    return invalid_argument("there is a function '" + function + "' already");
  auto module = graph_->getParentOfType<ModuleOp>();
  if (module.lookupSymbol<ir::VariableOp>(function))
    return invalid_argument("a function cannot be named '" + function +
                            "', because a variable has that name");
  return {};
}

Status GraphResults::add_function(const std::string& name, const std::vector<Value>& inputs,
                                  const std::vector<Value>& fed,
                                  const std::vector<std::pair<std::string, Value>>& outputs) {
  CUTSET_TRY(check_name(name));
  if (outputs.empty()) return invalid_argument("the function '" + name + "' has no output");
  DenseSet<Value> given(fed.begin(), fed.end());  // the session feeds these inputs, so no function lists them
  for (const Value v : inputs) {
    if (!isa<BlockArgument>(v))
      return invalid_argument("an input of the function '" + name + "' is not an input of the graph",
                              "pass a Tensor that Graph::input returned");
    if (!given.insert(v).second)
      return invalid_argument("the function '" + name + "' lists the input '" + input_name(graph_, v) +
                              "' twice");
  }
  llvm::StringSet<> names;
  DenseSet<Operation*> seen;
  for (const auto& [output, value] : outputs) {
    if (!names.insert(output).second)
      return invalid_argument("the function '" + name + "' has two outputs '" + output + "'");
    if (const std::string missing = missing_input(graph_, value, given, seen); !missing.empty())
      return invalid_argument("the output '" + output + "' of the function '" + name +
                                  "' depends on the input '" + missing +
                                  "', which the function does not list",
                              "add it to the function's inputs, or compute the output without it");
  }
  functions_.insert(name);
  reserved_.insert(name);
  for (const auto& [output, value] : outputs) add(output, value, name);
  return {};
}

Status GraphResults::add_loss(const Minimization& m, Value loss) {
  if (m.function == "train") {  // "train" has the outputs that belong to no other function
    CUTSET_TRY(add_output("loss", loss));
  } else {
    if (m.function == "evaluate" || m.function == "predict")
      return invalid_argument(
          "minimize cannot make the function '" + m.function + "', which changes no variable",
          "choose another name, such as 'train_" + m.function + "'");
    CUTSET_TRY(check_name(m.function));
    functions_.insert(m.function);
    reserved_.insert(m.function);
    add("loss", loss, m.function);
  }
  graph_.setResultAttr(graph_.getNumResults() - 1, StringRef(passes::kMinimize),
                       minimize_attribute(graph_.getContext(), m));
  return {};
}

}  // namespace cutset
