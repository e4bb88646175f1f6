/* A backend that speaks no version of the ABI that it is asked for. */
#include <stddef.h>

#include "runtime/abi/cutset_device.h"

__attribute__((visibility("default"))) const cutset_backend* cutset_backend_open(uint32_t abi) { return NULL; }
