// The passes, in the order of the story. A pass is one file; its flag is its file's name.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "graph/plan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "passes/support/check_module.h"
#include "runtime/device.h"

namespace cutset::passes {

// import
std::unique_ptr<mlir::Pass> createFunctions(const std::string& only = "");
std::unique_ptr<mlir::Pass> createSpecialise(const std::string& inputs = "", const std::string& dtype = "");
std::unique_ptr<mlir::Pass> createCanonicalise();
std::unique_ptr<mlir::Pass> createMergeEqual();
// differentiate
std::unique_ptr<mlir::Pass> createDifferentiate(bool yieldGradients = false);
// split
struct SplitOptions {
  DeviceOptions devices;
  std::string strategy;  // see graph/strategy.h
  int64_t parts = 0;     // of the batch; 0: one a replica
};
std::unique_ptr<mlir::Pass> createSplit(const SplitOptions& options = {});
// place
struct PlaceOptions {
  DeviceOptions devices;
  std::string strategy;
  std::optional<Plan> plan;
};
std::unique_ptr<mlir::Pass> createPlace(const PlaceOptions& options = {});
// cut
std::unique_ptr<mlir::Pass> createCut();
// communicate
std::unique_ptr<mlir::Pass> createBucket(int64_t bytes = 1 << 20);
// lower
std::unique_ptr<mlir::Pass> createLower(const DeviceOptions& devices = {});

void registerPasses();

// A pass over a module with a flag, and the dialects it makes ops of.
template <class Self>
struct ModulePass : mlir::PassWrapper<Self, mlir::OperationPass<mlir::ModuleOp>> {
  using Base = mlir::PassWrapper<Self, mlir::OperationPass<mlir::ModuleOp>>;
  ModulePass() = default;
  ModulePass(const ModulePass& other) : Base(other) {}
  llvm::StringRef getArgument() const final { return Self::kFlag; }
  llvm::StringRef getDescription() const final { return Self::kSummary; }
  void getDependentDialects(mlir::DialectRegistry& registry) const override;
  void runOnOperation() override {
    if (mlir::failed(check_module(this->getOperation()))) return this->signalPassFailure();
    if (mlir::failed(static_cast<Self*>(this)->run(this->getOperation()))) this->signalPassFailure();
  }
};
void insertDialects(mlir::DialectRegistry& registry);
template <class Self>
void ModulePass<Self>::getDependentDialects(mlir::DialectRegistry& registry) const {
  insertDialects(registry);
}

// Results that `lower` computes at once where their operands are known: what a constant may hold.
inline bool foldable(const TensorType& result) { return result.bytes() <= 1024 && result.dtype != DType::i1; }

// Attributes on functions, arguments and results that the passes share.
inline constexpr llvm::StringLiteral kInput = "cutset.input", kOutput = "cutset.output",
                                     kFunction = "cutset.function",  // the one that a result belongs to
    kInputs = "cutset.inputs",                                       // of the whole graph
    kNextId = "cutset.next_id",                                      // that no op of the graph has
    kDevices = "cutset.devices",                                     // that `place` chose from
    kLoss = "cutset.loss", kOptimizer = "cutset.optimizer", kKernel = "cutset.kernel", kRefused = "cutset.refused",
                                     kStart = "cutset.start",  // first row of an argument or result in its port
    kStep = "cutset.step",                       // on an argument: the session feeds the number of the step
    kHyperParameter = "cutset.hyper_parameter",  // on an argument: the session feeds it; its first value
    kFinite = "cutset.finite",                   // on all_finite: what each operand is, for people
    kRows = "cutset.rows",                       // of the whole port
    kUnbatched = "cutset.unbatched",             // on an input: no axis of it is the batch
    kWholeBecause = "cutset.whole",              // on an op: why every replica computes all of it
    kProgram = "cutset.program",                 // the name of the program, which a plan mentions
    kStrategy = "cutset.strategy", kReplicas = "cutset.replicas",
                                     kShards = "cutset.shards";  // rows of each

}  // namespace cutset::passes
