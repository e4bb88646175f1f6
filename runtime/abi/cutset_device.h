// SPDX-License-Identifier: Apache-2.0
/* The device ABI: the interface through which Cutset uses every device, including the devices of this
 * project. It is plain C99 and has a version.
 *
 * Loading. A backend is a shared library with one exported function, cutset_backend_open. The host loads it
 * with dlopen(RTLD_NOW | RTLD_LOCAL), so the symbols of two backends do not conflict.
 *
 * Description. `describe` and the `supports` and `scratch` of each kernel must work without the device and
 * its driver, so that a program can be compiled for devices of another machine. `open` and all functions that
 * take a handle need the device.
 *
 * Errors. A function that can fail returns NULL for success and a cutset_error otherwise. The error belongs
 * to the backend and is valid until the next call into the backend on the same thread. No exception may leave
 * a function of this interface. The host puts the name of the device before the message; the message of a
 * failed kernel names the op.
 *
 * Failed commands. If a command fails after it was enqueued, a later call on its queue reports the failure,
 * at the latest `finish`. The later commands of the queue are dropped. The commands of all other queues of
 * the device are also dropped, because they may wait for it. `finish` of each queue reports the failure once.
 * The host then calls `abandon` for all devices of the step, including the device that has failed. Threads of
 * the host that have not yet noticed may still enqueue commands. The host then calls `finish` for each queue.
 * Afterwards it only copies from and to buffers, until `resume` succeeds or it closes the device.
 *
 * Handles. The host owns every handle that it creates, and passes it to the function that releases it before
 * it closes the device. A function that reports success sets the handle to a value other than NULL. A
 * function that fails has created nothing.
 *
 * Threads. One host thread at a time uses a queue, and one host thread at a time uses a plan or a capture. A
 * plan is enqueued on one queue only. Different threads may use different queues of a device, and all other
 * functions, at the same time. The host uses up to four queues per device. Any thread may release handles and
 * close the device.
 *
 * A step. The host creates buffers, events and plans when it loads a program. During a step it only enqueues
 * plans, copies, signals and waits. A backend should not allocate memory during a step.
 *
 * Order. The commands of one queue run in the order in which they were enqueued. Commands of different queues
 * are ordered only by events. An event is a number that never decreases. `signal` raises the number when all
 * earlier commands of the queue are done, and `wait` blocks the later commands of the queue until the number
 * is at least the given value. A wait may be enqueued before the signal that ends it. An event is used only
 * on queues of its device.
 *
 * Optional tables. The last members of cutset_backend point to tables of functions that not every device can
 * offer. A table that the device cannot offer is NULL. All functions of a table that is not NULL are present.
 *
 * Compatibility. Every struct begins with its size in bytes, except cutset_slice, which does not grow.
 * Structs are passed by pointer, and arrays of structs are arrays of pointers, so later versions can append
 * members to any of them. The side that reads a struct treats a member beyond `size` as 0. The host accepts a
 * cutset_backend that ends before the optional tables, and a cutset_kernel that ends before the optional
 * members. `describe` must not change the member `size` of cutset_device_info, and must not write beyond it.
 * The first member of an attribute struct is its size in the host's version; a backend may compare it with
 * the size in its own version. The host refuses a backend with a null or wrong field and names the file and
 * the field (runtime/device/backend_library.h). */
#ifndef CUTSET_RUNTIME_ABI_CUTSET_DEVICE_H
#define CUTSET_RUNTIME_ABI_CUTSET_DEVICE_H
#include "ir/core/abi_types.h"

#define CUTSET_DEVICE_ABI 2u

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cutset_device_t* cutset_device;
typedef struct cutset_buffer_t* cutset_buffer; /* an allocation in the memory of a device */
typedef struct cutset_queue_t* cutset_queue;
typedef struct cutset_event_t* cutset_event;
typedef struct cutset_plan_t* cutset_plan;       /* a kernel that is prepared for one problem on a device */
typedef struct cutset_capture_t* cutset_capture; /* recorded commands */
typedef struct cutset_timestamp_t* cutset_timestamp; /* a point in time at which a queue arrives */
typedef struct cutset_group_t* cutset_group;         /* devices that communicate without the host */

/* The kinds of errors. */
typedef enum {
  CUTSET_FAILED = 1,           /* the device, its driver or a library has reported an error */
  CUTSET_UNSUPPORTED = 2,      /* the kernel or the device cannot do what is asked; another may */
  CUTSET_UNAVAILABLE = 3,      /* the device or its driver is not present on this machine */
  CUTSET_OUT_OF_MEMORY = 4,    /* memory of the device or of the host is exhausted */
  CUTSET_INVALID_ARGUMENT = 5, /* the host has broken a rule of this interface */
  CUTSET_ABANDONED = 6,        /* `abandon` has ended the command */
  CUTSET_DEVICE_LOST = 7       /* no later command of the device can succeed */
} cutset_code;

typedef struct {
  uint32_t size;       /* sizeof(cutset_error) */
  int32_t code;        /* cutset_code */
  const char* message; /* NUL-terminated, without a full stop */
} cutset_error;

/* A physical layout of a tensor. No layout is defined in this version. */
typedef struct cutset_layout_t cutset_layout;

/* The type of a tensor. */
typedef struct {
  uint32_t size;               /* sizeof(cutset_type) */
  int32_t dtype;               /* cutset_dtype */
  int32_t rank;                /* the number of dimensions */
  const int64_t* shape;        /* `rank` sizes */
  const cutset_layout* layout; /* NULL: contiguous and row-major. Always NULL in this version. */
} cutset_type;

/* The bytes [offset, offset + bytes) of a buffer. `offset` is a multiple of the alignment in
 * cutset_device_info. */
typedef struct {
  cutset_buffer buffer; /* NULL: there is no memory, because only the type of the operand is read */
  uint64_t offset, bytes;
} cutset_slice;

/* The properties of a device: the requested properties before `describe`, and the actual properties after it.
 * The speeds are estimates that the planner uses; 0 means unknown. */
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
  uint32_t alignment;           /* of a slice within a buffer, in bytes: a power of two, at most 2^24 */
  char description[128];        /* NUL-terminated text for people: "oneDNN 3.2.0, 2 threads" */
  int32_t timed;    /* simulated devices: not 0 if commands take the time that the speeds above imply */
  int32_t captures; /* not 0: the host shall record consecutive kernels and copies with the table `capture`,
                       and launch them together, because this takes less time than to enqueue each of them */
} cutset_device_info;

/* An op with its attributes and types, for which a kernel is wanted. */
typedef struct {
  uint32_t size;                 /* sizeof(cutset_problem) */
  const char* op;                /* name of the op: "conv" */
  const void* attributes;        /* the generated attribute struct of the op */
  const cutset_type* const* in;  /* types of the `in_count` operands */
  const cutset_type* const* out; /* types of the `out_count` results */
  size_t in_count, out_count;
} cutset_problem;

/* The place of an execution in a training run. It is meant for messages and traces: no result may depend on
 * it. */
typedef struct {
  uint32_t size; /* sizeof(cutset_run) */
  uint64_t step; /* how often the function has run, this run included; 0: unknown */
} cutset_run;

typedef struct {
  uint32_t size;    /* sizeof(cutset_kernel) */
  const char* op;   /* name of the op that the kernel computes */
  const char* name; /* name of the kernel, unique within the backend: "conv.onednn" */
  /* Returns NULL if the kernel can compute the problem on such a device. Otherwise returns an error with the
   * code CUTSET_UNSUPPORTED, whose message is the reason without the op's name. Must work without the device.
   */
  const cutset_error* (*supports)(const cutset_device_info* info, const cutset_problem* problem);
  /* Sets `*bytes` to the scratch memory that an execution on such a device needs, at most 2^48 bytes. Must
   * work without the device. */
  const cutset_error* (*scratch)(const cutset_device_info* info, const cutset_problem* problem,
                                 uint64_t* bytes);
  /* Prepares the kernel for a problem that it supports, and sets `*scratch_bytes` to the scratch memory that
   * each execution needs. The plan is bound to no memory. The problem and everything that it points to
   * outlive the plan. The host tries the next kernel of the op that supports the problem if `prepare` fails
   * with CUTSET_UNSUPPORTED. */
  const cutset_error* (*prepare)(cutset_device device, const cutset_problem* problem, cutset_plan* plan,
                                 uint64_t* scratch_bytes);
  /* Appends an execution of the plan to the queue. `in` and `out` are the operands and the results in the
   * order of the problem. An operand that is read only for its type has no buffer. `scratch` has at least as
   * many bytes as the plan needs; it has no buffer if the plan needs none. The arrays are valid during the
   * call only. The same plan may be enqueued with other slices while an earlier execution has not finished,
   * so a device that runs asynchronously keeps the slices with the command and not in the plan. */
  const cutset_error* (*enqueue)(cutset_queue queue, cutset_plan plan, const cutset_slice* in,
                                 const cutset_slice* out, const cutset_slice* scratch, const cutset_run* run);
  /* Releases the plan. The host calls it only when no queue runs the plan and no capture contains it. */
  void (*release)(cutset_plan plan);

  /* The optional members. */

  /* Not 0: `prepare` may refuse a problem that `supports` accepts, for example because a library is not
   * installed. The forecast of memory then counts scratch memory that suffices for this kernel and for each
   * of the next kernels of the op. */
  int32_t may_refuse;
  /* NULL, or sets `*identity` to a text that names everything on which the results of the kernel depend: the
   * model of the device, and the versions of its driver and of the libraries. Before the host uses the kernel
   * on such a device for the first time, it compares the kernel with the reference kernel on small problems.
   * It keeps the verdict until the text changes, and does not use a kernel whose results differ
   * (runtime/kernels/verdicts.h). The text is valid until the device is closed. If the text is NULL, the
   * kernel is not compared. */
  const cutset_error* (*identity)(cutset_device device, const char** identity);
} cutset_kernel;

/* Optional: memory that is shared with the host and with other devices. */
typedef struct {
  uint32_t size; /* sizeof(cutset_memory_functions) */
  /* Allocates host memory from and to which the device copies fastest (pinned memory). */
  const cutset_error* (*allocate_host)(cutset_device device, uint64_t bytes, void** memory);
  void (*free_host)(cutset_device device, void* memory);
  /* Returns NULL if copy_peer can copy from `from` to `to`, which are devices of this backend, and otherwise
   * an error with the code CUTSET_UNSUPPORTED and the reason. */
  const cutset_error* (*can_copy_peer)(cutset_device from, cutset_device to);
  /* Appends to a queue of the device `to` a copy from a slice of `from_device`. The commands of that device
   * that write the slice are done when the host calls this function. */
  const cutset_error* (*copy_peer)(cutset_queue queue, cutset_device from_device, const cutset_slice* from,
                                   const cutset_slice* to);
} cutset_memory_functions;

/* Optional: recording commands once and enqueueing all of them with one call. */
typedef struct {
  uint32_t size; /* sizeof(cutset_capture_functions) */
  /* From now on, `enqueue` and `copy` on the queue are recorded and do not run. Any other command on the
   * queue fails with CUTSET_UNSUPPORTED; the recording continues. */
  const cutset_error* (*begin)(cutset_queue queue);
  /* Ends the recording, even if it fails. The buffers and plans of the recorded commands must outlive the
   * capture. */
  const cutset_error* (*end)(cutset_queue queue, cutset_capture* capture);
  /* Appends all recorded commands to a queue of the same device, in the order of their recording. The host
   * launches a capture on one queue only, any number of times, even while earlier launches have not run yet.
   * Like all commands of a queue, the launches run one after the other. (The driver of CUDA promises this for
   * launches of one executable graph.) */
  const cutset_error* (*launch)(cutset_queue queue, cutset_capture capture);
  /* Releases the capture. The host calls it only when no queue runs it. */
  void (*release)(cutset_capture capture);
} cutset_capture_functions;

/* Optional: watching a queue without waiting for it. */
typedef struct {
  uint32_t size; /* sizeof(cutset_time_functions) */
  const cutset_error* (*create)(cutset_device device, cutset_timestamp* timestamp);
  void (*release)(cutset_device device, cutset_timestamp timestamp);
  /* Appends a command that sets the timestamp to the time at which all earlier commands of the queue are
   * done. */
  const cutset_error* (*record)(cutset_queue queue, cutset_timestamp timestamp);
  /* Sets `*seconds` to the time from `from` to `to`, two timestamps of this device. Both have been recorded,
   * and their queues have been finished since. */
  const cutset_error* (*elapsed)(cutset_timestamp from, cutset_timestamp to, double* seconds);
  /* Sets `*commands` to the number of commands of the queue that are done, counted since the queue was
   * created. Every function that appends to a queue appends one command. Any thread may call it, even while
   * another thread uses the queue. Fails with CUTSET_UNSUPPORTED if the device does not count. */
  const cutset_error* (*progress)(cutset_queue queue, uint64_t* commands);
} cutset_time_functions;

/* Optional: sums over the devices of this backend, and messages between them, without the host. Each device
 * is a member of the group; members are numbered from 0 in the order of `create`. All members of a group must
 * enqueue the same sequence of sums, each with the same type and size. A sum blocks the queue of each
 * member until all members have arrived. The host enqueues the commands of different members from different
 * threads, or one after the other. */
typedef struct {
  uint32_t size; /* sizeof(cutset_collective_functions) */
  const cutset_error* (*create)(const cutset_device* devices, size_t count, cutset_group* group);
  /* The host calls it only when no queue runs a command of the group, or after `abandon` of all members. */
  void (*release)(cutset_group group);
  /* Appends the elementwise sum of the slices `from` of all members to the queue. The slice `to` of each
   * member receives the sum. `from` and `to` may be the same slice. Fails with CUTSET_UNSUPPORTED if the
   * device cannot add the element type. All members receive the same bits. */
  const cutset_error* (*all_reduce)(cutset_queue queue, cutset_group group, size_t member,
                                    const cutset_slice* from, const cutset_slice* to, int32_t dtype);
  /* Append a message to the member `peer`, and its receipt from the member `peer`. Messages between two
   * members arrive in the order in which they were sent. The slices of both sides have the same size. */
  const cutset_error* (*send)(cutset_queue queue, cutset_group group, size_t member, size_t peer,
                              const cutset_slice* from);
  const cutset_error* (*receive)(cutset_queue queue, cutset_group group, size_t member, size_t peer,
                                 const cutset_slice* to);
} cutset_collective_functions;

typedef struct {
  uint32_t abi, size; /* CUTSET_DEVICE_ABI, and sizeof(cutset_backend) */
  const char* name;   /* name of the backend: "onednn" */
  const char* kind;   /* kind of its devices: "cpu" in "cpu:0" */
  const cutset_kernel* const*
      kernels; /* in order of preference: the first kernel that supports a problem is used */
  size_t kernel_count;

  /* Replaces the requested properties in `info` by the actual properties and fills in the others. Must work
   * without the device. */
  const cutset_error* (*describe)(cutset_device_info* info);
  /* Returns NULL if such a device can be opened on this machine, and otherwise what is missing. */
  const cutset_error* (*available)(const cutset_device_info* info);

  /* `open` opens one device, and `close` closes it. The host closes a device after it has finished its queues
   * and has released everything else on it. Two devices with the same index may be open at the same time. */
  const cutset_error* (*open)(const cutset_device_info* info, cutset_device* device);
  void (*close)(cutset_device device);
  /* Allocates a buffer of `bytes` bytes, which may be 0. Its contents are undefined. */
  const cutset_error* (*allocate)(cutset_device device, uint64_t bytes, cutset_buffer* buffer);
  void (*free)(cutset_device device, cutset_buffer buffer);
  const cutset_error* (*queue)(cutset_device device, cutset_queue* queue);
  void (*release_queue)(cutset_queue queue);
  /* Creates an event with the value 0. */
  const cutset_error* (*event)(cutset_device device, cutset_event* event);
  void (*release_event)(cutset_device device, cutset_event event);

  /* Raises the event to `value` when all earlier commands of the queue are done. */
  const cutset_error* (*signal)(cutset_queue queue, cutset_event event, uint64_t value);
  /* Blocks the later commands of the queue until the event has at least `value`. May also block the calling
   * thread. */
  const cutset_error* (*wait)(cutset_queue queue, cutset_event event, uint64_t value);
  /* Copy from host memory to a slice (`write`), to host memory (`read`), and between slices of the device
   * (`copy`). The whole slice is copied; the two slices of `copy` have the same size. The host memory stays
   * valid until the command is done. */
  const cutset_error* (*write)(cutset_queue queue, const cutset_slice* to, const void* from);
  const cutset_error* (*read)(cutset_queue queue, const cutset_slice* from, void* to);
  const cutset_error* (*copy)(cutset_queue queue, const cutset_slice* from, const cutset_slice* to);
  /* Blocks until no command of the queue runs or will run. Returns the error of a command that has failed,
   * once: the queue then accepts commands again. The host may free the memory of the commands afterwards,
   * even after an error. */
  const cutset_error* (*finish)(cutset_queue queue);
  /* Ends every wait that blocks a host thread, now or until `resume`, with the error CUTSET_ABANDONED. The
   * host calls it when a step has failed, and before it closes the device. A command that has begun may still
   * finish. All other commands may be dropped. Afterwards `finish` must return, with or without an error, as
   * soon as no command of its queue runs or will run; the host then frees the memory of the commands. A queue
   * whose `finish` has returned must run later copies, unless the device is lost, so that the host can read
   * the variables. */
  void (*abandon)(cutset_device device);

  /* The optional tables. */
  const cutset_memory_functions* memory;
  const cutset_capture_functions* capture;
  const cutset_time_functions* time;
  const cutset_collective_functions* collectives;
  /* Reserved for the layouts that a kernel would like, and for code that the compiler generates. Always NULL
   * in this version. */
  const void* layouts;
  const void* code;

  /* Optional. Ends the effect of `abandon`; the host calls it when `finish` of every queue has returned. If
   * it succeeds, the device runs all commands again and reports no error of an earlier command. Buffers keep
   * their contents, and events their values. Plans and captures can be used again, and groups with the device
   * cannot. Fails if later commands cannot succeed. The code is CUTSET_DEVICE_LOST if the device knows that
   * it is lost. NULL: the device cannot be used after a failure, except for copies. */
  const cutset_error* (*resume)(cutset_device device);
} cutset_backend;

/* The type of cutset_backend_open. It returns NULL if the backend does not implement version `abi`. The table
 * and everything that it points to must stay valid until the process ends. */
typedef const cutset_backend* (*cutset_backend_open_function)(uint32_t abi);
#define CUTSET_BACKEND_SYMBOL "cutset_backend_open"
/* The function that a backend defines. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const cutset_backend* cutset_backend_open(uint32_t abi);

#ifdef __cplusplus
}
#endif
#endif
