// SPDX-License-Identifier: Apache-2.0
// Makes random changes to the structure of a saved program. The changed program is written to a file with a
// correct checksum, so that the checks of the program itself are tested.
#pragma once
#include <string>
#include <vector>

#include "ir/core/philox.h"
#include "runtime/program/file/program_file.h"

namespace cutset::fuzz {

class ProgramMutator {
 public:
  // The names of kernels that mutate() puts into instructions are taken from `programs`.
  explicit ProgramMutator(const std::vector<SavedProgramFile>& programs);
  // Makes one to four changes and returns their names, separated by commas.
  std::string mutate(PhiloxSequence& random, SavedProgramFile& saved) const;

 private:
  std::vector<std::string> kernels_, ops_;
};

}  // namespace cutset::fuzz
