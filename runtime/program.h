// A compiled program: plain data, written by the compiler, run by the executor, free of MLIR.
//
// Per function and device there are three queues of instructions: `in` brings tensors to the device,
// `compute` runs kernels, `out` takes tensors away. Queues meet only at events: numbers that an
// instruction signals and others wait for, once a step. A step has two parts. All of `compute` runs on
// all queues first and may fail; only when every queue has finished and the host found the results sound
// does `apply` run, which updates variables in place and cannot fail.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ir/core/attributes.h"
#include "ir/core/types.h"

namespace cutset {

inline constexpr int32_t kNone = -1;

enum class Queue : int32_t { kIn = 0, kCompute = 1, kOut = 2 };
inline constexpr int kQueues = 3;

enum class Storage : int32_t {
  kArena,     // planned memory of one function; contents live within a step
  kVariable,  // state of the session, by name
  kConstant,  // part of the program
  kTypeOnly,  // an operand that is read for its type
};

// What a value is in the program of one device, for `verify`: value `number` of the function, of the
// shards [first, last) of its batch. `layout`: the dimension whose rows it has, kWholeValue, or
// kPartialSum: a summand, from splitting `factor` of the op's sharding rule.
struct Meaning {
  int32_t number = kNone, first = 0, last = 0, factor = kNone, layout = kNone;
};
inline constexpr int32_t kWholeValue = -1, kPartialSum = -2;

struct Buffer {
  int32_t device = 0;
  Storage storage = Storage::kArena;
  uint64_t offset = 0;    // kArena: in the arena of (function, device)
  int32_t index = kNone;  // kVariable, kConstant: which
  TensorType type;
  int32_t view_of = kNone;  // the buffer whose memory it is, under another shape
  Meaning meaning = {};
};

struct Instruction {
  enum class Kind : int32_t {
    kKernel,       // runs `kernel` on operands and results
    kCopy,         // operands[0] to results[0], on one device (a variable's new value)
    kInput,        // host tensor number `index` to results[0]
    kOutput,       // operands[0] to host tensor number `index`
    kSend,         // starts operands[0] over channel `index`
    kRecv,         // channel `index` to results[0]
    kReduceStart,  // hands operands[0] on to collective `index`, as its part `part`
    kReduceWait,   // the sum of collective `index` to results[0]
    kSignal,       // event `index` of this device
    kWait,         // event `index` of this device
  };
  Kind kind = Kind::kKernel;
  int32_t index = kNone;
  int32_t part = kNone;
  uint64_t offset = 0;  // kInput, kOutput: first byte in the host's tensor
  std::string op;       // kKernel: the op's name
  std::string kernel;   // kKernel: the kernel's name
  Attributes attributes;
  std::vector<int32_t> operands, results;  // buffers of the function
  // The tensors of a bucket: buffers that lie in operands[0] of kReduceStart, in results[0] of kReduceWait.
  std::vector<int32_t> pieces;
  int32_t scratch = kNone;
  std::string label;   // the layer, for people
  std::string source;  // the user's file:line
};

struct Sequence {
  std::vector<Instruction> compute, apply;
};

struct DevicePlan {
  std::string device;  // "cpu:0"
  Sequence queues[kQueues];
  int32_t events = 0;
  uint64_t arena_bytes = 0;
  uint64_t lower_bound_bytes = 0;  // the most bytes alive at once: no packing can do with less
};

struct Channel {
  int32_t from = 0, to = 0;  // devices
  TensorType type;
  std::string tensor;  // which value, for people
};

// A sum over devices, along the fixed binary tree over shard numbers, of one or more tensors of one type of
// element that lie in one buffer, each at a multiple of what any of the devices demands of a tensor's address,
// and of kLeastBucketAlignment.
inline constexpr uint64_t kLeastBucketAlignment = 256;
struct Collective {
  struct Part {
    int32_t device = 0;
    int32_t first = 0, last = 0;  // which shards it is the sum of
  };
  TensorType type;          // of the whole buffer: rank 1, or that of the one tensor
  std::vector<Part> parts;  // in the order of shards, without a gap
  std::string tensor;       // which values, for people
};

// Who gives an input its value: the caller with each run, or the session, which knows the number of the step and
// keeps the hyper-parameters.
enum class Feed : int32_t { kCaller, kStep, kHyperParameter };

struct Port {
  std::string name;
  TensorType type;
  Feed feed = Feed::kCaller;
  double initial = 0;  // kHyperParameter: its value until the session is given another
};

// What a device found out in `compute` about the tensors that its updates are about to use: the scalar in buffer
// `flag` (i1) is true where every element of each of them is finite. A step with a flag that is false ends before
// `apply`.
struct FiniteCheck {
  struct Tensor {
    int32_t buffer = kNone;
    std::string name;  // for people: "the gradient of variable 'w'"
  };
  int32_t device = 0;
  int32_t flag = kNone;
  std::vector<Tensor> tensors;
};

struct Function {
  std::string name;
  std::vector<Port> inputs, outputs;
  std::vector<Buffer> buffers;
  std::vector<DevicePlan> devices;  // in the order of Program::devices
  std::vector<Channel> channels;
  std::vector<Collective> collectives;
  std::vector<int64_t> shards;  // rows of the batch that each has
  std::vector<FiniteCheck> checks;
};

struct Variable {
  std::string name;
  TensorType type;
  std::vector<int32_t> homes;  // devices that hold a copy; copies are equal between steps
  std::string state_of;        // the variable whose optimizer keeps this one; empty: a variable of the user's
};

struct Constant {
  TensorType type;
  std::vector<unsigned char> bytes;
  int32_t device = 0;
};

struct Program {
  uint64_t fingerprint = 0;  // of its text: peers that run different programs notice at once
  std::vector<std::string> devices;
  std::vector<int32_t> threads;  // of each device, as it was compiled; 0: no matter. Scratch memory depends on them
  std::vector<Variable> variables;
  std::vector<Constant> constants;
  std::vector<Function> functions;

  const Function* find(const std::string& name) const {
    for (const Function& f : functions)
      if (f.name == name) return &f;
    return nullptr;
  }
};

}  // namespace cutset
