/* A backend that implements no version of the ABI that the host asks for. */
#include <stddef.h>

#include "runtime/abi/cutset_device.h"

__attribute__((visibility("default"))) const cutset_backend* cutset_backend_open(uint32_t abi) { return NULL; }
