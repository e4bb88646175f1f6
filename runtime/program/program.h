// SPDX-License-Identifier: Apache-2.0
// A compiled program: plain data that the compiler writes and the executor runs. It does not depend on MLIR.
//
// A program has functions, such as "train" and "evaluate". A function has, for every device, three queues of
// instructions: `in` brings tensors to the device, `compute` runs kernels, and `out` takes tensors away. The
// queues of a device are ordered only by events. Each event is signalled by one instruction and may be waited
// for by others, once per step.
//
// A step has two parts. First all queues run their `compute` instructions, which may fail. If every queue has
// finished, and all scalar results and all tensors that updates will use are finite, the step is committed:
// all queues run their `apply` instructions, which update variables in place.
//
// Devices are referred to by their index in Program::devices, and everything else by a typed index (ids.h).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ir/core/piece.h"
#include "ir/core/sum_tree.h"
#include "ir/core/types.h"
#include "runtime/program/drawn_value.h"
#include "runtime/program/instruction.h"

namespace cutset {

enum class Queue : int32_t { kIn = 0, kCompute = 1, kOut = 2 };
inline constexpr int kQueues = 3;
inline constexpr auto kComputeQueue = static_cast<size_t>(Queue::kCompute);

enum class Storage : int32_t {
  kArena,      // a slice of the arena of a function on a device; the contents are valid within a step
  kVariable,   // a variable of the session, whose value outlives the step
  kConstant,   // a constant of the program
  kTypeOnly,   // no memory: an operand whose type alone is read
  kParameter,  // the memory of a buffer that the call of a role names; only a role has such buffers
};

// Returns the size of a tensor, of the type that offsets in arenas have. The sizes of `type` are not
// negative.
inline uint64_t bytes_of(const TensorType& type) { return static_cast<uint64_t>(type.bytes()); }

// Maps a value of a partitioned program to a value of the single-device program. The first value equals the
// second, or is a shard or a partial sum of it. Only `verify` reads the origin.
struct ValueOrigin {
  int32_t number = kNone;       // the number of the value in the single-device program; kNone: it has none
  int32_t first = 0, last = 0;  // it belongs to the shards [first, last) of the batch
  int32_t factor = kNone;       // kPartialSum: the factor of the op's sharding rule that was split
  // The dimension along which the value holds the rows of these shards; kWholeValue: it is the whole value;
  // kPartialSum: it is the partial sum over these shards. The rows of each sample are consecutive, and every
  // sample has the same number of them.
  int32_t layout = kNone;
  Piece piece =
      {};  // its part of what these shards compute, if several devices share the computation of a shard
};
inline constexpr int32_t kWholeValue = -1, kPartialSum = -2;

// The memory of one value on one device.
struct Buffer {
  int32_t device = 0;
  Storage storage = Storage::kArena;
  uint64_t offset = 0;       // kArena: the first byte in the arena, a multiple of 16
  VariableId variable = {};  // kVariable
  ConstantId constant = {};  // kConstant
  TensorType type;           // row-major and contiguous
  BufferId view_of =
      {};  // an earlier buffer with the same memory and another shape; not set: the buffer is not a view
  ValueOrigin origin = {};
};

// Buffers that calls of roles pass as one argument: the values of one micro-batch that a role computes and
// that later calls read, or one buffer. Calls for other micro-batches use the same frame again when its
// values are not needed any more. A buffer belongs to at most one frame. The values that calls write to it
// get their origins when the calls are expanded (runtime/program/order/expand.h).
struct Frame {
  std::vector<BufferId> buffers;
};

// The instructions of one queue in the two parts of a step.
struct Sequence {
  std::vector<Instruction> compute, apply;
};

// Ops that a device runs several times per step, each time on other buffers: the computation of one
// micro-batch, or the addition of its gradients to the gradients of earlier micro-batches. A role has its own
// buffers. All calls share the memory of its arena buffers, because the calls of a queue run one after the
// other. The origins of its buffers and the attributes of its kernels hold for shard `shard`; a call for
// another shard has other ones.
struct Role {
  std::string name;  // for people: "train/cpu:0/forward0"
  int32_t device = 0;
  int32_t shard = 0;
  Table<Buffer> buffers;
  std::vector<std::vector<BufferId>>
      parameters;  // by argument of a call: its buffers that the frame gives; no two are the same
  std::vector<Instruction> body;  // RunKernel and CopyBuffer
};

// What one device does in one function.
struct DevicePlan {
  std::string device;        // its name: "cpu:0"
  Sequence queues[kQueues];  // by Queue
  int32_t events = 0;        // the number of events, which are numbered from 0
  uint64_t arena_bytes = 0;
  uint64_t lower_bound_bytes =
      0;  // the largest number of bytes that are alive at once; no arena can be smaller
};

// A connection over which one tensor per step is transferred from one device to another.
struct Channel {
  int32_t from = 0, to = 0;  // device indices
  TensorType type;
  std::string tensor;  // the name of the value, for people
};

// The tensors of a bucket are aligned to this many bytes and to the alignments of all devices of the program.
inline constexpr uint64_t kLeastBucketAlignment = 256;

// An all_reduce: a sum over devices along the fixed binary tree of ir/core/sum_tree.h. Each partial sum is
// one buffer, which holds one tensor, or a bucket of tensors of one element type.
struct Collective {
  // A partial sum that one device contributes.
  struct Partial {
    int32_t device = 0;
    int32_t first = 0, last = 0;  // it is the sum over the shards [first, last)
    operator ShardRange() const { return {first, last}; }
  };
  TensorType type;                // of the buffer: the type of the one tensor, or rank 1 for a bucket
  std::vector<Partial> partials;  // in the order of their shards, without a gap
  std::string tensor;             // the names of the values, for people
  std::vector<ShardRange> ranges() const { return {partials.begin(), partials.end()}; }
};

// Who gives an input its value: the caller with each run, or the session, which knows the step number and the
// hyper-parameters.
enum class Feed : int32_t { kCaller, kStep, kHyperParameter };

// An input or an output of a function.
struct Port {
  std::string name;
  TensorType type;
  Feed feed = Feed::kCaller;  // of an output: kCaller
  double initial = 0;         // kHyperParameter: its value until the session sets another value
  // The dimension with the rows of the samples, if Function::samples is not 0; kNone: all samples share the
  // tensor.
  int32_t batch = kNone;
};

// A check of the tensors that the updates of a device are about to use. `compute` sets the flag to true if
// all elements of all tensors are finite. If the flag of any device is false, the step is not committed.
struct FiniteCheck {
  struct Tensor {
    BufferId buffer;
    std::string name;  // for error messages: "the gradient of variable 'w'"
  };
  int32_t device = 0;
  BufferId flag;  // a scalar of i1
  std::vector<Tensor> tensors;
};

struct Function {
  std::string name;  // "train", "evaluate"
  Table<Port> inputs, outputs;
  Table<Buffer> buffers;
  Table<Frame> frames;
  Table<Role> roles;
  std::vector<DevicePlan> devices;  // in the order of Program::devices
  Table<Channel> channels;
  Table<Collective> collectives;
  std::vector<int64_t> shards;  // by shard: its number of samples
  // The number of samples, if the results for a sample depend on this sample alone; 0: they may depend on
  // others.
  int64_t samples = 0;
  std::vector<FiniteCheck> checks;
};

struct Variable {
  std::string name;
  TensorType type;
  // The devices that hold a copy, or one piece of a copy; between steps all copies are bitwise equal. The
  // pieces of a copy lie on consecutive homes.
  std::vector<int32_t> homes;
  int32_t axis =
      kNone;  // the dimension along which each copy is divided; kNone: every home holds the whole variable
  int32_t pieces = 1;      // the number of pieces of a copy
  int64_t piece_unit = 1;  // Piece::unit
  std::string state_of;    // optimizer state: the variable that it belongs to; empty: a variable of the user
  double first = 0;        // optimizer state: each element in a new session
  bool starts_as_owner =
      false;  // optimizer state: a new session gives it the first value of `state_of` instead
  // Of a variable of the user: how its first value is drawn, for a saved program without this value.
  DrawnValue drawn = {};
};

struct Constant {
  TensorType type;
  std::vector<unsigned char> bytes;  // the elements in row-major order
  int32_t device = 0;
};

struct Program {
  uint64_t fingerprint =
      0;  // a hash of all other fields, by which a message of another program is recognised
  std::vector<std::string> devices;  // names: "cpu:0"
  Table<Variable> variables;
  Table<Constant> constants;
  std::vector<Function> functions;

  // Returns the function with this name, or null.
  const Function* find(const std::string& name) const {
    for (const Function& f : functions)
      if (f.name == name) return &f;
    return nullptr;
  }
};

}  // namespace cutset
