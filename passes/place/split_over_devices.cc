// SPDX-License-Identifier: Apache-2.0
#include "passes/place/split_over_devices.h"

#include <numeric>
#include <set>

#include "llvm/Support/FormatVariadic.h"
#include "passes/place/layer_memory.h"
#include "passes/place/reasons.h"

using namespace mlir;

namespace cutset::passes {
namespace {

// Whether two devices can take each other's place in the problem.
bool are_equal(const ChainDevices& p, size_t a, size_t b) {
  const auto same = [&](const std::vector<double>& by_device) { return by_device[a] == by_device[b]; };
  return llvm::all_of(p.seconds, same) &&
         llvm::all_of(p.ends, [&](const auto& lane) { return llvm::all_of(lane, same); }) &&
         (p.memory.capacity.empty() || same(p.memory.capacity));
}

class SplitOfReplica {
 public:
  SplitOfReplica(ModuleOp module, Choices& choices, int64_t replica)
      : module_(module), choices_(choices), replica_(replica), stages_(choices.stages()) {}

  LogicalResult run() {
    const bool one_stage = stages_.chunks == 1;  // per device
    if (one_stage && llvm::none_of(choices_.groups, [&](const Group& g) { return is_open(g); }))
      return success();
    if (failed(make_chain(true))) return failure();
    if (chain_.empty()) return success();  // a module without functions
    const std::vector<int> first = first_stages(stages_, chain_);
    // A plan of the session has all stages.
    if (!one_stage && choices_.plan_of_session()) {
      if (first.size() < chain_.size()) return refuse_order(stages_, chain_, first.size());
      return take_stages(first, {});
    }
    auto result = split();
    if (!result && one_stage) {  // the user's pins may not follow the order of the devices
      if (failed(make_chain(false))) return failure();
      result = split();
    }
    if (result) return take_stages(result->device, result->load);
    return refuse(result.error(), first.size());
  }

 private:
  bool is_open(const Group& g) const { return of_replica(g) && choices_.is_open(g); }
  bool of_replica(const Group& g) const {
    return stages_.grid.replica_of(g.key.replica) == replica_ && !g.updates;
  }

  // Makes the chain of the replica. Without `fixed`, the chain has only the groups about which the strategy
  // decides. A group of a function other than @train joins the layer before it, or the first layer if there
  // is none before it. No stage then has only such groups.
  LogicalResult make_chain(bool fixed) {
    chain_.clear();
    std::map<int64_t, size_t> layer_of;  // by the id of the group
    bool begun = false;                  // whether the last layer has an op of @train or is fixed to a device
    for (Group& group : choices_.groups) {
      if (!of_replica(group) || (!fixed && !is_open(group))) continue;
      const bool beside = is_open(group) && group.beside_training;
      const bool joins = !chain_.empty() && (beside || !begun);
      const auto [number, fresh] =
          layer_of.try_emplace(group.key.id, joins ? chain_.size() - 1 : chain_.size());
      begun |= !beside;
      ChainLayer& layer = fresh && !joins ? chain_.emplace_back() : chain_[number->second];
      layer.copies.push_back(&group);
      if (failed(fix(layer, group))) return failure();
    }
    return success();
  }

  // Fixes the layer to the position of the group, if the group has a device.
  LogicalResult fix(ChainLayer& layer, Group& group) {
    const auto choice = choices_.chosen.find(group.key);
    if (choice == choices_.chosen.end()) return success();
    const auto& [device, reason] = choice->second;
    const int position = static_cast<int>(stages_.grid.position_of(device));
    const auto planned = choices_.planned_stages.find(group.key);
    const int stage = planned == choices_.planned_stages.end() ? -1 : planned->second;
    if (layer.fixed >= 0 && (layer.fixed != position || layer.fixed_stage != stage))
      return group.ops.front()->emitOpError()
             << "is fixed to " << stages_.devices[device]->name() << " (" << reason
             << "), and another device of its tensor axis has it in another stage (fix both to devices of "
                "one stage)";
    layer.fixed = position;
    layer.fixed_stage = stage;
    return success();
  }

  Result<ChainSplit> split() {
    std::map<GroupKey, size_t> position;
    for (auto [i, layer] : llvm::enumerate(chain_))
      for (Group* group : layer.copies) {
        position.emplace(group->key, i);
        choices_.costs.estimate(*group);
      }
    std::vector<int64_t> bytes = crossing_bytes(module_, position, chain_.size());
    // The devices of a tensor axis transfer at the same time.
    const auto links = static_cast<int64_t>(stages_.grid.tensor);
    for (int64_t& b : bytes) b = (b + links - 1) / links;
    if (!choices_.config.strategy.find<Model>()) return split_chain(chain_problem(stages_, chain_, bytes));
    ChainDevices problem = chain_devices(stages_, chain_, bytes);
    problem.memory = layer_memory(module_, stages_, position, chain_.size());
    auto result = split_over_some(problem);
    if (!result && !problem.memory.bytes.empty()) {  // the program is refused when it is loaded
      problem.memory = {};
      result = split_over_some(problem);
    }
    if (result) note_empty(problem, *result);
    return result;
  }

  // Notes the devices that the split leaves empty. Consecutive empty devices that are equal are noted with
  // the load of the first of them.
  void note_empty(const ChainDevices& problem, const ChainSplit& split) {
    double seconds = 0;
    const std::set<int> used(split.device.begin(), split.device.end());
    for (size_t s = 0; s < stages_.count(); ++s) {
      if (used.contains(static_cast<int>(s))) continue;
      const bool as_before = s > 0 && !used.contains(static_cast<int>(s - 1)) && are_equal(problem, s - 1, s);
      if (!as_before) seconds = load_with(problem, split, s);
      for (size_t lane = 0; lane < stages_.grid.tensor; ++lane) {
        const auto copy = replica_ * static_cast<int64_t>(stages_.grid.tensor) + static_cast<int64_t>(lane);
        choices_.empty[stages_.device_of(copy, s)] = {split.bottleneck, seconds};
      }
    }
  }

  LogicalResult take_stages(ArrayRef<int> stage, ArrayRef<double> load) {
    const FittedStrategy& strategy = choices_.config.strategy;
    const double total = std::accumulate(load.begin(), load.end(), 0.0);
    const std::set<int> used(stage.begin(), stage.end());
    for (auto [layer, number] : llvm::zip(chain_, stage))
      for (Group* group : layer.copies) {
        const auto s = static_cast<size_t>(number);
        const int64_t copy = group->key.replica;
        if (stages_.chunks > 1) choices_.stage_of[group->key] = number;
        if (!choices_.is_open(*group)) continue;
        std::string reason = stages_.chunks > 1 ? stages_.text(copy, s) : split_text(used, number);
        if (!load.empty()) reason += llvm::formatv(": {0:P0} of the time", total > 0 ? load[s] / total : 0);
        if (strategy.copies() > 1) reason = copy_text(strategy, copy) + ", " + reason;
        if (failed(choices_.choose(*group, stages_.device_of(copy, s), reason))) return failure();
      }
    return success();
  }

  // Returns "split 1 of 2" for the first of two devices that have layers.
  static std::string split_text(const std::set<int>& used, int stage) {
    if (used.size() == 1) return "not split";
    const auto number = std::distance(used.begin(), used.find(stage)) + 1;
    return llvm::formatv("split {0} of {1}", number, used.size());
  }

  // Reports why there is no split. `left`: the length of first_stages.
  LogicalResult refuse(const Failure& e, size_t left) {
    for (const ChainLayer& layer : chain_)
      for (const Group* group : layer.copies)
        if (failed(refuse_if_nowhere(stages_, *group))) return failure();
    if (llvm::any_of(chain_, [](const ChainLayer& layer) { return layer.fixed >= 0; }))
      return refuse_order(stages_, chain_, left);
    return emitError(chain_.front().copies.front()->ops.front()->getLoc())
           << (e.hint.empty() ? e.what : e.what + " (" + e.hint + ")");
  }

  ModuleOp module_;
  Choices& choices_;
  const int64_t replica_;
  const Stages stages_;
  std::vector<ChainLayer> chain_;
};

}  // namespace

LogicalResult split_over_devices(ModuleOp module, Choices& choices, int64_t replica) {
  return SplitOfReplica(module, choices, replica).run();
}

}  // namespace cutset::passes
