// SPDX-License-Identifier: Apache-2.0
// Assigns slots to the values that the calls of roles use, so that a role is called on few combinations of
// addresses.
//
// The values that the calls of a role return as result `i` are a group, and so are the values that arrive for
// one argument. Groups need different numbers of slots. If each group took turns with its own number, a role
// that uses a group with 8 slots and a group with 7 slots would be called on 56 combinations of addresses.
// Groups whose values are used by the same roles therefore form a rotation. A rotation has a period F, and
// the number of slots k of each of its groups divides F. Value n of a group is in slot n mod k, so n mod F
// determines the slots of all values that call n uses.
//
// Method: the least number of slots of a group is the largest number of values that are alive together. This
//   number is rounded up to a divisor of F. F is at least the largest of these numbers. F is the smallest
//   period with which all slots together take at most slightly more bytes than with the best period.
// Requirement: the lifetimes of a group are first-in-first-out: no value ends before an earlier one. The
//   first value may outlive the others if a sum is made in its memory. It then has its own slot. In other
//   groups, a value takes the slot that has been free for the longest time.
// Complexity: O(n log n) for n values, and O(g sqrt(F)) for g groups.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/packing/pack_arena.h"

namespace cutset {

// Returns the slot of every value; values without a group have one each. Slots are numbered from 0, in the
// order of their first values. The values of a group are in ascending order of `first`.
std::vector<size_t> slots_of(std::span<const ArenaValue> values);

}  // namespace cutset
