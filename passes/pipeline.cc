// The story on one page.
#include "passes/pipeline.h"

#include "ir/dialect/dialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "passes/support/keep_placement.h"

using namespace mlir;

namespace cutset::passes {

void insertDialects(DialectRegistry& registry) { registry.insert<ir::CutsetDialect, func::FuncDialect>(); }

llvm::ArrayRef<StringLiteral> phases() {
  static constexpr StringLiteral names[] = {"import", "differentiate", "split", "place", "cut", "communicate", "lower"};
  return names;
}

static void add_phase(OpPassManager& pm, StringRef phase, const PipelineOptions& o) {
  if (phase == "import") {
    pm.addPass(createFunctions(o.function));
    pm.addPass(createSpecialise(o.inputs, o.dtype));
    pm.addPass(createCanonicalise());
    pm.addPass(createMergeEqual());
  } else if (phase == "differentiate") {
    pm.addPass(createDifferentiate(o.yield_gradients));
    pm.addPass(createCanonicalise());
    pm.addPass(createMergeEqual());
  } else if (phase == "split") {
    pm.addPass(createSplit({o.devices, o.strategy, o.parts}));
  } else if (phase == "place") {
    pm.addPass(createPlace({o.devices, o.strategy, o.plan}));
  } else if (phase == "cut") {
    pm.addPass(createCut());
  } else if (phase == "communicate") {
    pm.addPass(createBucket(o.bucket_bytes));
  } else if (phase == "lower") {
    pm.addPass(createLower(o.devices));
  }
}

// Equal ops on different devices are not merged, and every value has its number by now. So a program without its
// pins has the numbers of the program with them.
static void unplace(ModuleOp module) {
  module.walk([](ir::PlacedOpInterface op) { op.placement().device = {}, op.placement().reason = {}; });
}

LogicalResult run_phases(ModuleOp module, const PipelineOptions& options) {
  if (!options.compile_to.empty() && !llvm::is_contained(phases(), options.compile_to)) {
    auto e = module.emitError() << "unknown phase '" << options.compile_to << "'; have:";
    for (StringRef phase : phases()) e << " " << phase;
    return failure();
  }
  PlacementPromises promises;  // of the whole compilation: what one phase establishes, later ones keep
  for (auto [number, phase] : llvm::enumerate(phases())) {
    PassManager pm(module.getContext());
    pm.enableVerifier(true);
    pm.addInstrumentation(std::make_unique<CheckPlacement>(promises));
    add_phase(pm, phase, options);
    if (failed(pm.run(module)) || promises.broken) return failure();
    if (phase == "split" && options.unplaced) unplace(module), promises.pins.clear();
    if (options.after_phase && failed(options.after_phase(module, static_cast<int>(number + 1), phase)))
      return failure();
    if (phase == options.compile_to) break;
  }
  return success();
}

void registerPasses() {
  for (auto make : {+[] { return createFunctions(); }, +[] { return createSpecialise(); },
                    +[] { return createCanonicalise(); }, +[] { return createMergeEqual(); },
                    +[] { return createDifferentiate(); }, +[] { return createSplit(); }, +[] { return createPlace(); },
                    +[] { return createCut(); }, +[] { return createBucket(); }, +[] { return createLower(); }})
    registerPass([make] { return make(); });
}

}  // namespace cutset::passes
