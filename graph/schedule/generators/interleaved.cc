// SPDX-License-Identifier: Apache-2.0
// Interleaved 1F1B: every device holds v stages, called chunks, and the micro-batches pass all devices v
// times.
//
// Source: Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using
//   Megatron-LM", SC 2021, section 2.2. The paper needs a number of micro-batches m that the number of
//   devices p divides, and lets groups of p micro-batches pass a chunk before the device turns to its next
//   chunk. Here m micro-batches are floor(m / p) groups of nearly equal size. The larger groups come first. A
//   group of at least p micro-batches keeps the devices busy until its first result returns from the last
//   device. Larger groups need more frames. Figures for equal stages and links without latency: bubble (p -
//   1) / (v m + p - 1) for m >= p. Otherwise there is one group, and the idle time grows by (v - 1) (p - m)
//   chunks.
#include <algorithm>

#include "graph/schedule/generators.h"
#include "graph/schedule/pipeline.h"

namespace cutset {
namespace {

struct Groups {
  int64_t count, least, larger;  // `larger` groups have `least` + 1 micro-batches, the others `least`
  explicit Groups(const ScheduleShape& shape)
      : count(std::max<int64_t>(1, shape.micro_batches / shape.devices)),
        least(shape.micro_batches / count),
        larger(shape.micro_batches % count) {}
  int64_t size(int64_t group) const { return group < larger ? least + 1 : least; }
};

// Returns the actions of one direction on device `device`, in their order.
std::vector<Action> direction(const ScheduleShape& shape, int64_t device, ActionKind kind) {
  const Groups groups(shape);
  std::vector<Action> list;
  for (int64_t group = 0, first = 0; group < groups.count; first += groups.size(group++))
    for (int64_t turn = 0; turn < shape.chunks; ++turn) {
      const int64_t chunk = kind == ActionKind::kForward ? turn : shape.chunks - 1 - turn;
      for (int64_t k = 0; k < groups.size(group); ++k)
        list.push_back(
            {kind, static_cast<int32_t>(chunk * shape.devices + device), static_cast<int32_t>(first + k)});
    }
  return list;
}

Schedule generate(const ScheduleShape& shape) {
  Schedule schedule;
  for (int64_t d = 0; d < shape.devices; ++d) {
    const std::vector<Action> forward = direction(shape, d, ActionKind::kForward);
    const std::vector<Action> backward = direction(shape, d, ActionKind::kBackward);
    // The warm-up of the paper. It has two actions for each later device, which hide the time of the links.
    const auto warm_up =
        static_cast<size_t>(2 * (shape.devices - 1 - d) + (shape.chunks - 1) * Groups(shape).size(0));
    std::vector<Action>& list = schedule.devices.emplace_back();
    list.assign(forward.begin(), forward.begin() + static_cast<int64_t>(std::min(warm_up, forward.size())));
    for (size_t k = 0; k < backward.size(); ++k) {
      if (warm_up + k < forward.size()) list.push_back(forward[warm_up + k]);
      list.push_back(backward[k]);
    }
  }
  return schedule;
}

const RegisterScheduleGenerator registered({"interleaved", "1f1b with several stages per device", 2,
                                            kScheduleCells, generate});

}  // namespace
}  // namespace cutset
