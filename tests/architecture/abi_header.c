/* The device ABI must be plain C99: this file only has to compile. */
#include "runtime/abi/cutset_device.h"

int cutset_abi_header_compiles(const cutset_backend* b) {
  return b->abi == CUTSET_DEVICE_ABI && sizeof(cutset_kernel) > 0;
}
