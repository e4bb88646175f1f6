/* wrong:N - a backend with one mistake, which the environment variable CUTSET_WRONG names:
 *
 *   FIELD                 this field of cutset_backend is null or a wrong number: abi, size, name, kind, kernels,
 *                         describe, available, open, close, allocate, free, tensor, release_tensor, queue,
 *                         release_queue, event, release_event, signal, wait, write, read, copy, finish, abandon
 *   other_kind            `kind` differs from the kind in the name of the file
 *   kernel.FIELD          this field of its kernel is null or a wrong number: size, op, name, supports, scratch,
 *                         instantiate, enqueue, release
 *   kernel.twice          it has two kernels with the same name
 *   info.FIELD            `describe` returns a wrong size, index, threads, alignment, description, flops_per_second
 *   huge_scratch          its kernel asks for 2^64 - 1 bytes of scratch memory
 *   no_device, no_buffer, no_tensor, no_queue, no_event, no_instance
 *                         the function that creates this handle reports success and returns a null handle
 *
 * Without the variable it is a correct backend with one kernel, `tanh`, which does nothing. */
#include <stdlib.h>
#include <string.h>

#include "runtime/abi/cutset_device.h"

static int asked(const char* what) {
  const char* wrong = getenv("CUTSET_WRONG");
  return wrong && !strcmp(wrong, what);
}
static void* handle(const char* unless) { return asked(unless) ? NULL : malloc(1); }

static const char* describe(cutset_device_info* info) {
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
static const char* available(const cutset_device_info* info) { return NULL; }
static const char* open_device(const cutset_device_info* info, cutset_device* device) {
  *device = handle("no_device");
  return NULL;
}
static void close_device(cutset_device device) { free(device); }
static const char* allocate(cutset_device device, uint64_t bytes, cutset_buffer* buffer) {
  *buffer = handle("no_buffer");
  return NULL;
}
static void free_buffer(cutset_device device, cutset_buffer buffer) { free(buffer); }
static const char* tensor(cutset_device device, cutset_buffer buffer, uint64_t offset, uint64_t bytes,
                          cutset_tensor* made) {
  *made = handle("no_tensor");
  return NULL;
}
static void release_tensor(cutset_device device, cutset_tensor made) { free(made); }
static const char* queue(cutset_device device, cutset_queue* made) {
  *made = handle("no_queue");
  return NULL;
}
static void release_queue(cutset_queue made) { free(made); }
static const char* event(cutset_device device, cutset_event* made) {
  *made = handle("no_event");
  return NULL;
}
static void release_event(cutset_device device, cutset_event made) { free(made); }
static const char* signal_event(cutset_queue on, cutset_event which, uint64_t value) { return NULL; }
static const char* wait_event(cutset_queue on, cutset_event which, uint64_t value) { return NULL; }
static const char* write_tensor(cutset_queue on, cutset_tensor to, const void* from, uint64_t bytes) { return NULL; }
static const char* read_tensor(cutset_queue on, cutset_tensor from, void* to, uint64_t bytes) { return NULL; }
static const char* copy(cutset_queue on, cutset_tensor from, cutset_tensor to, uint64_t bytes) { return NULL; }
static const char* finish(cutset_queue on) { return NULL; }
static void abandon(cutset_device device) {}

static const char* supports(const cutset_problem* problem) { return NULL; }
static const char* scratch(const cutset_device_info* info, const cutset_problem* problem, uint64_t* bytes) {
  *bytes = asked("huge_scratch") ? UINT64_MAX : 0;
  return NULL;
}
static const char* instantiate(cutset_device device, const cutset_problem* problem, const cutset_tensor* in,
                               const cutset_tensor* out, cutset_tensor scratch_tensor, cutset_instance* made) {
  *made = handle("no_instance");
  return NULL;
}
static const char* enqueue(cutset_queue on, cutset_instance instance) { return NULL; }
static void release(cutset_instance instance) { free(instance); }

#define WRONG(prefix, of, field, value) \
  if (asked(prefix #field)) of.field = value

__attribute__((visibility("default"))) const cutset_backend* cutset_backend_open(uint32_t abi) {
  static cutset_kernel kernels[2];
  static cutset_backend backend;
  const cutset_kernel tanh_kernel = {sizeof(cutset_kernel), "tanh",  "tanh.wrong", supports, scratch,
                                     instantiate,           enqueue, release};
  const cutset_backend right = {CUTSET_DEVICE_ABI,
                                sizeof(cutset_backend),
                                "wrong",
                                "wrong",
                                kernels,
                                1,
                                describe,
                                available,
                                open_device,
                                close_device,
                                allocate,
                                free_buffer,
                                tensor,
                                release_tensor,
                                queue,
                                release_queue,
                                event,
                                release_event,
                                signal_event,
                                wait_event,
                                write_tensor,
                                read_tensor,
                                copy,
                                finish,
                                abandon};
  if (abi != CUTSET_DEVICE_ABI) return NULL;
  kernels[0] = kernels[1] = tanh_kernel;
  backend = right;
  if (asked("kernel.twice")) backend.kernel_count = 2;
  if (asked("other_kind")) backend.kind = "cpu";
  WRONG("", backend, abi, 2);
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
  WRONG("", backend, tensor, NULL);
  WRONG("", backend, release_tensor, NULL);
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
  WRONG("kernel.", kernels[0], size, 8);
  WRONG("kernel.", kernels[0], op, NULL);
  WRONG("kernel.", kernels[0], name, NULL);
  WRONG("kernel.", kernels[0], supports, NULL);
  WRONG("kernel.", kernels[0], scratch, NULL);
  WRONG("kernel.", kernels[0], instantiate, NULL);
  WRONG("kernel.", kernels[0], enqueue, NULL);
  WRONG("kernel.", kernels[0], release, NULL);
  return &backend;
}
