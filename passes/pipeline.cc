// SPDX-License-Identifier: Apache-2.0
// The order of the passes.
#include "passes/pipeline.h"

#include <set>

#include "ir/dialect/dialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "passes/support/placement/keep_placement.h"

using namespace mlir;

namespace cutset::passes {
namespace {

struct Phase {
  StringLiteral name;
  std::vector<CreatePass*> passes;
};
const std::vector<Phase>& all_phases() {
  static const std::vector<Phase> all = {
      {"import", {create_make_functions, create_specialise, create_canonicalise, create_cse}},
      {"differentiate", {create_differentiate, create_canonicalise, create_cse}},
      {"split", {create_shard, create_split}},
      {"place", {create_place}},
      {"cut", {create_recompute, create_cut}},
      {"communicate", {create_bucket_all_reduces}},
      {"lower", {create_fuse, create_lower}},
  };
  return all;
}

// Removes all placements. This runs after `split`, so that every value has the same number as in the placed
// program. If the placements were removed before `cse`, `cse` would merge equal ops that are pinned to
// different devices, and the numbers would differ.
void unplace(ModuleOp module) {
  module.walk([](ir::PlacedOpInterface op) {
    op.placement().device = {};
    op.placement().reason = {};
  });
}

// Whether the module is so large that it is verified only once, after the last phase. The verifier finds
// mistakes of passes. If it ran after each phase of a large module, it would take a fifth of the time of the
// compilation.
bool is_large(ModuleOp module) {
  constexpr int64_t kLarge = 1'000;
  int64_t ops = 0;
  return module
      .walk([&](Operation*) { return ++ops > kLarge ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

}  // namespace

llvm::ArrayRef<StringLiteral> phases() {
  static const std::vector<StringLiteral> names = [] {
    std::vector<StringLiteral> list;
    for (const Phase& phase : all_phases()) list.push_back(phase.name);
    return list;
  }();
  return names;
}

std::vector<CreatePass*> all_passes() {
  std::vector<CreatePass*> list;
  for (const Phase& phase : all_phases()) list.insert(list.end(), phase.passes.begin(), phase.passes.end());
  return list;
}

LogicalResult run_phases(ModuleOp module, const CompileConfig& config, const AfterPhase& after_phase) {
  if (!config.last_phase.empty() && !llvm::is_contained(phases(), config.last_phase)) {
    auto e = module.emitError() << "unknown phase '" << config.last_phase << "'; the phases are";
    for (StringRef phase : phases()) e << " " << phase;
    return failure();
  }
  PlacementPromises
      promises;  // one for all phases: each phase must keep the properties that earlier phases set up
  for (auto [number, phase] : llvm::enumerate(all_phases())) {
    PassManager pm(module.getContext());
    pm.enableVerifier(
        false);  // verify() runs once per phase: for large graphs, it takes longer than most passes
    pm.addInstrumentation(std::make_unique<CheckPlacement>(promises));
    for (CreatePass* create : phase.passes) pm.addPass(create(config));
    if (failed(pm.run(module)) || promises.broken) return failure();
    const bool last = number + 1 == all_phases().size() || phase.name == config.last_phase;
    if ((last || !is_large(module)) && failed(verify(module))) return failure();
    if (phase.name == "split" && config.for_reference) {
      unplace(module);
      promises.pins.clear();
    }
    if (after_phase && failed(after_phase(module, static_cast<int>(number + 1), phase.name)))
      return failure();
    if (phase.name == config.last_phase) break;
  }
  return success();
}

void register_passes(const CompileConfig& config) {
  std::set<CreatePass*> registered;
  for (CreatePass* create : all_passes())
    if (registered.insert(create).second) registerPass([create, &config] { return create(config); });
}

}  // namespace cutset::passes
