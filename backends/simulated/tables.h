// SPDX-License-Identifier: Apache-2.0
// The optional tables of the device ABI for the simulated accelerator, and the functions that they share with
// backend.cc.
#pragma once
#include "backends/simulated/device.h"

namespace cutset::simulated {

inline Device* of(cutset_device d) { return reinterpret_cast<Device*>(d); }
inline Queue* of(cutset_queue q) { return reinterpret_cast<Queue*>(q); }

// Returns the modelled time of a transfer of `bytes` bytes over the device's link.
double link_seconds(cutset_queue queue, uint64_t bytes);
// Appends a command of kind kWork to the queue, on behalf of the function `function` of the ABI. Carries out
// the faults that are requested for this function.
void submit_work(cutset_queue queue, const char* function, Command command);
// Does the same for a function whose faults have been looked up.
void submit_work(cutset_queue queue, Faults::Outcome outcome, const std::string& function, Command command);

// Looks up the faults of a function that appends a command of another kind than kWork. If the command is to
// be lost or to hang, appends a command that does so and returns true.
bool takes_the_place_of(cutset_queue queue, const char* function);

const cutset_memory_functions& memory_functions();
const cutset_capture_functions& capture_functions();
const cutset_time_functions& time_functions();
const cutset_collective_functions& collective_functions();

}  // namespace cutset::simulated
