// Removes waits that other waits imply, and signals for which nothing waits.
#pragma once
#include "runtime/program/program.h"

namespace cutset {

// Removes every wait of the device whose signal is already known to have happened: the queue itself has given it, or the
// queue has waited for a later signal, directly or through another queue. Then removes the signals that no wait names,
// and numbers the events anew. The order of the accesses to memory stays the same. Takes time in proportion to the number
// of instructions. The waits of the plan must end (runtime/program/check/order.h).
void drop_implied_waits(DevicePlan& plan);

}  // namespace cutset
