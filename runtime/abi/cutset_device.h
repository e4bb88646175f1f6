/* The device ABI: the only way into Cutset for a device, ours included. Plain C99, versioned.
 *
 * A backend is a shared library with one exported symbol, cutset_backend_open. The host loads it with
 * dlopen(RTLD_NOW | RTLD_LOCAL), so two backends never see each other's symbols.
 *
 * Describing needs no device: `describe`, and each kernel's `supports`, answer for a device that is
 * given as text, whether or not it, or its driver, is here. Only `open` needs it.
 *
 * Errors. A function that can fail returns a sentence, or null for success. The sentence belongs to the
 * backend and is valid until the next call into it on the same thread.
 *
 * Threads. A queue is used by one host thread at a time; different queues of a device, and everything
 * else here, may be used from different threads at once. Nothing may be thrown through this interface.
 *
 * A step. The host makes buffers, tensors (slices of buffers), events and kernel instances when it
 * loads a program; in a step it only enqueues instances and copies, signals and waits. Backends should
 * allocate nothing then.
 *
 * Order. What is enqueued on one queue runs in order. Between queues there is no order but that of
 * events: an event is a number that only grows; `signal` sets it when all earlier work of the queue is
 * done, `wait` holds later work of the queue back until it has at least that value. A wait may be
 * enqueued before the signal that ends it.
 *
 * Growth. Every struct says its size, and the host reads those that the backend gives: cutset_backend may be longer
 * than this version knows (new members are appended), never shorter. The kernels are an array, so each has exactly the
 * size of this version. `describe` leaves the size of cutset_device_info as it was. An attribute struct begins with
 * the size that its writer, the host, knows; a backend may compare it with its own. cutset_type and cutset_problem
 * have no size and do not grow. The host refuses a backend with a null or wrong field with a sentence that names the
 * file and the field (runtime/backend_library.h). */
#ifndef CUTSET_RUNTIME_ABI_CUTSET_DEVICE_H
#define CUTSET_RUNTIME_ABI_CUTSET_DEVICE_H
#include "ir/core/abi_types.h"

#define CUTSET_DEVICE_ABI 1u

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cutset_device_t* cutset_device;
typedef struct cutset_buffer_t* cutset_buffer; /* memory of a device */
typedef struct cutset_tensor_t* cutset_tensor; /* a slice of a buffer: where an operand lies */
typedef struct cutset_queue_t* cutset_queue;
typedef struct cutset_event_t* cutset_event;
typedef struct cutset_instance_t* cutset_instance; /* a kernel bound to its operands */

typedef struct {
  const int64_t* shape; /* row-major, contiguous */
  int32_t rank;
  int32_t dtype; /* cutset_dtype */
} cutset_type;

/* How a device is to be, or is. Numbers are estimates for the planner; 0 means unknown. */
typedef struct {
  uint32_t size;
  int32_t index;   /* 1 in "cpu:1" */
  int32_t threads; /* asked for; 0: the backend's choice */
  uint64_t seed;   /* simulated devices: shuffles their queues */
  double flops_per_second;
  double bytes_per_second;      /* of its own memory */
  double link_bytes_per_second; /* to and from the host */
  double link_seconds;          /* latency of a transfer */
  double launch_seconds;        /* overhead of a kernel */
  uint64_t memory_bytes;
  uint32_t alignment;    /* of a tensor in a buffer, in bytes; a power of two up to 2^24 */
  char description[128]; /* "oneDNN 3.2.0, 2 threads" */
  int32_t timed;         /* simulated devices: queues take the time that the numbers above say */
} cutset_device_info;

/* One op to run: attributes (the generated struct of the op), operand and result types. */
typedef struct {
  const char* op; /* "conv2d" */
  const void* attributes;
  const cutset_type* in;
  const cutset_type* out;
  size_t in_count, out_count;
} cutset_problem;

typedef struct {
  uint32_t size;    /* sizeof(cutset_kernel) of this version */
  const char* op;   /* which op it computes */
  const char* name; /* "conv2d.onednn": unique within the backend */
  /* Null: yes. Else why not, in a sentence without the op's name. Needs no device. */
  const char* (*supports)(const cutset_problem* problem);
  /* Bytes of scratch memory an execution needs on such a device, at most 2^48. Needs no device. */
  const char* (*scratch)(const cutset_device_info* info, const cutset_problem* problem, uint64_t* bytes);
  /* Binds operands, results and scratch; an operand read for its type only is null. The problem and
   * what it points to outlive the instance. */
  const char* (*instantiate)(cutset_device device, const cutset_problem* problem, const cutset_tensor* in,
                             const cutset_tensor* out, cutset_tensor scratch, cutset_instance* instance);
  const char* (*enqueue)(cutset_queue queue, cutset_instance instance);
  void (*release)(cutset_instance instance);
} cutset_kernel;

typedef struct {
  uint32_t abi, size;           /* CUTSET_DEVICE_ABI, and sizeof(cutset_backend) or more */
  const char* name;             /* of the backend: "onednn" */
  const char* kind;             /* of its devices: "cpu" in "cpu:0" */
  const cutset_kernel* kernels; /* in order of preference; the first that accepts an op wins */
  size_t kernel_count;

  /* Fills in what `info` leaves open. Needs no device. */
  const char* (*describe)(cutset_device_info* info);
  /* Null: such a device can be opened here. Else what is missing. */
  const char* (*available)(const cutset_device_info* info);

  const char* (*open)(const cutset_device_info* info, cutset_device* device);
  void (*close)(cutset_device device);
  const char* (*allocate)(cutset_device device, uint64_t bytes, cutset_buffer* buffer);
  void (*free)(cutset_device device, cutset_buffer buffer);
  const char* (*tensor)(cutset_device device, cutset_buffer buffer, uint64_t offset, uint64_t bytes,
                        cutset_tensor* tensor);
  void (*release_tensor)(cutset_device device, cutset_tensor tensor);
  const char* (*queue)(cutset_device device, cutset_queue* queue);
  void (*release_queue)(cutset_queue queue);
  const char* (*event)(cutset_device device, cutset_event* event);
  void (*release_event)(cutset_device device, cutset_event event);

  const char* (*signal)(cutset_queue queue, cutset_event event, uint64_t value);
  const char* (*wait)(cutset_queue queue, cutset_event event, uint64_t value);
  /* Copies between host memory, which must stay valid until the queue has done it, and a tensor. */
  const char* (*write)(cutset_queue queue, cutset_tensor to, const void* from, uint64_t bytes);
  const char* (*read)(cutset_queue queue, cutset_tensor from, void* to, uint64_t bytes);
  const char* (*copy)(cutset_queue queue, cutset_tensor from, cutset_tensor to, uint64_t bytes);
  /* Blocks until all work of the queue is done; an error of any of it comes out here. */
  const char* (*finish)(cutset_queue queue);
  /* Ends, with an error, every wait that blocks a host thread, now and later; called once, when a step
   * has failed elsewhere, or before the device is closed. Work that has begun may end; what else has been
   * enqueued, or is from now on, may be dropped. After it, `finish` returns, with an error or without,
   * when nothing of its queue runs or will run: the host then frees what the work used. */
  void (*abandon)(cutset_device device);
} cutset_backend;

/* Null: this backend does not speak version `abi`. */
typedef const cutset_backend* (*cutset_backend_open_function)(uint32_t abi);
#define CUTSET_BACKEND_SYMBOL "cutset_backend_open"

#ifdef __cplusplus
}
#endif
#endif
