// What `place` decides about: all ops of one replica with one id, in all functions, are one group and go to
// one device.
#pragma once
#include <map>

#include "ir/structural/structural.h"
#include "runtime/device.h"

namespace cutset::passes {

struct GroupKey {
  int64_t replica = 0, id = 0;
  auto operator<=>(const GroupKey&) const = default;
};
inline GroupKey key_of(ir::PlacedOpInterface op) { return {op.placement().share, op.placement().id}; }

struct Group {
  GroupKey key;
  llvm::SmallVector<ir::PlacedOpInterface> ops;
  std::vector<double> seconds;        // on each device, of one training step; infinity: cannot
  std::vector<std::string> refusals;  // why not
  bool updates = false;               // an optimizer's step, which goes where its variable lives
  std::string scope() const { return ir::scopeOf(ops.front()->getLoc()); }
  std::string where() const { return ir::sourceOf(ops.front()->getLoc()); }
};

// `lower` computes what depends on types alone, if it is small: no device needs a kernel for it.
bool is_folded(ir::PlacedOpInterface op);

// In the order of the program. Costs come from the rules of each op and the numbers of each device.
std::vector<Group> collect_groups(mlir::ModuleOp module, const DeviceList& devices);

// Bytes of the values that cross between the groups at positions i and i + 1 of `order` (forward
// activations and backward gradients), were the program cut there.
std::vector<int64_t> crossing_bytes(mlir::ModuleOp module, const std::map<GroupKey, size_t>& position,
                                    size_t positions);

// How fast the devices of each replica run the whole program, by the planner's numbers; the fastest has 1.
std::vector<double> replica_speeds(mlir::ModuleOp module, const DeviceList& devices, int64_t replicas);

}  // namespace cutset::passes
