// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/check/memory_errors.h"

#include "runtime/program/check/check.h"

namespace cutset::checks {

std::string MemoryErrors::place_of(const Action& at) const {
  return place(f_, at.device, at.queue, at.apply, at.index);
}

std::string MemoryErrors::place_of(size_t device, int queue, int64_t number) const {
  const auto compute = static_cast<int64_t>(f_.devices[device].queues[queue].compute.size());
  const bool apply = number >= compute;
  return place(f_, device, queue, apply, static_cast<size_t>(apply ? number - compute : number));
}

Failure MemoryErrors::wrong_at(const Action& at, const std::string& what) const {
  return wrong(f_, place_of(at) + " " + what);
}

Failure MemoryErrors::race(const Action& at, const std::string& does, int32_t unit, int queue,
                           const std::string& did, int32_t other, int64_t number) const {
  static constexpr const char* kNames[kQueues] = {"in", "compute", "out"};
  return wrong_at(at, does + " " + shown(unit) +
                          " without waiting for another queue: " + place_of(at.device, queue, number) + " " +
                          did + " " + (other == unit ? "it" : shown(other) + ", which overlaps it") +
                          ", and no event orders the " + kNames[queue] + " queue before the " +
                          kNames[at.queue] + " queue there");
}

Failure MemoryErrors::overwritten(int32_t unit, int32_t other, const Times& times, const std::string& reader,
                                  const std::optional<Clock>& clock, size_t device) const {
  std::string writer;
  bool ordered = true;
  for (int q = 0; q < kQueues; ++q)
    if (const int64_t last = times.written[static_cast<size_t>(q)]; last >= 0) {
      writer = place_of(device, q, last);
      ordered = !clock || last < (*clock)[static_cast<size_t>(q)];
      if (!ordered) break;
    }
  return wrong(f_, shown(unit) + " and " + shown(other) + " of " + f_.devices[device].device +
                       " are in use at once and overlap: " + writer + " writes buffer " +
                       std::to_string(unit_at(other).buffer.value) +
                       (ordered ? ", and later " : ", and without waiting for it ") + reader + " buffer " +
                       std::to_string(unit_at(unit).buffer.value));
}

}  // namespace cutset::checks
