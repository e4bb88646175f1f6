// SPDX-License-Identifier: Apache-2.0
/* A backend that returns NULL for every version of the ABI, as if it implemented another one. */
#include <stddef.h>

#include "runtime/abi/cutset_device.h"

__attribute__((visibility("default"))) const cutset_backend* cutset_backend_open(uint32_t abi) {
  return NULL;
}
