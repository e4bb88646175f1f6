// SPDX-License-Identifier: Apache-2.0
// A number that tells programs apart.
#pragma once
#include "runtime/program/program.h"

namespace cutset {

// Sets `program.fingerprint` to a hash of everything else that the program holds. Takes time linear in the
// program.
void set_fingerprint(Program& program);

}  // namespace cutset
