/* The device ABI: the interface through which Cutset uses every device, including those of this project. It is plain
 * C99 and has a version.
 *
 * Loading. A backend is a shared library with one exported function, cutset_backend_open. The host loads it with
 * dlopen(RTLD_NOW | RTLD_LOCAL), so the symbols of two backends do not conflict.
 *
 * Description. `describe` and the `supports` and `scratch` of each kernel must work without the device and its driver,
 * so that a program can be compiled for devices of another machine. `open` and all functions that take a cutset_device
 * need the device.
 *
 * Errors. A function that can fail returns NULL for success and an error message otherwise: a NUL-terminated text
 * without a full stop. The message belongs to the backend and is valid until the next call into the backend on the
 * same thread. No exception may leave a function of this interface.
 *
 * Threads. One host thread at a time uses a queue. Different queues of a device may be used from different threads at
 * the same time, and so may all other functions.
 *
 * A step. The host creates buffers, tensors, events and kernel instances when it loads a program. During a step it only
 * enqueues kernel instances, copies, signals and waits. A backend should not allocate memory during a step.
 *
 * Order. The commands of one queue run in the order in which they were enqueued. Commands of different queues are
 * ordered only by events. An event is a number that never decreases. `signal` raises the number when all earlier
 * commands of the queue are done, and `wait` blocks the later commands of the queue until the number is at least the
 * given value. A wait may be enqueued before the signal that ends it.
 *
 * Compatibility. The structs that a backend fills in hold their size. cutset_backend may be longer than in this
 * version, because later versions append members, but never shorter. The kernels are an array, so each kernel has
 * exactly the size of this version. `describe` must not change the member `size` of cutset_device_info. The first
 * member of an attribute struct is its size in the host's version; a backend may compare it with the size in its own version.
 * cutset_type and cutset_problem have no member `size` and do not grow. The host refuses a backend with a null or wrong
 * field and names the file and the field (runtime/device/backend_library.h). */
#ifndef CUTSET_RUNTIME_ABI_CUTSET_DEVICE_H
#define CUTSET_RUNTIME_ABI_CUTSET_DEVICE_H
#include "ir/core/abi_types.h"

#define CUTSET_DEVICE_ABI 1u

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cutset_device_t* cutset_device;
typedef struct cutset_buffer_t* cutset_buffer; /* an allocation in the memory of a device */
typedef struct cutset_tensor_t* cutset_tensor; /* a slice of a buffer, which holds one operand or result */
typedef struct cutset_queue_t* cutset_queue;
typedef struct cutset_event_t* cutset_event;
typedef struct cutset_instance_t* cutset_instance; /* a kernel bound to its operands and results */

/* The type of a tensor, which is contiguous and row-major. */
typedef struct {
  const int64_t* shape; /* `rank` sizes */
  int32_t rank;
  int32_t dtype; /* cutset_dtype */
} cutset_type;

/* The properties of a device: those that the host requests before `describe`, and the actual ones after it. The speeds
 * are estimates that the planner uses; 0 means unknown. */
typedef struct {
  uint32_t size;                /* sizeof(cutset_device_info) of the host */
  int32_t index;                /* the number of the device: 1 in "cpu:1" */
  int32_t threads;              /* number of threads; requested 0: the backend chooses */
  uint64_t seed;                /* simulated devices: the seed of the order in which their queues run */
  double flops_per_second;      /* speed of arithmetic */
  double bytes_per_second;      /* bandwidth of the device's own memory */
  double link_bytes_per_second; /* bandwidth of transfers to and from the host */
  double link_seconds;          /* latency of a transfer to or from the host */
  double launch_seconds;        /* overhead of launching a kernel */
  uint64_t memory_bytes;        /* memory that a program may use; 0: no limit is known */
  uint32_t alignment;           /* of a tensor within a buffer, in bytes: a power of two, at most 2^24 */
  char description[128];        /* NUL-terminated text for people: "oneDNN 3.2.0, 2 threads" */
  int32_t timed;                /* simulated devices: not 0 if commands take the time that the speeds above imply */
} cutset_device_info;

/* An op with its attributes and types, for which a kernel is wanted. */
typedef struct {
  const char* op;         /* name of the op: "conv2d" */
  const void* attributes; /* the generated attribute struct of the op */
  const cutset_type* in;  /* types of the `in_count` operands */
  const cutset_type* out; /* types of the `out_count` results */
  size_t in_count, out_count;
} cutset_problem;

typedef struct {
  uint32_t size;    /* sizeof(cutset_kernel) of this version */
  const char* op;   /* name of the op that the kernel computes */
  const char* name; /* name of the kernel, unique within the backend: "conv2d.onednn" */
  /* Returns NULL if the kernel can compute the problem, and otherwise the reason, without the op's name. Must work
   * without the device. */
  const char* (*supports)(const cutset_problem* problem);
  /* Sets `*bytes` to the scratch memory that an execution on such a device needs, at most 2^48 bytes. Must work without
   * the device. */
  const char* (*scratch)(const cutset_device_info* info, const cutset_problem* problem, uint64_t* bytes);
  /* Creates an instance that is bound to operands, results and scratch memory. An operand of which only the type is
   * read is NULL, and so is `scratch` if the problem needs none. The problem and everything that it points to outlive
   * the instance. */
  const char* (*instantiate)(cutset_device device, const cutset_problem* problem, const cutset_tensor* in,
                             const cutset_tensor* out, cutset_tensor scratch, cutset_instance* instance);
  /* Appends an execution of the instance to the queue. */
  const char* (*enqueue)(cutset_queue queue, cutset_instance instance);
  /* Destroys the instance. The host calls it only when no queue runs the instance. */
  void (*release)(cutset_instance instance);
} cutset_kernel;

typedef struct {
  uint32_t abi, size;           /* CUTSET_DEVICE_ABI, and sizeof(cutset_backend) or more */
  const char* name;             /* name of the backend: "onednn" */
  const char* kind;             /* kind of its devices: "cpu" in "cpu:0" */
  const cutset_kernel* kernels; /* in order of preference: the first kernel that supports a problem is used */
  size_t kernel_count;

  /* Replaces the requested properties in `info` by the actual ones and fills in the others. Must work without the
   * device. */
  const char* (*describe)(cutset_device_info* info);
  /* Returns NULL if such a device can be opened on this machine, and otherwise what is missing. */
  const char* (*available)(const cutset_device_info* info);

  /* `open` opens one device, and `close` closes it. The host closes a device after it has released everything else on
   * it. */
  const char* (*open)(const cutset_device_info* info, cutset_device* device);
  void (*close)(cutset_device device);
  /* Allocates a buffer of `bytes` bytes, which may be 0. Its contents are undefined. */
  const char* (*allocate)(cutset_device device, uint64_t bytes, cutset_buffer* buffer);
  void (*free)(cutset_device device, cutset_buffer buffer);
  /* Creates the tensor of the bytes [offset, offset + bytes) of the buffer. `offset` is a multiple of the alignment in
   * cutset_device_info. */
  const char* (*tensor)(cutset_device device, cutset_buffer buffer, uint64_t offset, uint64_t bytes,
                        cutset_tensor* tensor);
  void (*release_tensor)(cutset_device device, cutset_tensor tensor);
  const char* (*queue)(cutset_device device, cutset_queue* queue);
  void (*release_queue)(cutset_queue queue);
  /* Creates an event with the value 0. */
  const char* (*event)(cutset_device device, cutset_event* event);
  void (*release_event)(cutset_device device, cutset_event event);

  /* Raises the event to `value` when all earlier commands of the queue are done. */
  const char* (*signal)(cutset_queue queue, cutset_event event, uint64_t value);
  /* Blocks the later commands of the queue until the event has at least `value`. May also block the calling thread. */
  const char* (*wait)(cutset_queue queue, cutset_event event, uint64_t value);
  /* Copy from host memory to a tensor (`write`), to host memory (`read`), and between tensors of the device (`copy`).
   * The host memory stays valid until the command is done. */
  const char* (*write)(cutset_queue queue, cutset_tensor to, const void* from, uint64_t bytes);
  const char* (*read)(cutset_queue queue, cutset_tensor from, void* to, uint64_t bytes);
  const char* (*copy)(cutset_queue queue, cutset_tensor from, cutset_tensor to, uint64_t bytes);
  /* Blocks until all commands of the queue are done. Returns the error of a command that has failed. */
  const char* (*finish)(cutset_queue queue);
  /* Ends every wait that blocks a host thread, now or later, with an error. The host calls it once, when a step has
   * failed on another device or before it closes the device. A command that has begun may still finish. All other
   * commands, including those that are enqueued later, may be dropped. Afterwards `finish` must return, with or without
   * an error, as soon as no command of its queue runs or will run; the host then frees the memory of the commands. */
  void (*abandon)(cutset_device device);
} cutset_backend;

/* The type of cutset_backend_open. It returns NULL if the backend does not implement version `abi`. The table must stay
 * valid until the process ends. */
typedef const cutset_backend* (*cutset_backend_open_function)(uint32_t abi);
#define CUTSET_BACKEND_SYMBOL "cutset_backend_open"

#ifdef __cplusplus
}
#endif
#endif
