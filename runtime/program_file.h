// Saved programs: a Program with the values of its variables, in one file, run without a compiler.
//
// Layout, little-endian: "CUTSETP\n", u32 version, u32 CRC-32 of the body, u64 bytes of the body, body. A file
// is untrusted: it is checked whole before anything is allocated for it, and check_program holds of what is
// returned.
#pragma once
#include <string>

#include "runtime/program.h"
#include "runtime/safetensors.h"

namespace cutset {

inline constexpr uint32_t kProgramFileVersion = 2;

struct SavedProgramFile {
  Program program;
  TensorMap variables;  // one value each
  uint64_t step = 0;    // training steps that the values come from
};

// Atomic: a failure leaves what was at `path`.
Status write_program(const std::string& path, const SavedProgramFile& saved);
Result<SavedProgramFile> read_program(const std::string& path);

// Every index is one of what it counts, every buffer lies in its arena, every kernel's op takes its operands to
// its results by its own rules, every sum has its tree: what the executor takes for granted.
Status check_program(const Program& program);

}  // namespace cutset
