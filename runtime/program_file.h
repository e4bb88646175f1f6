// Saved programs: a Program with the values of its variables, in one file, run without a compiler.
//
// Layout, little-endian: "CUTSETP\n", u32 version, u32 CRC-32 of the body, u64 bytes of the body, body. A file
// is untrusted: reading it takes less memory than twice its size and 256 MiB, it is checked whole before anything
// is allocated that it asks for, and check_program holds of what is returned.
#pragma once
#include <string>

#include "runtime/program.h"
#include "runtime/safetensors.h"

namespace cutset {

inline constexpr uint32_t kProgramFileVersion = 3;

struct SavedProgramFile {
  Program program;
  TensorMap variables;  // one value each
  uint64_t step = 0;    // training steps that the values come from
};

// Atomic: a failure leaves what was at `path`.
Status write_program(const std::string& path, const SavedProgramFile& saved);
Result<SavedProgramFile> read_program(const std::string& path);

// What the executor takes for granted. Names are names (ir/core/names.h) and every index is one of what it counts.
// Every buffer lies in its arena, and apart from what is in use at the same time. Every kernel's op takes its
// operands to its results by its own rules. Nothing is read that nothing has written, and what two queues of a
// device touch is ordered by events. Variables are written after the commit alone. Every sum has its tree, every
// output is written whole, and a step comes to its end. Whether the devices have the kernels is asked when the
// program is loaded.
Status check_program(const Program& program);

}  // namespace cutset
