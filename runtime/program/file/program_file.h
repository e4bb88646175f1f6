// SPDX-License-Identifier: Apache-2.0
// Reads and writes saved programs. A file holds a Program and values of its variables, and it is run without
// a compiler.
//
// The layout, in little-endian order, is: "CUTSETP\n", the version (u32), the CRC-32 of the body (u32), the
// size of the body in bytes (u64), the body. The body holds the fields of program_fields.h.
//
// A file is untrusted. Reading it takes at most twice its size plus 256 MiB of memory. The program that is
// returned has passed check_program.
#pragma once
#include <string>

#include "runtime/files/safetensors.h"
#include "runtime/program/program.h"
#include "runtime/program/value_range.h"

namespace cutset {

inline constexpr uint32_t kProgramFileVersion = 12;

struct SavedProgramFile {
  Program program;
  // Values of variables, by name. A variable without a value has the value that Variable::drawn draws. If
  // this is not set, it is an optimizer state with its first value, or zeros.
  TensorMap variables;
  uint64_t step = 0;   // the number of training steps that produced the values
  ValueRanges ranges;  // of hyper-parameters, and of the inputs that are labels or indices (Feeds::ranges)
};

// Writes the file atomically (see write_file): a failure leaves the old file.
Status write_program(const std::string& path, const SavedProgramFile& saved);
// Fails, naming the file, if it cannot be read, has another version, is damaged, or holds a program that
// check_program refuses. A file may be as large as the memory of the machine.
Result<SavedProgramFile> read_program(const std::string& path);

}  // namespace cutset
