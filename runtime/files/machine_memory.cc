#include "runtime/files/machine_memory.h"

#include <unistd.h>

namespace cutset {

uint64_t machine_memory_bytes() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
}

}  // namespace cutset
