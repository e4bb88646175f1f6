#include "passes/place/stages.h"

#include <limits>

#include "llvm/Support/FormatVariadic.h"
#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {

std::string Stages::text(size_t stage) const {
  if (chunks == 1) return llvm::formatv("split {0} of {1}", stage + 1, count());
  return llvm::formatv("stage {0} of {1}, chunk {2} of {3}", stage + 1, count(), stage / per_replica + 1,
                       devices[device_of(stage)]->name());
}

ChainProblem chain_problem(const Stages& stages, ArrayRef<Group*> chain, ArrayRef<int64_t> bytes, ArrayRef<int> fixed) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  ChainProblem problem;
  for (size_t i = 0; i < chain.size(); ++i) {
    auto& seconds = problem.seconds.emplace_back();
    auto& transfer = problem.transfer.emplace_back();
    for (size_t s = 0; s < stages.count(); ++s) {
      const size_t device = stages.device_of(s);
      const bool allowed = fixed[i] < 0 || fixed[i] == static_cast<int>(device);
      seconds.push_back(allowed ? chain[i]->seconds[device] : kNever);
      if (s + 1 == stages.count()) continue;
      transfer.push_back(i + 1 < chain.size() ? stages.devices[device]->transfer_seconds(bytes[i]) +
                                                    stages.devices[stages.device_of(s + 1)]->transfer_seconds(bytes[i])
                                              : 0);
    }
  }
  return problem;
}

std::vector<int> first_stages(const Stages& stages, ArrayRef<int> fixed) {
  std::vector<int> list;
  size_t stage = 0;
  for (const int device : fixed) {
    while (device >= 0 && stage < stages.count() && stages.device_of(stage) != static_cast<size_t>(device)) ++stage;
    if (stage == stages.count()) break;
    list.push_back(static_cast<int>(stage));
  }
  return list;
}

LogicalResult refuse_order(const Stages& stages, ArrayRef<Group*> chain, ArrayRef<int> fixed, size_t left) {
  size_t named = left;
  if (left == chain.size())  // a stage is left without a group, so the last group with a device is named
    for (size_t i = 0; i < chain.size(); ++i)
      if (fixed[i] >= 0) named = i;
  constexpr size_t kMost = 8;
  std::string order;
  for (size_t s = 0; s < std::min(stages.count(), kMost); ++s)
    order += (s ? ", " : "") + stages.devices[stages.device_of(s)]->name();
  return chain[named]->ops.front()->emitOpError()
         << "is fixed to " << stages.devices[static_cast<size_t>(fixed[named])]->name()
         << "; the layers of a pipeline with " << stages.chunks << " chunks per device follow its " << stages.count()
         << " stages, which are on " << order << (stages.count() > kMost ? ", ..." : "")
         << (left < chain.size() ? ", and no stage of this device is left behind the layers before the op"
                                 : ", and some stage has no layer with the devices that are fixed")
         << " (fix the devices of fewer ops, or use fewer chunks)";
}

int64_t stage_of_sum(const Stages& stages, Operation* op, size_t device) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (Value v : op->getOperands())
    if (Operation* definer = v.getDefiningOp())
      if (auto its = definer->getAttrOfType<IntegerAttr>(kStage)) least = std::min(least, its.getInt());
  const auto step = static_cast<int64_t>(stages.per_replica), number = static_cast<int64_t>(device - stages.first),
             most = number + static_cast<int64_t>(stages.chunks - 1) * step;
  return least < number ? number : std::min(most, number + (least - number) / step * step);
}

}  // namespace cutset::passes
