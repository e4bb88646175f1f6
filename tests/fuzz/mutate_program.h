// Changes a saved program as one who knows its structure would.
#pragma once
#include <string>
#include <vector>

#include "ir/core/philox.h"
#include "runtime/program_file.h"

namespace cutset::fuzz {

class ProgramMutator {
 public:
  // Kernels' names are taken from `programs`, and put where they do not belong.
  explicit ProgramMutator(const std::vector<SavedProgramFile>& programs);
  // Makes one to four changes and returns their names.
  std::string mutate(PhiloxSequence& random, SavedProgramFile& saved) const;

 private:
  std::vector<std::string> kernels_, ops_;
};

}  // namespace cutset::fuzz
