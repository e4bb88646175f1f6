// SPDX-License-Identifier: Apache-2.0
#include "runtime/execute/bound_program.h"

namespace cutset {

DeviceList BoundProgram::descriptions() const {
  DeviceList list;
  for (size_t d : device_of) list.push_back(executor.devices().device(d).shared_description());
  return list;
}

Result<std::vector<char*>> BoundProgram::host_blocks(const std::vector<uint64_t>& bytes) {
  std::vector<char*> blocks(bytes.size());
  for (size_t d = 0; d < bytes.size(); ++d) {
    if (bytes[d] == 0) continue;
    CUTSET_ASSIGN(void* block, handles[d]->host_memory(bytes[d]));
    blocks[d] = static_cast<char*>(block);
  }
  return blocks;
}

}  // namespace cutset
