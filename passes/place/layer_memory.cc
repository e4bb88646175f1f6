// SPDX-License-Identifier: Apache-2.0
#include "passes/place/layer_memory.h"

#include <limits>

#include "llvm/ADT/StringSet.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/support/graph_functions.h"
#include "passes/support/layout/forward_ops.h"

using namespace mlir;

namespace cutset::passes {
namespace {

double bytes_of_value(Value v) { return static_cast<double>(ir::tensor_type(v.getType())->bytes()); }

// Returns the value that owns the memory of `v`, which differs from `v` if `v` is a view.
Value memory_of_value(Value v) {
  while (auto op = v.getDefiningOp<ir::CutsetOpInterface>()) {
    if (!op.op_info().view) break;
    v = op->getOperand(0);
  }
  return v;
}

class LayerMemory {
 public:
  LayerMemory(ModuleOp module, const std::map<GroupKey, size_t>& position, size_t layers, size_t lanes)
      : module_(module), position_(position), lanes_(static_cast<double>(lanes)) {
    memory.bytes.assign(layers, 0);
    memory.working_bytes.assign(layers, 0);
  }

  // Adds each variable, with its states and its gradient, to the layer of the first op that reads it.
  void add_variables() {
    const SymbolTable symbols(module_);
    llvm::StringMap<double> copies;  // by variable: itself, its states and its gradient
    for (const auto& [name, updates] : updates_of(module_)) copies[name] = 2;
    for (auto v : module_.getOps<ir::VariableOp>())
      if (auto owner = v.getStateOf()) copies.try_emplace(*owner, 1).first->second += 1;
    llvm::StringSet<> seen;
    for (auto function : module_.getOps<func::FuncOp>())
      function.walk([&](ir::PlacedOpInterface op) {
        const auto layer = position_.find(key_of(op));
        if (layer == position_.end()) return;
        for (Value operand : op->getOperands()) {
          auto read = operand.getDefiningOp<ir::ReadOp>();
          if (!read || !seen.insert(read.getVariable()).second) continue;
          auto variable = symbols.lookup<ir::VariableOp>(read.getVariable());
          if (!variable) continue;
          auto pieces = variable.getPiecesAttr();
          const auto trained = copies.find(read.getVariable());
          memory.bytes[layer->second] += static_cast<double>(ir::tensor_type(variable.getType())->bytes()) /
                                         (pieces ? static_cast<double>(pieces[1]) : 1) *
                                         (trained == copies.end() ? 1 : trained->second);
        }
      });
  }

  // Adds the working memory of each layer: the operands and results of its largest op, in all functions.
  void add_largest_ops() {
    module_.walk([&](ir::PlacedOpInterface op) {
      const auto layer = position_.find(key_of(op));
      if (layer == position_.end()) return;
      double bytes = 0;
      for (Value v : op->getResults()) bytes += bytes_of_value(v);
      for (Value v : op->getOperands())
        if (!v.getDefiningOp<ir::ReadOp>()) bytes += bytes_of_value(v);
      double& working = memory.working_bytes[layer->second];
      working = std::max(working, bytes);
    });
  }

  // Adds the results of forward ops that backward ops read. The functions use the same memory in turn.
  void add_activations() {
    std::vector<double> most(memory.bytes.size(), 0);
    for (func::FuncOp function : training_functions(module_)) {
      const std::vector<double> bytes = activations_of(function);
      for (size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], bytes[i]);
    }
    for (size_t i = 0; i < most.size(); ++i) memory.bytes[i] += most[i];
  }

  ChainMemory memory;

 private:
  std::vector<double> activations_of(func::FuncOp function) const {
    std::vector<double> bytes(memory.bytes.size(), 0);
    const DenseSet<Operation*> forward = forward_ops(function);
    DenseSet<Value> seen;
    for (Operation& op : function.getBody().front()) {
      auto rules = dyn_cast<ir::CutsetOpInterface>(op);
      if (!rules || forward.contains(&op)) continue;
      for (OpOperand& operand : op.getOpOperands()) {
        if (rules.op_info().reads_type_only(operand.getOperandNumber())) continue;
        const Value v = memory_of_value(operand.get());
        auto definer = dyn_cast_or_null<ir::PlacedOpInterface>(v.getDefiningOp());
        if (!definer || !forward.contains(definer) || !seen.insert(v).second) continue;
        if (const auto layer = position_.find(key_of(definer)); layer != position_.end())
          bytes[layer->second] += bytes_of_value(v) / lanes_;
      }
    }
    return bytes;
  }

  ModuleOp module_;
  const std::map<GroupKey, size_t>& position_;
  const double lanes_;  // the devices of a tensor axis
};

}  // namespace

ChainMemory layer_memory(ModuleOp module, const Stages& stages, const std::map<GroupKey, size_t>& position,
                         size_t layers) {
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  std::vector<double> capacity(stages.count(), kNoLimit);
  bool limited = false;
  if (position.empty()) return {};
  const int64_t first = position.begin()->first.replica;
  for (size_t s = 0; s < stages.count(); ++s)
    for (size_t lane = 0; lane < stages.grid.tensor; ++lane) {
      const auto copy = stages.grid.replica_of(first) * static_cast<int64_t>(stages.grid.tensor) +
                        static_cast<int64_t>(lane);
      const uint64_t bytes = stages.devices[stages.device_of(copy, s)]->info().memory_bytes;
      if (bytes == 0) continue;
      capacity[s] = std::min(capacity[s], static_cast<double>(bytes));
      limited = true;
    }
  if (!limited) return {};
  LayerMemory layer(module, position, layers, stages.grid.tensor);
  layer.add_variables();
  layer.add_largest_ops();
  layer.add_activations();
  layer.memory.capacity = std::move(capacity);
  return std::move(layer.memory);
}

}  // namespace cutset::passes
