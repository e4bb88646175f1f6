#include "runtime/execute/executable.h"

#include <cmath>

#include "runtime/execute/finite.h"
#include "runtime/program/forecast.h"

namespace cutset {
namespace {

Failure refused_step(const Function& f, uint64_t step, const std::string& why) {
  return execution_failed("step " + std::to_string(step) + " of '" + f.name + "' is not committed: " + why +
                              "; the variables are those of the step before",
                          "a smaller learning rate, or labels outside the classes, are the usual causes");
}

// Adds to the failure of a device that no variable has been updated.
Failure failed_before_updates(Failure failure) {
  failure.what += ". No variable has changed; this session runs no further step";
  if (failure.hint.empty()) failure.hint = "save the variables, then load them, or start a new session";
  return failure;
}

// Removes the variables that a load has declared, unless keep() is called.
class Undo {
 public:
  explicit Undo(Executor& executor) : executor_(executor), mark_(executor.mark()) {}
  ~Undo() {
    if (!done_) executor_.take_back(mark_);
  }
  Undo(const Undo&) = delete;
  void keep() { done_ = true; }

 private:
  Executor& executor_;
  const Executor::Mark mark_;
  bool done_ = false;
};

// The data that a kernel instance points to.
struct Bound {
  FlatAttrs attributes;
  std::unique_ptr<AbiProblem> problem;
};

}  // namespace

Result<std::unique_ptr<Executable>> Executable::load(Executor& executor, Program program) {
  Undo undo(executor);
  std::unique_ptr<Executable> e(new Executable(executor));
  e->program_ = std::move(program);
  CUTSET_TRY(e->load_all());
  undo.keep();
  return e;
}

Status Executable::load_all() {
  const Program& p = program_;
  for (const std::string& name : p.devices) {
    const int index = executor_.index_of(name);
    if (index == kNone)
      return invalid_argument("the program needs device '" + name + "', which this session has not opened");
    device_of_.push_back(static_cast<size_t>(index));
    handles_.push_back(std::make_unique<Handles>(executor_.device(device_of_.back())));
  }
  DeviceList described;
  std::vector<uint64_t> taken;
  for (size_t d : device_of_) {
    described.push_back(executor_.device(d).shared_description());
    taken.push_back(executor_.device(d).allocated_bytes());
  }
  CUTSET_TRY(check_budgets(p, described, taken));
  CUTSET_TRY(executor_.declare(p.variables, p.devices));
  for (const Constant& c : p.constants) {
    const size_t at = device_of_[static_cast<size_t>(c.device)];
    OpenDevice& d = executor_.device(at);
    const cutset_queue queue = executor_.queue(at * kQueues + static_cast<size_t>(Queue::kIn));
    Handles& handles = *handles_[static_cast<size_t>(c.device)];
    CUTSET_ASSIGN(cutset_buffer buffer, handles.allocate(c.bytes.size()));
    CUTSET_ASSIGN(cutset_tensor tensor, handles.tensor(buffer, 0, c.bytes.size()));
    CUTSET_TRY(d.write_now(queue, tensor, c.bytes.data(), c.bytes.size()));
    constants_.push_back(tensor);
  }
  for (const Function& f : p.functions) {
    functions_.push_back(std::make_unique<Loaded>());
    functions_.back()->function = &f;
    CUTSET_TRY(load_function(*functions_.back()));
  }
  return {};
}

Executable::~Executable() {
  for (auto& f : functions_)
    for (auto& m : f->mailboxes) executor_.forget(m.get());
  for (auto& f : functions_)
    for (auto& s : f->sums) executor_.forget(s.get());
}

Status Executable::load_memory(Loaded& loaded) {
  const Function& f = *loaded.function;
  std::vector<cutset_buffer> arenas;
  for (size_t d = 0; d < f.devices.size(); ++d) {
    CUTSET_ASSIGN(cutset_buffer arena, handles_[d]->allocate(f.devices[d].arena_bytes));
    arenas.push_back(arena);
  }
  for (const Buffer& b : f.buffers) {
    const auto device = static_cast<size_t>(b.device);
    cutset_tensor tensor = nullptr;
    switch (b.storage) {
      case Storage::kArena: {
        if (const uint64_t alignment = executor_.device(device_of_[device]).alignment(); b.offset % alignment != 0)
          return invalid_argument("buffer " + std::to_string(loaded.tensors.size()) + " of '" + f.name +
                                      "' lies at byte " + std::to_string(b.offset) + "; " + program_.devices[device] +
                                      " takes multiples of " + std::to_string(alignment),
                                  "the program was compiled for another device: compile it here");
        CUTSET_ASSIGN(tensor,
                      handles_[device]->tensor(arenas[device], b.offset, static_cast<uint64_t>(b.type.bytes())));
        break;
      }
      case Storage::kVariable: {
        CUTSET_ASSIGN(tensor, executor_.variable_tensor(program_.variables[static_cast<size_t>(b.index)].name,
                                                        device_of_[device]));
        break;
      }
      case Storage::kConstant:
        tensor = constants_[static_cast<size_t>(b.index)];
        break;
      case Storage::kTypeOnly:
        break;
    }
    loaded.tensors.push_back(tensor);
  }
  return {};
}

Status Executable::load_function(Loaded& loaded) {
  const Function& f = *loaded.function;
  CUTSET_TRY(load_memory(loaded));
  loaded.inputs.resize(f.inputs.size());
  loaded.fed.resize(f.inputs.size());
  for (const Port& port : f.outputs) loaded.outputs.emplace_back(port.type);
  for (const Channel& channel : f.channels) {
    loaded.mailboxes.push_back(std::make_unique<Mailbox>(channel.type));
    executor_.watch(loaded.mailboxes.back().get());
  }
  for (const Collective& c : f.collectives) {
    CUTSET_ASSIGN(auto sum, AllReduce::make(c));
    executor_.watch(sum.get());
    loaded.sums.push_back(std::move(sum));
  }
  loaded.events.resize(f.devices.size());
  loaded.compute.resize(executor_.size() * kQueues);
  loaded.apply.resize(executor_.size() * kQueues);
  for (size_t d = 0; d < f.devices.size(); ++d) {
    for (int32_t i = 0; i < f.devices[d].events; ++i) {
      CUTSET_ASSIGN(cutset_event event, handles_[d]->event());
      loaded.events[d].push_back(event);
    }
    for (size_t q = 0; q < kQueues; ++q) {
      for (const Instruction& i : f.devices[d].queues[q].compute) {
        CUTSET_ASSIGN(Action a, bind(loaded, d, i));
        loaded.compute[device_of_[d] * kQueues + q].push_back(a);
      }
      for (const Instruction& i : f.devices[d].queues[q].apply) {
        CUTSET_ASSIGN(Action a, bind(loaded, d, i));
        loaded.apply[device_of_[d] * kQueues + q].push_back(a);
        loaded.applies = true;
      }
    }
  }
  return {};
}

Result<Action> Executable::bind(Loaded& loaded, size_t d, const Instruction& i) {
  const Function& f = *loaded.function;
  OpenDevice& device = executor_.device(device_of_[d]);
  auto buffer = [&](int32_t b) -> const Buffer& { return f.buffers[static_cast<size_t>(b)]; };
  auto tensor = [&](int32_t b) { return loaded.tensors[static_cast<size_t>(b)]; };
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
      a.input = &loaded.inputs[index];
      a.offset = i.offset;
      break;
    case Instruction::Kind::kOutput:
      a.output = loaded.outputs[index].data() + i.offset;
      break;
    case Instruction::Kind::kSignal:
    case Instruction::Kind::kWait:
      a.event = loaded.events[d][index];
      break;
    case Instruction::Kind::kSend:
    case Instruction::Kind::kRecv: {
      const TensorType& type = f.channels[index].type;
      a.mailbox = loaded.mailboxes[index].get();
      a.header = {program_.fingerprint, 0, i.index, static_cast<int32_t>(type.dtype),
                  static_cast<uint64_t>(type.bytes())};
      break;
    }
    case Instruction::Kind::kReduceStart:
    case Instruction::Kind::kReduceWait: {
      const TensorType& type = f.collectives[index].type;
      a.all_reduce = loaded.sums[index].get();
      a.partial = static_cast<size_t>(i.partial);
      a.header = {program_.fingerprint, 0, ~i.index, static_cast<int32_t>(type.dtype),
                  static_cast<uint64_t>(type.bytes())};
      break;
    }
    case Instruction::Kind::kKernel: {
      const OpInfo* op = find_op(i.op);
      a.kernel = device.description().find_kernel(i.kernel);
      if (!op || !a.kernel || i.op != a.kernel->op)
        return execution_failed("device '" + device.description().name() + "' has no kernel '" + i.kernel + "' for '" +
                                i.op + "'");
      auto bound = std::make_shared<Bound>();
      CUTSET_ASSIGN(bound->attributes, FlatAttrs::pack(op->schema, i.attributes));
      Types in, out;
      std::vector<cutset_tensor> from, to;
      for (int32_t b : i.operands) in.push_back(buffer(b).type), from.push_back(tensor(b));
      for (int32_t b : i.results) out.push_back(buffer(b).type), to.push_back(tensor(b));
      // A saved program may have been compiled on another machine, where a kernel needs less scratch memory.
      CUTSET_TRY(device.description().supports(a.kernel, *op, bound->attributes.data(), in, out));
      CUTSET_ASSIGN(const uint64_t wanted,
                    device.description().scratch(a.kernel, *op, bound->attributes.data(), in, out));
      if (const uint64_t planned = i.scratch == kNone ? 0 : static_cast<uint64_t>(buffer(i.scratch).type.bytes());
          wanted > planned)
        return invalid_argument("kernel '" + i.kernel + "' needs " + std::to_string(wanted) +
                                    " bytes of scratch memory on " + device.description().name() +
                                    ", and the program has planned " + std::to_string(planned),
                                "the program was compiled for another number of threads, or for another machine: use "
                                "that number of threads, or compile it here");
      bound->problem = std::make_unique<AbiProblem>(*op, bound->attributes.data(), in, out);
      CUTSET_ASSIGN(a.instance, handles_[d]->instantiate(a.kernel, bound->problem->get(), bound, from, to,
                                                         i.scratch == kNone ? nullptr : tensor(i.scratch)));
      break;
    }
  }
  return a;
}

Result<Executable::Loaded*> Executable::find_loaded(const std::string& name) {
  for (auto& f : functions_)
    if (f->function->name == name) return f.get();
  return invalid_argument("the program has no function '" + name + "'");
}

bool Executable::commits(const std::string& name) const {
  for (const auto& f : functions_)
    if (f->function->name == name) return f->applies;
  return false;
}

Result<Executable::Loaded*> Executable::prepare(const std::string& name, std::span<const HostTensor* const> inputs,
                                                const Feeds& feeds) {
  CUTSET_ASSIGN(Loaded * loaded, find_loaded(name));
  const Function& f = *loaded->function;
  size_t given = 0;
  for (size_t i = 0; i < f.inputs.size(); ++i) {
    const Port& port = f.inputs[i];
    if (port.feed != Feed::kCaller) {
      CUTSET_TRY(feed(port, feeds, loaded->fed[i].bytes));
      loaded->inputs[i] = loaded->fed[i].bytes;
      continue;
    }
    if (given < inputs.size()) {
      if (inputs[given]->type() != port.type)
        return invalid_argument("input '" + port.name + "' of '" + name + "' is " + to_string(port.type) + ", not " +
                                to_string(inputs[given]->type()));
      loaded->inputs[i] = inputs[given]->data();
    }
    ++given;
  }
  if (given != inputs.size())
    return invalid_argument("'" + name + "' takes " + std::to_string(given) + " inputs, not " +
                            std::to_string(inputs.size()));
  return loaded;
}

Result<std::span<const HostTensor>> Executable::run(const std::string& name, std::span<const HostTensor* const> inputs,
                                                    const Feeds& feeds) {
  CUTSET_ASSIGN(Loaded * loaded, prepare(name, inputs, feeds));
  const uint64_t run = ++loaded->runs;
  if (Status status = executor_.execute(loaded->compute, run); !status.ok()) {
    if (executor_.torn()) return *executor_.torn();
    return failed_before_updates(status.error());
  }
  if (!loaded->applies) return std::span<const HostTensor>(loaded->outputs);
  CUTSET_TRY(sound(*loaded, feeds.step));
  if (Status status = executor_.execute(loaded->apply, run); !status.ok()) {
    Failure torn = status.error();
    torn.what = "step " + std::to_string(feeds.step) + " of '" + name +
                "' failed while it updated the variables: " + torn.what +
                ". Some variables are those before the step, and others those after it";
    torn.hint = "load a checkpoint, or start a new session";
    executor_.tear(torn);
    return torn;
  }
  return std::span<const HostTensor>(loaded->outputs);
}

Status Executable::sound(const Loaded& loaded, uint64_t step) {
  const Function& f = *loaded.function;
  for (const FiniteCheck& check : f.checks) {
    const size_t at = device_of_[static_cast<size_t>(check.device)];
    OpenDevice& device = executor_.device(at);
    cutset_queue queue = executor_.queue(at * kQueues + static_cast<size_t>(Queue::kOut));
    unsigned char finite = 0;
    Status read = device.status(device.api().read(queue, loaded.tensors[static_cast<size_t>(check.flag)], &finite, 1));
    if (read.ok()) read = device.status(device.api().finish(queue));
    if (!read.ok()) {
      executor_.fail(read.error());
      return failed_before_updates(read.error());
    }
    if (!finite) return not_finite(loaded, check, step);
  }
  for (size_t i = 0; i < f.outputs.size(); ++i) {
    const HostTensor& out = loaded.outputs[i];
    if (is_float(out.type().dtype) && out.type().rank() == 0 && !std::isfinite(out.at(0)))
      return refused_step(f, step, "result '" + f.outputs[i].name + "' is " + std::to_string(out.at(0)));
  }
  return {};
}

// Searches for the element only after the step has failed, so that a successful step costs one flag per device.
Failure Executable::not_finite(const Loaded& loaded, const FiniteCheck& check, uint64_t step) {
  const Function& f = *loaded.function;
  const std::string& device = f.devices[static_cast<size_t>(check.device)].device;
  std::string found = "a tensor that an update needs is not finite on " + device;
  for (const FiniteCheck::Tensor& t : check.tensors) {
    auto value = read_buffer(f.name, t.buffer);
    const std::string element = value ? first_non_finite(*value) : "";
    if (element.empty()) continue;
    found = t.name + " is " + element + " on " + device;
    break;
  }
  Failure failure = refused_step(f, step, found);
  for (const Variable& v : program_.variables) {
    auto value = executor_.read_variable(v.name);
    const std::string element = value ? first_non_finite(*value) : "";
    if (element.empty()) continue;
    failure.what += ". Variable '" + v.name + "' itself is " + element +
                    ", since an update of an earlier step overflowed or it was set so";
    failure.hint = "load a checkpoint from before, and train with a smaller learning rate";
    break;
  }
  return failure;
}

Result<std::span<const HostTensor>> Executable::step_through(const std::string& name,
                                                             std::span<const HostTensor* const> inputs,
                                                             Observer& observer, const Feeds& feeds) {
  CUTSET_ASSIGN(Loaded * loaded, prepare(name, inputs, feeds));
  StepThrough step(executor_, device_of_, *loaded->function, ++loaded->runs, observer);
  CUTSET_TRY(step.walk(loaded->compute, false));
  if (loaded->applies) CUTSET_TRY(step.walk(loaded->apply, true));
  return std::span<const HostTensor>(loaded->outputs);
}

Result<Executable::Located> Executable::locate(const std::string& name, int32_t buffer) {
  CUTSET_ASSIGN(Loaded * loaded, find_loaded(name));
  const auto i = static_cast<size_t>(buffer);
  if (buffer < 0 || i >= loaded->tensors.size())
    return invalid_argument("'" + name + "' has no buffer " + std::to_string(buffer));
  const Buffer& b = loaded->function->buffers[i];
  return Located{&b, loaded->tensors[i], device_of_[static_cast<size_t>(b.device)]};
}

Result<HostTensor> Executable::read_buffer(const std::string& name, int32_t buffer) {
  CUTSET_ASSIGN(const Located at, locate(name, buffer));
  HostTensor value(at.buffer->type);
  if (at.buffer->storage == Storage::kTypeOnly) return value;
  const cutset_queue queue = executor_.queue(at.device * kQueues + static_cast<size_t>(Queue::kOut));
  CUTSET_TRY(executor_.device(at.device).read_now(queue, at.tensor, value.data(), value.bytes().size()));
  return value;
}

Status Executable::write_buffer(const std::string& name, int32_t buffer, const HostTensor& value) {
  CUTSET_ASSIGN(const Located at, locate(name, buffer));
  if (!at.tensor) return invalid_argument("buffer " + std::to_string(buffer) + " of '" + name + "' holds no value");
  if (value.type() != at.buffer->type)
    return execution_failed("a buffer of " + to_string(at.buffer->type) + " is not to hold " + to_string(value.type()));
  const cutset_queue queue = executor_.queue(at.device * kQueues + static_cast<size_t>(Queue::kIn));
  return executor_.device(at.device).write_now(queue, at.tensor, value.data(), value.bytes().size());
}

}  // namespace cutset
