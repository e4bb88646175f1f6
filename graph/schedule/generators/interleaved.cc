// Interleaved 1F1B: every device holds v stages, called chunks, and the micro-batches pass all devices v times.
//
// Source: Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM", SC 2021,
//   section 2.2. The paper needs a number of micro-batches m that the number of devices p divides. Here the order is
//   made for the next multiple of p, and the actions of the micro-batches beyond m are left out. What remains is free
//   of deadlock, because an order without some of its micro-batches has no new dependencies.
// Figures for equal stages, links without latency and p dividing m: bubble (p - 1) / (v m + p - 1).
#include <algorithm>

#include "graph/schedule/generators.h"
#include "graph/schedule/pipeline.h"

namespace cutset {
namespace {

// An action of a device, and its number among the actions of its direction.
struct Numbered {
  Action action;
  int64_t number = 0;
};

// The number of micro-batches that pass a chunk before the device turns to its next chunk: at least p, so that the
// results of the last device arrive in time. m micro-batches are divided into floor(m / p) groups of nearly equal size,
// of which the larger ones come first.
struct Groups {
  int64_t count, least, larger;  // `larger` groups have `least` + 1 micro-batches, the others `least`
  explicit Groups(const ScheduleShape& shape)
      : count(std::max<int64_t>(1, shape.micro_batches / shape.devices)),
        least(shape.micro_batches / count),
        larger(shape.micro_batches % count) {}
  int64_t size(int64_t group) const { return group < larger ? least + 1 : least; }
};

// The actions of one direction on device `device`. Where there are fewer than p micro-batches, the numbers leave gaps
// for the others.
std::vector<Numbered> direction(const ScheduleShape& shape, int64_t device, ActionKind kind) {
  const Groups groups(shape);
  std::vector<Numbered> list;
  for (int64_t group = 0, first = 0, number = 0; group < groups.count; first += groups.size(group++))
    for (int64_t turn = 0; turn < shape.chunks; ++turn) {
      const int64_t chunk = kind == ActionKind::kForward ? turn : shape.chunks - 1 - turn;
      for (int64_t k = 0; k < groups.size(group); ++k)
        list.push_back({{kind, static_cast<int32_t>(chunk * shape.devices + device), static_cast<int32_t>(first + k)},
                        number + k});
      number += std::max(shape.devices, groups.size(group));
    }
  return list;
}

Schedule generate(const ScheduleShape& shape) {
  const int64_t group = std::max(shape.devices, Groups(shape).size(0));
  Schedule schedule;
  for (int64_t d = 0; d < shape.devices; ++d) {
    std::vector<Action>& list = schedule.devices.emplace_back();
    const int64_t warm_up = 2 * (shape.devices - 1 - d) + (shape.chunks - 1) * group;
    const std::vector<Numbered> forward = direction(shape, d, ActionKind::kForward);
    auto next = forward.begin();
    for (const Numbered& backward : direction(shape, d, ActionKind::kBackward)) {
      for (; next != forward.end() && next->number - warm_up <= backward.number; ++next) list.push_back(next->action);
      list.push_back(backward.action);
    }
  }
  return schedule;
}

const RegisterScheduleGenerator kRegistered({"interleaved", "1f1b with several stages per device", 2, kScheduleCells,
                                             generate});

}  // namespace
}  // namespace cutset
