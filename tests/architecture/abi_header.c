// SPDX-License-Identifier: Apache-2.0
/* Tests that the header of the device ABI is plain C99. The test is that this file compiles. */
#include "runtime/abi/cutset_device.h"

int cutset_abi_header_compiles(const cutset_backend* b) {
  return b->abi == CUTSET_DEVICE_ABI && sizeof(cutset_kernel) > 0;
}
