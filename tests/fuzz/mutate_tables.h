// SPDX-License-Identifier: Apache-2.0
// Random changes to the tables of a program: its devices, variables, ports, roles, channels and collectives.
#pragma once
#include "ir/core/philox.h"
#include "runtime/program/file/program_file.h"
#include "tests/fuzz/program_parts.h"

namespace cutset::fuzz {

// A random change of `f`, a function of `s` with the parts `p`, or of other tables of `s`.
using Change = void (*)(PhiloxSequence& r, SavedProgramFile& s, Function& f, Parts& p);

void change_transfers(PhiloxSequence& r, SavedProgramFile& s, Function& f, Parts& p);
void change_roles(PhiloxSequence& r, SavedProgramFile& s, Function& f, Parts& p);
void change_devices(PhiloxSequence& r, SavedProgramFile& s, Function& f, Parts& p);
void change_names(PhiloxSequence& r, SavedProgramFile& s, Function& f, Parts& p);
void change_sizes(PhiloxSequence& r, SavedProgramFile& s, Function& f, Parts& p);

}  // namespace cutset::fuzz
