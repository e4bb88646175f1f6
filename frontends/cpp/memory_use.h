// What a program takes of each device's memory, in the words of the public headers.
#pragma once
#include <cutset/session.h>

#include "runtime/program.h"

namespace cutset {

// What transfers, memory and pictures are of: "train", else "evaluate", else the first.
const Function& main_function(const Program& program);
std::vector<MemoryUse> memory_use(const Program& program);

}  // namespace cutset
