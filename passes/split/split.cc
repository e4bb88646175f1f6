// SPDX-License-Identifier: Apache-2.0
// split: divides the batch over replicas (in space) and shards (in time).
//
//   func @train(%x: tensor<61x8xf32>)            func @train(%x0: tensor<44x8xf32>, %x1: tensor<17x8xf32>)
//     %w = cutset.read @w                          %w0 = cutset.read @w
//                                                  %w1 = cutset.read @w replica 1
//     %y = cutset.mul %x, %w                  ->   %y0 = cutset.mul %x0, %w0
//                                                  %y1 = cutset.mul %x1, %w1 replica 1
//     %s = cutset.reduce_sum %y                    %p0 = cutset.reduce_sum %y0
//                                                  %p1 = cutset.reduce_sum %y1 replica 1
//     return %s                                    %s:2 = cutset.all_reduce %p0, %p1
//                                                  return %s#0
//
// One dimension of each input is the batch (passes/support/layout/batch.h), which is divided into shards of
// samples. Each shard is computed by the replica to which it belongs, and the shards of one replica run one
// after the other. One shard per replica is data parallelism. `--deterministic` fixes the shards, so that a
// sum does not depend on the numbers of replicas and threads.
//
// The shards of a pipeline are micro-batches. Micro-batches with the same number of samples form a class, and
// ops are copied once per class instead of once per shard: 61 samples in 4 micro-batches are two classes, of
// 16 and of 15 samples. `cutset.sum_micro_batches` adds their partial sums.
//
// The sharding rules of the ops say which values have rows of the batch and which are partial sums
// (passes/support/layout/layout.h). The pass knows `add_n`, `slice` and `concat` by name.
#include <cmath>

#include "passes/passes.h"
#include "passes/split/divide_variables.h"
#include "passes/split/splitter.h"
#include "passes/support/layout/batch.h"
#include "passes/support/layout/folding.h"
#include "passes/support/placement/cost_groups.h"
#include "passes/support/placement/value_origin.h"
#include "passes/support/rewriting.h"

using namespace mlir;

namespace cutset::passes {

#define GEN_PASS_DEF_SPLIT
#include "passes/passes.h.inc"

namespace {

struct Split : ModulePass<Split, impl::SplitBase> {
  using ModulePass::ModulePass;

  // Returns the shares that the user gave, or shares proportional to the speeds of the devices, rounded to
  // six decimals.
  std::vector<double> shares_of_replicas(ModuleOp module) {
    const Data* data = config.strategy.find<Data>();
    if (!data) return {1};
    if (!data->shares.empty()) return data->shares;
    std::vector<double> speeds = replica_speeds(module, config.devices, data->replicas);
    for (double& speed : speeds) speed = std::round(speed * 1e6) / 1e6;
    return speeds;
  }

  LogicalResult run(ModuleOp module) {
    if (failed(check_bodies(module))) return failure();
    const int64_t replicas = config.strategy.replicas();
    if (config.shards < 0 || config.shards > ir::kMostReplicas)
      return module.emitError() << "the batch cannot be divided into " << config.shards << " shards; at most "
                                << ir::kMostReplicas;
    if (replicas > ir::kMostReplicas)
      return module.emitError() << replicas << " replicas are too many; at most " << ir::kMostReplicas;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (module->hasAttr(kTensorDevices)) continue;  // the pass `shard` has folded and numbered
      fold_scalars(function);
      number_values(function);
    }
    if (replicas > 1 && failed(refuse_pins(module, replicas))) return failure();
    const std::vector<double> shares = shares_of_replicas(module);
    Builder b(&getContext());
    module->setAttr(kReplicas, b.getI64IntegerAttr(config.strategy.copies()));
    FittedStrategy strategy = config.strategy;
    strategy.set_shares(shares);
    module->setAttr(kStrategy, b.getStringAttr(strategy.text()));
    if (replicas > 1) module->setAttr(kShares, b.getDenseF64ArrayAttr(shares));
    const int64_t micro_batches = config.strategy.micro_batches();
    if (config.shards > 0 && micro_batches > config.shards)
      return module.emitError() << "the batch cannot be divided into " << micro_batches << " micro-batches: "
                                << "`deterministic` divides it into " << config.shards
                                << " shards, and a micro-batch has at least one of them";
    if (replicas == 1 && config.shards == 0 && micro_batches == 1) return success();
    const Data* data = config.strategy.find<Data>();
    const Data::Shard level = data ? data->shard : Data::Shard::kNothing;
    if (level != Data::Shard::kNothing) divide_variables(module, config.strategy, config.plan);
    const llvm::StringMap<DividedVariable> divided = divided_variables(module);
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
      const Batch batch = batch_of(function);
      if (batch.conflict)
        return emitError(function.getArgument(batch.conflict->argument).getLoc()) << batch.conflict->why;
      const Shards shards = divide(batch.samples, shares, config.shards, micro_batches);
      if (failed(split_function(function, batch, shards, config.strategy.tensor_devices(), level, divided)))
        return failure();
      function->setAttr(kShards, b.getDenseI64ArrayAttr(shards.samples));
      if (shards.micro_batches) {
        function->setAttr(kShardClasses, b.getDenseI64ArrayAttr(shards.class_of));
        function->setAttr(kShardReplicas, b.getDenseI64ArrayAttr(shards.replica));
        function->setAttr(kSumAlongTree, b.getBoolAttr(shards.along_tree));
        if (config.strategy.splits_graph())
          function->setAttr(kSchedule, b.getStringAttr(config.strategy.find<Pipeline>()->schedule));
        if (config.strategy.chunks() > 1)
          function->setAttr(kChunks, b.getI64IntegerAttr(config.strategy.chunks()));
      }
    }
    give_missing_ids(module);
    return success();
  }
};

}  // namespace

std::unique_ptr<Pass> create_split(const CompileConfig& config) { return std::make_unique<Split>(config); }

}  // namespace cutset::passes
