// SPDX-License-Identifier: Apache-2.0
#include "passes/inspect/notes.h"

#include <cmath>
#include <numeric>

#include "ir/core/number_text.h"
#include "ir/dialect/dialect.h"
#include "ir/structural/structural.h"
#include "llvm/Support/FormatVariadic.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/passes.h"
#include "passes/support/placement/empty_devices.h"

using namespace mlir;

namespace cutset::passes {
namespace {

constexpr size_t kMostOfAKind = 3;  // the most facts of a kind that have a note of their own

bool is_of_micro_batch(Operation* op) { return op->hasAttr(kShardClass); }

// Returns "'conv' of conv1 (net.cc:12)", or, for an op without a layer, "'conv' (net.cc:12)".
std::string text_of(Operation* op) {
  const std::string layer = ir::layer_of(op->getLoc());
  return "'" + op->getName().stripDialect().str() + "'" + (layer.empty() ? "" : " of " + layer) + " (" +
         ir::source_of(op->getLoc()) + ")";
}

// The notes on the ops that every replica computes for the whole batch.
class WholeOps {
 public:
  void visit(func::FuncOp function, int64_t replicas) {
    llvm::MapVector<StringAttr, SmallVector<Operation*>> ops;  // by reason, for the first replica
    for (Operation& op : function.getBody().front())
      if (auto reason = op.getAttrOfType<StringAttr>(kWholeBecause))
        if (auto placed = dyn_cast<ir::PlacedOpInterface>(op); placed && placed.placement().replica == 0)
          ops[reason].push_back(&op);
    for (auto& [reason, list] : ops) {
      if (!seen_.insert(reason).second) continue;
      std::string note = "in '" + function.getName().str() + "', each of the " + std::to_string(replicas) +
                         " replicas computes " + text_of(list.front());
      if (list.size() > 1) note += ", and " + counted(list.size() - 1, "op") + " that depend on it,";
      notes_.push_back(note + " for the whole batch: " + reason.str());
    }
  }
  std::vector<std::string> take() {
    if (notes_.size() <= kMostOfAKind) return std::move(notes_);
    const size_t more = notes_.size() - kMostOfAKind;
    notes_.resize(kMostOfAKind);
    notes_.push_back(counted(more, "more op") +
                     " end the split of the batch; cutset::explain and `cutset explain` name them");
    return std::move(notes_);
  }

 private:
  llvm::DenseSet<StringAttr> seen_;  // a reason names an op and its line
  std::vector<std::string> notes_;
};

// Returns the values of a function that depend on a variable.
DenseSet<Value> values_of_variables(func::FuncOp function) {
  DenseSet<Value> values;
  for (Operation& op : function.getBody().front())
    if (isa<ir::ReadOp>(op) || llvm::any_of(op.getOperands(), [&](Value v) { return values.contains(v); }))
      values.insert(op.getResults().begin(), op.getResults().end());
  return values;
}

// Returns the sums over micro-batches on which ops of micro-batches depend, in their order. A sum of inputs
// and constants alone, such as a number of labels, is left out: it is known before the first layer.
SmallVector<ir::SumMicroBatchesOp> sums_that_hold_back(func::FuncOp function) {
  const DenseSet<Value> of_variables = values_of_variables(function);
  DenseSet<Operation*> awaited;  // ops for the whole batch on which ops of micro-batches depend
  SmallVector<ir::SumMicroBatchesOp> sums;
  for (Operation& op : llvm::reverse(function.getBody().front())) {
    if (is_of_micro_batch(&op)) continue;
    for (OpOperand& use : op.getUses()) {
      Operation* reader = use.getOwner();
      auto rules = dyn_cast<ir::CutsetOpInterface>(reader);
      if (rules && rules.op_info().reads_type_only(use.getOperandNumber())) continue;
      if (is_of_micro_batch(reader) || awaited.contains(reader)) awaited.insert(&op);
    }
    if (auto sum = dyn_cast<ir::SumMicroBatchesOp>(op);
        sum && awaited.contains(&op) && of_variables.contains(sum.getSum()))
      sums.push_back(sum);
  }
  return SmallVector<ir::SumMicroBatchesOp>(llvm::reverse(sums));
}

// Returns the note on the layers of a pipeline at whose sums the micro-batches wait, or an empty text if
// there are none.
std::string micro_batches_wait(func::FuncOp function) {
  if (!function->hasAttr(kSchedule)) return {};
  llvm::SetVector<StringRef> places;  // a layer, or else a line
  std::vector<std::string> names;
  SmallVector<ir::SumMicroBatchesOp> sums = sums_that_hold_back(function);
  for (ir::SumMicroBatchesOp sum : sums) {
    const std::string layer = ir::layer_of(sum.getLoc());
    names.push_back(layer.empty() ? ir::source_of(sum.getLoc()) : layer);
  }
  for (const std::string& name : names) places.insert(name);
  if (places.empty()) return {};
  const bool one = places.size() == 1;
  return "in '" + function.getName().str() + "', " + counted(places.size(), "layer") +
         (one ? " needs" : " need") +
         " a sum over the whole batch, as batch normalization does: no micro-batch passes such a layer "
         "before all of them have reached it, so the devices of the pipeline overlap less and keep the "
         "activations of all micro-batches; " +
         (one ? "it is " : "the first one is ") + text_of(sums.front().getPartials()[0].getDefiningOp()) +
         " (group normalization, layer normalization, and batch normalization with rows_per_group need no "
         "such sum)";
}

// Returns the note on a batch that has fewer samples than the requested micro-batches, or an empty text for a
// larger batch.
std::string fewer_micro_batches(func::FuncOp function, int64_t requested) {
  auto replicas = function->getAttrOfType<DenseI64ArrayAttr>(kShardReplicas);
  auto samples = function->getAttrOfType<DenseI64ArrayAttr>(kShards);
  if (requested < 2 || !replicas || !samples) return {};
  const int64_t of_batch =
      std::accumulate(samples.asArrayRef().begin(), samples.asArrayRef().end(), int64_t{0});
  const int64_t of_first = llvm::count(replicas.asArrayRef(), 0);
  if (of_batch == 0 || of_first >= requested) return {};
  return "in '" + function.getName().str() + "', a batch of " +
         counted(static_cast<size_t>(of_batch), "sample") + " makes " + std::to_string(of_first) +
         (of_first == 1 ? " micro-batch" : " micro-batches") +
         " per replica, although the strategy asks for " + std::to_string(requested);
}

// Returns the notes on the devices that `model` gave no op.
std::vector<std::string> empty_devices(ModuleOp module) {
  std::vector<std::string> list;
  auto empty = module->getAttrOfType<DictionaryAttr>(kEmptyDevices);
  if (!empty) return list;
  const auto microseconds = [](double seconds) { return llvm::formatv("{0:f1} us", seconds * 1e6).str(); };
  size_t more = 0;
  for (const NamedAttribute& entry : empty) {
    if (list.size() == kMostOfAKind) {
      ++more;
      continue;
    }
    const auto seconds = cast<DenseF64ArrayAttr>(entry.getValue()).asArrayRef();
    const std::string device = entry.getName().str();
    list.push_back(device + " runs no op: the busiest device is estimated to work " +
                   microseconds(seconds[0]) + " per step" +
                   (std::isinf(seconds[1])
                        ? ", and no layer can be moved to " + device
                        : ", and " + microseconds(seconds[1]) + " if " + device + " ran an op") +
                   " (leave the device out, or choose a strategy that uses it, such as data(N))");
  }
  if (more > 0) list.push_back(counted(more, "more device") + (more == 1 ? " runs" : " run") + " no op");
  return list;
}

}  // namespace

std::vector<std::string> notes(ModuleOp module, int64_t requested) {
  auto replicas = module->getAttrOfType<IntegerAttr>(kReplicas);
  auto axis = module->getAttrOfType<IntegerAttr>(kTensorDevices);
  const int64_t of_batch =
      replicas ? replicas.getInt() / (axis ? std::max<int64_t>(axis.getInt(), 1) : 1) : 1;
  WholeOps whole;
  std::string waits, fewer;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal()) continue;
    if (of_batch > 1) whole.visit(function, of_batch);
    if (waits.empty()) waits = micro_batches_wait(function);
    if (fewer.empty()) fewer = fewer_micro_batches(function, requested);
  }
  std::vector<std::string> list = whole.take();
  if (!waits.empty()) list.push_back(std::move(waits));
  if (!fewer.empty()) list.push_back(std::move(fewer));
  for (std::string& note : empty_devices(module)) list.push_back(std::move(note));
  return list;
}

}  // namespace cutset::passes
