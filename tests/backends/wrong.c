// SPDX-License-Identifier: Apache-2.0
/* wrong:N - a backend with one mistake, which the environment variable CUTSET_WRONG names:
 *
 *   FIELD                 this field of cutset_backend is null or a wrong number: abi, size, name, kind,
 * kernels, describe, available, open, close, allocate, free, queue, release_queue, event, release_event,
 * signal, wait, write, read, copy, finish, abandon, layouts, code no_optional           the table ends before
 * the optional tables, which is correct short_time            the table ends behind `time`, which has only
 * its size memory, capture, time, collectives this optional table has only its size other_kind `kind` differs
 * from the kind in the name of the file kernel.FIELD          this field of its kernel is null or a wrong
 * number: size, op, name, supports, scratch, prepare, enqueue, release kernel.null           the pointer to
 * its kernel is null no_message            `available` returns an error without a message kernel.twice it has
 * two kernels with the same name info.FIELD            `describe` returns a wrong size, index, threads,
 * alignment, description, flops_per_second huge_scratch          its kernel asks for 2^64 - 1 bytes of
 * scratch memory lies_about_scratch    its kernel asks for no scratch memory, and its plan needs 4096 bytes
 *   no_device, no_buffer, no_queue, no_event, no_plan
 *                         the function that creates this handle reports success and returns a null handle
 *
 * Without the variable it is a correct backend with one kernel, `tanh`, which does nothing. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/abi/cutset_device.h"

static int asked(const char* what) {
  const char* wrong = getenv("CUTSET_WRONG");
  return wrong && !strcmp(wrong, what);
}
static void* handle(const char* unless) { return asked(unless) ? NULL : malloc(1); }

static const cutset_error* describe(cutset_device_info* info) {
  info->flops_per_second = info->bytes_per_second = info->link_bytes_per_second = 1e9;
  info->link_seconds = info->launch_seconds = 1e-6;
  info->alignment = 64;
  strcpy(info->description, "a backend that describes itself wrongly");
  if (asked("info.size")) info->size = 7;
  if (asked("info.index")) info->index = 7;
  if (asked("info.threads")) info->threads = -1;
  if (asked("info.alignment")) info->alignment = 48;
  if (asked("info.description")) memset(info->description, 'x', sizeof info->description);
  if (asked("info.flops_per_second")) info->flops_per_second = -1;
  return NULL;
}
static const cutset_error* available(const cutset_device_info* info) {
  static const cutset_error silent = {sizeof silent, 99, NULL};
  return asked("no_message") ? &silent : NULL;
}
static const cutset_error* open_device(const cutset_device_info* info, cutset_device* device) {
  *device = handle("no_device");
  return NULL;
}
static void close_device(cutset_device device) { free(device); }
static const cutset_error* allocate(cutset_device device, uint64_t bytes, cutset_buffer* buffer) {
  *buffer = handle("no_buffer");
  return NULL;
}
static void free_buffer(cutset_device device, cutset_buffer buffer) { free(buffer); }
static const cutset_error* queue(cutset_device device, cutset_queue* made) {
  *made = handle("no_queue");
  return NULL;
}
static void release_queue(cutset_queue made) { free(made); }
static const cutset_error* event(cutset_device device, cutset_event* made) {
  *made = handle("no_event");
  return NULL;
}
static void release_event(cutset_device device, cutset_event made) { free(made); }
static const cutset_error* signal_event(cutset_queue on, cutset_event which, uint64_t value) { return NULL; }
static const cutset_error* wait_event(cutset_queue on, cutset_event which, uint64_t value) { return NULL; }
static const cutset_error* write_slice(cutset_queue on, const cutset_slice* to, const void* from) {
  return NULL;
}
static const cutset_error* read_slice(cutset_queue on, const cutset_slice* from, void* to) { return NULL; }
static const cutset_error* copy(cutset_queue on, const cutset_slice* from, const cutset_slice* to) {
  return NULL;
}
static const cutset_error* finish(cutset_queue on) { return NULL; }
static void abandon(cutset_device device) {}

static const cutset_error* supports(const cutset_device_info* info, const cutset_problem* problem) {
  return NULL;
}
static const cutset_error* scratch(const cutset_device_info* info, const cutset_problem* problem,
                                   uint64_t* bytes) {
  *bytes = asked("huge_scratch") ? UINT64_MAX : 0;
  return NULL;
}
static const cutset_error* prepare(cutset_device device, const cutset_problem* problem, cutset_plan* made,
                                   uint64_t* scratch_bytes) {
  *made = handle("no_plan");
  *scratch_bytes = asked("lies_about_scratch") ? 4096 : 0;
  return NULL;
}
static const cutset_error* enqueue(cutset_queue on, cutset_plan plan, const cutset_slice* in,
                                   const cutset_slice* out, const cutset_slice* scratch_slice,
                                   const cutset_run* run) {
  return NULL;
}
static void release(cutset_plan plan) { free(plan); }

#define WRONG(prefix, of, field, value) \
  if (asked(prefix #field)) of.field = value

__attribute__((visibility("default"))) const cutset_backend* cutset_backend_open(uint32_t abi) {
  static cutset_kernel kernel;
  static const cutset_kernel* kernels[2];
  static cutset_backend backend;
  static const cutset_memory_functions memory = {sizeof memory};
  static const cutset_capture_functions capture = {sizeof capture};
  static const cutset_time_functions time = {sizeof time};
  static const cutset_collective_functions collectives = {sizeof collectives};
  const cutset_kernel tanh_kernel = {
      sizeof(cutset_kernel), "tanh", "tanh.wrong", supports, scratch, prepare, enqueue, release};
  const cutset_backend right = {.abi = CUTSET_DEVICE_ABI,
                                .size = sizeof(cutset_backend),
                                .name = "wrong",
                                .kind = "wrong",
                                .kernels = kernels,
                                .kernel_count = 1,
                                .describe = describe,
                                .available = available,
                                .open = open_device,
                                .close = close_device,
                                .allocate = allocate,
                                .free = free_buffer,
                                .queue = queue,
                                .release_queue = release_queue,
                                .event = event,
                                .release_event = release_event,
                                .signal = signal_event,
                                .wait = wait_event,
                                .write = write_slice,
                                .read = read_slice,
                                .copy = copy,
                                .finish = finish,
                                .abandon = abandon};
  if (abi != CUTSET_DEVICE_ABI) return NULL;
  kernel = tanh_kernel;
  kernels[0] = kernels[1] = &kernel;
  backend = right;
  if (asked("kernel.twice")) backend.kernel_count = 2;
  if (asked("kernel.null")) kernels[0] = NULL;
  /* The members beyond the size are not part of the table. */
  if (asked("short_time")) {
    backend.size = offsetof(cutset_backend, layouts);
    backend.time = &time;
  }
  if (asked("no_optional")) {
    backend.size = offsetof(cutset_backend, memory);
    backend.code = &backend;
  }
  if (asked("other_kind")) backend.kind = "cpu";
  WRONG("", backend, abi, 3);
  WRONG("", backend, size, 8);
  WRONG("", backend, name, NULL);
  WRONG("", backend, kind, NULL);
  WRONG("", backend, kernels, NULL);
  WRONG("", backend, describe, NULL);
  WRONG("", backend, available, NULL);
  WRONG("", backend, open, NULL);
  WRONG("", backend, close, NULL);
  WRONG("", backend, allocate, NULL);
  WRONG("", backend, free, NULL);
  WRONG("", backend, queue, NULL);
  WRONG("", backend, release_queue, NULL);
  WRONG("", backend, event, NULL);
  WRONG("", backend, release_event, NULL);
  WRONG("", backend, signal, NULL);
  WRONG("", backend, wait, NULL);
  WRONG("", backend, write, NULL);
  WRONG("", backend, read, NULL);
  WRONG("", backend, copy, NULL);
  WRONG("", backend, finish, NULL);
  WRONG("", backend, abandon, NULL);
  WRONG("", backend, memory, &memory);
  WRONG("", backend, capture, &capture);
  WRONG("", backend, time, &time);
  WRONG("", backend, collectives, &collectives);
  WRONG("", backend, layouts, &backend);
  WRONG("", backend, code, &backend);
  WRONG("kernel.", kernel, size, 8);
  WRONG("kernel.", kernel, op, NULL);
  WRONG("kernel.", kernel, name, NULL);
  WRONG("kernel.", kernel, supports, NULL);
  WRONG("kernel.", kernel, scratch, NULL);
  WRONG("kernel.", kernel, prepare, NULL);
  WRONG("kernel.", kernel, enqueue, NULL);
  WRONG("kernel.", kernel, release, NULL);
  return &backend;
}
