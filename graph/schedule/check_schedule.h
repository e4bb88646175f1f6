// SPDX-License-Identifier: Apache-2.0
// Proves that a schedule of a pipeline is complete and ends.
//
// A device runs its actions in order. It receives the operand of an action from another device directly
// before the action, and it sends the result directly after it. Two channels connect a stage and the next
// stage, one in each direction. A channel has a capacity c: send k + c waits for recv k. So the schedule is a
// graph of events, with edges for the order of each device, for the values that actions use, from send k to
// recv k, and from recv k to send k + c. The schedule ends if and only if this graph has no cycle. It then
// also ends on devices whose sends and receives run in separate queues, because such devices obey only some
// of these edges, and other edges that follow from them.
//
// If a cycle contains an edge from a recv to a send, the capacity of this channel is raised by one. This is
// repeated until no such cycle is left. A cycle without such an edge is an error. The error names actions
// that wait for each other.
//
// Method: the graph is not stored. The events run in an order that is driven by demand: a stack holds the
//   devices that wait for each other, and a device that is met twice closes a cycle.
// Complexity: O(n) for n actions, plus the length of the cycle per raise of a capacity, which is at most
//   the number of devices. A channel is raised at most as often as there are micro-batches.
#pragma once
#include <cstdint>
#include <vector>

#include "graph/schedule/action_index.h"
#include "graph/schedule/pipeline.h"
#include "graph/schedule/schedule.h"
#include "ir/core/result.h"

namespace cutset {

// The capacities of the channels, in messages. 0: there is no channel, because one device has both stages.
struct Channels {
  std::vector<int64_t> forward;   // forward[s]: from stage s to stage s + 1
  std::vector<int64_t> backward;  // backward[s]: from stage s + 1 to stage s
};

struct CheckedSchedule {
  Channels capacities;                // no capacity is smaller than the given one
  std::vector<ActionPosition> order;  // all actions; each one comes after the actions whose results it uses
  uint64_t work = 0;  // the number of events and waits that were visited, for tests of the complexity
};

// Checks a schedule of a pipeline that check_pipeline accepts. Every channel begins with `capacity` messages,
// which must be positive. Fails if a stage or a micro-batch is out of range, if a device runs an action of a
// stage of another device, if an action is missing or occurs twice, if a device uses a value before it has
// computed it, or if actions wait for each other. The errors name the actions.
Result<CheckedSchedule> check_schedule(const PipelineCosts& pipeline, const Schedule& schedule,
                                       int64_t capacity = 1);

}  // namespace cutset
