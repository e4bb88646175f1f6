// SPDX-License-Identifier: Apache-2.0
// The members of cutset_backend that every backend with its own class of queues sets in the same way.
#pragma once
#include "runtime/abi/cutset_device.h"

// Begins the initializer of a cutset_backend; the optional tables and `resume` follow. `table` holds the
// kernels. Each other member is the function in scope that has the name of the member, with three exceptions:
// free_buffer, make_queue and make_event.
#define CUTSET_BACKEND_FUNCTIONS(backend_name, device_kind, table)                                         \
  .abi = CUTSET_DEVICE_ABI, .size = sizeof(cutset_backend), .name = backend_name, .kind = device_kind,     \
  .kernels = (table).data(), .kernel_count = (table).size(), .describe = describe, .available = available, \
  .open = open, .close = close, .allocate = allocate, .free = free_buffer, .queue = make_queue,            \
  .release_queue = release_queue, .event = make_event, .release_event = release_event, .signal = signal,   \
  .wait = wait, .write = write, .read = read, .copy = copy, .finish = finish, .abandon = abandon
