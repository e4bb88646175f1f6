#include "runtime/execute/bound_function.h"

#include <algorithm>

#include "ir/core/attributes.h"
#include "ir/core/op_info.h"

namespace cutset {
namespace {

// The data that a kernel instance points to.
struct Bound {
  FlatAttrs attributes;
  std::unique_ptr<AbiProblem> problem;
};

}  // namespace

Result<std::unique_ptr<BoundFunction>> BoundFunction::make(BoundProgram& program, const Function& f) {
  std::unique_ptr<BoundFunction> bound(new BoundFunction(program, f));
  bound->inputs.resize(f.inputs.size());
  bound->fed.resize(f.inputs.size());
  for (const Port& port : f.outputs) bound->outputs.emplace_back(port.type);
  for (const Channel& channel : f.channels) {
    bound->mailboxes_.push_back(std::make_unique<Mailbox>(channel.type));
    program.executor.watch(bound->mailboxes_.back().get());
  }
  for (const Collective& c : f.collectives) {
    CUTSET_ASSIGN(auto sum, AllReduce::make(c));
    bound->sums_.push_back(std::move(sum));  // first, because the destructor forgets what is in the list
    program.executor.watch(bound->sums_.back().get());
  }
  for (const DevicePlan& d : f.devices)
    bound->applies_ |=
        std::any_of(std::begin(d.queues), std::end(d.queues), [](const auto& q) { return !q.apply.empty(); });
  return bound;
}

BoundFunction::~BoundFunction() {
  for (auto& m : mailboxes_) program_.executor.forget(m.get());
  for (auto& s : sums_) program_.executor.forget(s.get());
}

void BoundFunction::unbind() { tensors.clear(), events_.clear(), compute.clear(), apply.clear(); }

Status BoundFunction::bind() {
  CUTSET_TRY(bind_buffers());
  const size_t queues = program_.executor.size() * kQueues;
  events_.resize(function_.devices.size()), compute.resize(queues), apply.resize(queues);
  for (size_t d = 0; d < function_.devices.size(); ++d) {
    for (int32_t i = 0; i < function_.devices[d].events; ++i) {
      CUTSET_ASSIGN(cutset_event event, program_.handles[d]->event());
      events_[d].push_back(event);
    }
    for (size_t q = 0; q < kQueues; ++q) {
      const Sequence& sequence = function_.devices[d].queues[q];
      const size_t worker = program_.device_of[d] * kQueues + q;
      for (const Instruction& i : sequence.compute) {
        CUTSET_ASSIGN(Action a, bind(d, i));
        compute[worker].push_back(a);
      }
      for (const Instruction& i : sequence.apply) {
        CUTSET_ASSIGN(Action a, bind(d, i));
        apply[worker].push_back(a);
      }
    }
  }
  return {};
}

Status BoundFunction::bind_buffers() {
  Executor& executor = program_.executor;
  for (const Buffer& b : function_.buffers) {
    const auto device = static_cast<size_t>(b.device);
    cutset_tensor tensor = nullptr;
    switch (b.storage) {
      case Storage::kArena: {
        if (const uint64_t alignment = executor.device(program_.device_of[device]).alignment();
            b.offset % alignment != 0)
          return invalid_argument("buffer " + std::to_string(tensors.size()) + " of '" + function_.name +
                                      "' lies at byte " + std::to_string(b.offset) + " of the arena; on " +
                                      program_.program.devices[device] + " the offset must be a multiple of " +
                                      std::to_string(alignment),
                                  "the program was compiled for another device: compile it here");
        CUTSET_ASSIGN(tensor, program_.handles[device]->tensor(program_.arenas[device], b.offset,
                                                               static_cast<uint64_t>(b.type.bytes())));
        break;
      }
      case Storage::kVariable: {
        CUTSET_ASSIGN(tensor, executor.variable_tensor(program_.program.variables[static_cast<size_t>(b.index)].name,
                                                       program_.device_of[device]));
        break;
      }
      case Storage::kConstant:
        tensor = program_.constants[static_cast<size_t>(b.index)];
        break;
      case Storage::kTypeOnly:
        break;
    }
    tensors.push_back(tensor);
  }
  return {};
}

Result<Action> BoundFunction::bind(size_t d, const Instruction& i) {
  auto buffer = [&](int32_t b) -> const Buffer& { return function_.buffers[static_cast<size_t>(b)]; };
  auto tensor = [&](int32_t b) { return tensors[static_cast<size_t>(b)]; };
  Action a;
  a.kind = i.kind;
  a.source = &i;
  if (!i.operands.empty())
    a.from = tensor(i.operands[0]), a.bytes = static_cast<uint64_t>(buffer(i.operands[0]).type.bytes());
  if (!i.results.empty())
    a.to = tensor(i.results[0]), a.bytes = static_cast<uint64_t>(buffer(i.results[0]).type.bytes());
  const auto index = static_cast<size_t>(i.index);
  switch (i.kind) {
    case Instruction::Kind::kCopy:
      break;
    case Instruction::Kind::kInput:
      a.input = &inputs[index];
      a.offset = i.offset;
      break;
    case Instruction::Kind::kOutput:
      a.output = outputs[index].data() + i.offset;
      break;
    case Instruction::Kind::kSignal:
    case Instruction::Kind::kWait:
      a.event = events_[d][index];
      break;
    case Instruction::Kind::kSend:
    case Instruction::Kind::kRecv: {
      const TensorType& type = function_.channels[index].type;
      a.mailbox = mailboxes_[index].get();
      a.header = {program_.program.fingerprint, 0, i.index, static_cast<int32_t>(type.dtype),
                  static_cast<uint64_t>(type.bytes())};
      break;
    }
    case Instruction::Kind::kReduceStart:
    case Instruction::Kind::kReduceWait: {
      const TensorType& type = function_.collectives[index].type;
      a.all_reduce = sums_[index].get();
      a.partial = static_cast<size_t>(i.partial);
      a.header = {program_.program.fingerprint, 0, ~i.index, static_cast<int32_t>(type.dtype),
                  static_cast<uint64_t>(type.bytes())};
      break;
    }
    case Instruction::Kind::kKernel:
      CUTSET_TRY(bind_kernel(d, i, a));
      break;
  }
  return a;
}

Status BoundFunction::bind_kernel(size_t d, const Instruction& i, Action& a) {
  const DeviceDescription& device = program_.executor.device(program_.device_of[d]).description();
  auto type_of = [&](int32_t b) -> const TensorType& { return function_.buffers[static_cast<size_t>(b)].type; };
  auto tensor = [&](int32_t b) { return tensors[static_cast<size_t>(b)]; };
  const OpInfo* op = find_op(i.op);
  a.kernel = device.find_kernel(i.kernel);
  if (!op || !a.kernel || i.op != a.kernel->op)
    return execution_failed("device '" + device.name() + "' has no kernel '" + i.kernel + "' for '" + i.op + "'");
  auto bound = std::make_shared<Bound>();
  CUTSET_ASSIGN(bound->attributes, FlatAttrs::pack(op->schema, i.attributes));
  Types in, out;
  std::vector<cutset_tensor> from, to;
  for (int32_t b : i.operands) in.push_back(type_of(b)), from.push_back(tensor(b));
  for (int32_t b : i.results) out.push_back(type_of(b)), to.push_back(tensor(b));
  // A saved program may have been compiled on another machine, where a kernel needs less scratch memory.
  CUTSET_TRY(device.supports(a.kernel, *op, bound->attributes.data(), in, out));
  CUTSET_ASSIGN(const uint64_t wanted, device.scratch(a.kernel, *op, bound->attributes.data(), in, out));
  if (const uint64_t planned = i.scratch == kNone ? 0 : static_cast<uint64_t>(type_of(i.scratch).bytes());
      wanted > planned)
    return invalid_argument("kernel '" + i.kernel + "' needs " + std::to_string(wanted) +
                                " bytes of scratch memory on " + device.name() + ", and the program has planned " +
                                std::to_string(planned),
                            "the program was compiled for another number of threads, or for another machine: use "
                            "that number of threads, or compile it here");
  bound->problem = std::make_unique<AbiProblem>(*op, bound->attributes.data(), in, out);
  CUTSET_ASSIGN(a.instance, program_.handles[d]->instantiate(a.kernel, bound->problem->get(), bound, from, to,
                                                             i.scratch == kNone ? nullptr : tensor(i.scratch)));
  return {};
}

}  // namespace cutset
