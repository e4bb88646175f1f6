// SPDX-License-Identifier: Apache-2.0
// The messages of the check of the memory.
#pragma once
#include <optional>
#include <string>

#include "runtime/program/check/accesses.h"
#include "runtime/program/check/order.h"
#include "runtime/program/check/units.h"

namespace cutset::checks {

class MemoryErrors {
 public:
  // Both arguments must outlive this object.
  MemoryErrors(const Function& f, const Units& units) : f_(f), units_(units) {}

  const Unit& unit_at(int32_t unit) const { return units_.units[static_cast<size_t>(unit)]; }
  std::string shown(int32_t unit) const { return checks::shown(f_, unit_at(unit)); }
  std::string place_of(const Action& at) const;
  // Returns a failure whose message begins with the place of the action.
  Failure wrong_at(const Action& at, const std::string& what) const;
  // Returns the failure for a data race: nothing orders the action and an earlier access. The earlier access
  // is number `number` of `queue` and accesses `other`. `does` and `did` are the verbs of the action and of
  // the earlier access.
  Failure race(const Action& at, const std::string& does, int32_t unit, int queue, const std::string& did,
               int32_t other, int64_t number) const;
  // Returns the failure for a unit that is read after `other` was written to its memory. `times`: the
  // accesses to `other`. `reader` is the subject and the verb of the message, such as "the host reads".
  // `clock`: what the reader knows to be done; none: everything.
  Failure overwritten(int32_t unit, int32_t other, const Times& times, const std::string& reader,
                      const std::optional<Clock>& clock, size_t device) const;

 private:
  // Returns the place of the action with this number in a queue.
  std::string place_of(size_t device, int queue, int64_t number) const;

  const Function& f_;
  const Units& units_;
};

}  // namespace cutset::checks
