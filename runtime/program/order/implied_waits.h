// SPDX-License-Identifier: Apache-2.0
// Removes waits that other waits or messages imply, and signals for which nothing waits.
#pragma once
#include "runtime/program/program.h"

namespace cutset {

// Removes every wait for an event whose signal must have happened before the wait: the queue itself has given
// the signal, or has waited for a later signal, directly or through other queues. Messages and sums also
// order queues, even through other devices (runtime/program/check/order.h). Then removes the signals that no
// wait names, and numbers the events of each device anew. The order of the accesses to memory stays the same.
// A function whose queues wait for each other keeps the waits that it does not reach. It takes O(i + d s)
// time for i instructions on d devices; s of the instructions signal, wait or transfer.
void drop_implied_waits(Function& function);

}  // namespace cutset
