// SPDX-License-Identifier: Apache-2.0
#include "passes/place/variable_homes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/place/plan.h"
#include "passes/place/reasons.h"

using namespace mlir;

namespace cutset::passes {

VariableHomes::VariableHomes(ModuleOp module, const CompileConfig& config, const DeviceGrid& grid,
                             const std::map<std::string, const Plan::Home*>& planned)
    : module_(module) {
  MLIRContext* context = module.getContext();
  const SymbolTable symbols(module);
  for (auto v : module.getOps<ir::VariableOp>()) {
    auto& list = homes_[v.getSymName().str()] = SmallVector<StringAttr>(grid.copies);
    if (auto home = planned.find(v.getSymName().str()); home != planned.end())
      for (size_t r = 0; r < list.size(); ++r) list[r] = StringAttr::get(context, home->second->devices[r]);
  }
  module.walk([&](ir::PlacedOpInterface op) {
    if (op.placement().device) used_.insert(op.placement().device);
  });
  const auto copy_at = [&](StringRef variable, uint64_t home) {
    return copy_at_home(symbols.lookup<ir::VariableOp>(variable), static_cast<int64_t>(home),
                        config.strategy);
  };
  for (auto function : module.getOps<func::FuncOp>())
    for (auto op : function.getOps<ir::PlacedOpInterface>()) {
      if (!op.placement().device) continue;
      for (Value v : op->getOperands())
        if (auto read = v.getDefiningOp<ir::ReadOp>();
            read && !of(read) && copy_at(read.getVariable(), read.getReplica()) == op.placement().replica)
          of(read) = op.placement().device;
    }
  for (auto& [name, list] : homes_)
    for (size_t r = 0; r < list.size(); ++r)
      if (!list[r]) list[r] = first_device(copy_at(name, r), config.devices, grid);
}

StringAttr VariableHomes::first_device(int64_t copy, const DeviceList& devices,
                                       const DeviceGrid& grid) const {
  MLIRContext* context = ModuleOp(module_).getContext();
  for (size_t position = 0; position < grid.per_copy(); ++position)
    if (auto name = StringAttr::get(context, devices[grid.device(copy, position)]->name());
        used_.contains(name))
      return name;
  return StringAttr::get(context, devices[grid.device(copy, 0)]->name());
}

StringAttr& VariableHomes::of(ir::ReadOp read) {
  return homes_[read.getVariable().str()][static_cast<size_t>(read.getReplica())];
}

void VariableHomes::write() {
  module_.walk([&](ir::VariableOp v) {
    const auto& list = homes_[v.getSymName().str()];
    v.setHomesAttr(ArrayAttr::get(module_.getContext(), SmallVector<Attribute>(list.begin(), list.end())));
  });
}

}  // namespace cutset::passes
