// SPDX-License-Identifier: Apache-2.0
#include "passes/place/round_lines.h"

#include <set>

#include "ir/structural/structural.h"
#include "passes/passes.h"
#include "passes/support/layout/forward_ops.h"
#include "passes/support/placement/rounds.h"

using namespace mlir;

namespace cutset::passes {
namespace {

// The stages whose forward actions have parts in a round, and the stages whose backward actions do.
struct RoundStages {
  std::set<int64_t> forward, backward;
  bool operator==(const RoundStages&) const = default;
};

// Returns the stages as text: "stage 2", "stages 0 to 3" or "stages 0, 2".
std::string text_of(const std::set<int64_t>& stages) {
  const int64_t first = *stages.begin(), last = *stages.rbegin();
  if (first == last) return "stage " + std::to_string(first);
  if (last - first + 1 == static_cast<int64_t>(stages.size()))
    return "stages " + std::to_string(first) + " to " + std::to_string(last);
  std::string text;
  for (const int64_t stage : stages) text += (text.empty() ? "stages " : ", ") + std::to_string(stage);
  return text;
}

std::string text_of(const RoundStages& round) {
  std::string text;
  if (!round.forward.empty()) text = "forward of " + text_of(round.forward);
  if (!round.backward.empty())
    text += (text.empty() ? "" : "; ") + ("backward of " + text_of(round.backward));
  return text;
}

}  // namespace

FailureOr<std::vector<std::string>> round_lines(func::FuncOp function, const PipelineSchedules& schedules) {
  std::map<int, RoundStages> by_round;
  const auto rounds = rounds_of(function);
  const auto forward = forward_ops(function);
  const auto grid = schedules.grid();
  if (failed(grid)) return failure();
  for (auto op : function.getOps<ir::PlacedOpInterface>()) {
    if (!op->hasAttr(kShardClass) || !op.placement().device) continue;
    const auto device = schedules.number_of(op.placement().device);
    if (failed(device)) return failure();
    const int64_t stage =
        op->hasAttr(kStage) ? stage_of(op) : static_cast<int64_t>(grid->position_of(*device));
    RoundStages& stages_of_round = by_round[rounds.lookup(op)];
    (forward.contains(op) ? stages_of_round.forward : stages_of_round.backward).insert(stage);
  }
  std::vector<std::string> lines;
  if (by_round.size() < 2) return lines;
  const std::string name = "'" + function.getName().str() + "'", count = std::to_string(by_round.size());
  lines.push_back("sums over the whole batch divide a step of " + name + " into " + count +
                  " rounds; all micro-batches pass a round before the next one:");
  int64_t number = 1, first = 1;
  for (auto round = by_round.begin(); round != by_round.end(); ++round, ++number) {
    const auto next = std::next(round);
    if (next != by_round.end() && next->second == round->second) continue;
    lines.push_back((first == number ? "round " : "rounds " + std::to_string(first) + " to ") +
                    std::to_string(number) + ": " + text_of(round->second));
    first = number + 1;
  }
  lines.push_back(
      "in each round, a device runs the parts of its actions that belong to the round, in this order:");
  return lines;
}

}  // namespace cutset::passes
