// SPDX-License-Identifier: Apache-2.0
#include "passes/inspect/explain.h"

#include "ir/dialect/dialect.h"
#include "passes/passes.h"
#include "passes/support/layout/folding.h"

using namespace mlir;

namespace cutset::passes {

std::vector<Explanation> explain(ModuleOp module, const DeviceList& devices) {
  std::vector<Explanation> list;
  for (auto function : module.getOps<func::FuncOp>())
    function.walk([&](ir::PlacedOpInterface op) {
      const ir::Placement& p = op.placement();
      Explanation e;
      e.function = function.getName().str();
      e.op = op->getName().stripDialect().str();
      e.layer = ir::layer_of(op->getLoc());
      e.source = ir::source_of(op->getLoc());
      e.device = p.device ? p.device.str() : "";
      e.reason = p.reason ? p.reason.str() : "";
      e.id = p.id;
      e.replica = p.replica;
      if (auto number = op->getAttrOfType<IntegerAttr>(kShardClass))
        if (auto all = op->getParentOfType<func::FuncOp>()->getAttrOfType<DenseI64ArrayAttr>(kShardClasses))
          e.times = llvm::count(all.asArrayRef(), number.getInt());
      if (auto cause = op->getAttrOfType<StringAttr>(kWholeBecause)) e.whole = cause.str();
      const OpInfo& info = cast<ir::CutsetOpInterface>(*op).op_info();
      const FlatAttrs attributes = ir::flat_attributes(op);
      const Types in = ir::tensor_types(op->getOperands()), out = ir::tensor_types(op->getResults());
      for (const auto& device : devices) {
        Candidate c{device->name(), 0, info.view ? "view" : is_folded(op) ? "folded" : "", ""};
        if (c.kernel.empty()) {
          auto choice = device->choose(info, attributes.data(), in, out);
          if (choice) {
            c.kernel = choice->kernel->name;
            c.seconds = device->seconds(info.cost(attributes.data(), in));
          } else {
            c.refusal = choice.error().what;
          }
        }
        e.candidates.push_back(std::move(c));
      }
      list.push_back(std::move(e));
    });
  return list;
}

}  // namespace cutset::passes
