// SPDX-License-Identifier: Apache-2.0
// The transfers of a program per step, in the form of the public headers.
#pragma once
#include <cutset/session.h>

#include <vector>

#include "runtime/program/program.h"

namespace cutset {

// Returns the transfers of main_function(), one element per pair of places.
std::vector<Transfer> transfers_of(const Program& program);

}  // namespace cutset
