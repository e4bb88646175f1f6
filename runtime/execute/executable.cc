// SPDX-License-Identifier: Apache-2.0
#include "runtime/execute/executable.h"

#include <algorithm>
#include <cmath>

#include "ir/core/scope_exit.h"
#include "runtime/execute/finite.h"
#include "runtime/execute/refusal.h"
#include "runtime/files/uninitialized.h"
#include "runtime/files/usable_memory.h"
#include "runtime/program/forecast.h"
#include "runtime/program/order/expand.h"

namespace cutset {
namespace {

// Adds to the failure of a device that no variable has been updated.
Failure failed_before_updates(Failure failure) {
  failure.what += ". No variable has changed";
  if (failure.hint.empty()) failure.hint = "the session can run the step again";
  return failure;
}

// Names the op that needs the most memory, in the failure of the allocation of an arena. `devices` are the
// devices of the program.
Failure without_memory(Failure failure, const Program& program, const DeviceList& devices, size_t device) {
  const auto forecasts = forecast(program, devices);
  if (!forecasts) return failure;
  const DeviceForecast& f = (*forecasts)[device];
  failure.what += ", for the values of a step";
  if (!f.op.empty())
    failure.what += "; most of them are alive at '" + f.op + "'" + (f.layer.empty() ? "" : " of " + f.layer) +
                    " in '" + f.function + "'";
  failure.source = f.source;
  return failure;
}

}  // namespace

Result<std::unique_ptr<Executable>> Executable::load(Executor& executor, Program program) {
  ScopeExit undo([&executor, mark = executor.variables().mark()] { executor.variables().take_back(mark); });
  std::unique_ptr<Executable> e(new Executable(executor, expand(std::move(program))));
  CUTSET_TRY(e->load_all());
  undo.release();
  return e;
}

Status Executable::load_all() {
  const Program& p = program();
  Executor& executor = bound_.executor;
  for (const std::string& name : p.devices) {
    const int index = executor.devices().index_of(name);
    if (index == kNone)
      return invalid_argument("the program needs device '" + name + "', which this session has not opened");
    bound_.device_of.push_back(static_cast<size_t>(index));
    bound_.handles.push_back(std::make_unique<Handles>(executor.devices().device(bound_.device_of.back())));
  }
  const DeviceList devices = bound_.descriptions();
  MemoryDemand demand{p, devices, {}, {}};  // scratch memory is known when the kernels are prepared
  for (size_t d : bound_.device_of)
    demand.taken.push_back(
        {executor.devices().arena(d).bytes_outside(), executor.devices().arena(d).bytes()});
  const uint64_t usable = usable_memory_bytes();  // before this load takes a part of it
  const auto check_memory = [&]() -> Status {
    CUTSET_TRY(check_budgets(demand));
    return check_machine(demand, usable);
  };
  CUTSET_TRY(check_memory());
  CUTSET_TRY(executor.variables().declare(p.variables, p.devices));
  CUTSET_TRY(load_constants());
  CUTSET_TRY(load_functions());
  demand.step_memory = step_memory_;
  CUTSET_TRY(check_memory());
  return bind();
}

Status Executable::load_functions() {
  step_memory_.resize(program().devices.size());
  for (const Function& f : program().functions) {
    CUTSET_ASSIGN(auto function, BoundFunction::make(bound_, f));
    for (size_t d = 0; d < step_memory_.size(); ++d)
      step_memory_[d] = std::max(step_memory_[d], function->step_memory()[d]);
    functions_.push_back(std::move(function));
  }
  return {};
}

// Copies the constants of each device to one buffer.
Status Executable::load_constants() {
  const Program& p = program();
  std::vector<uint64_t> bytes(p.devices.size());
  for (const Constant& c : p.constants) {
    const auto d = static_cast<size_t>(c.device);
    bound_.constants.push_back({nullptr, bytes[d], c.bytes.size()});
    bytes[d] += constant_stride(c, bound_.executor.devices().device(bound_.device_of[d]).alignment());
  }
  for (size_t d = 0; d < bytes.size(); ++d) {
    if (bytes[d] == 0) continue;
    OpenDevice& device = bound_.executor.devices().device(bound_.device_of[d]);
    const cutset_queue queue =
        bound_.executor.devices().queue(bound_.device_of[d] * kQueues + static_cast<size_t>(Queue::kIn));
    CUTSET_ASSIGN(const cutset_buffer buffer, bound_.handles[d]->allocate(bytes[d]));
    // A failed load frees the program, which the writes before the failure still read.
    ScopeExit drain([&device] { device.drain(); });
    for (size_t i = 0; i < p.constants.size(); ++i) {
      if (static_cast<size_t>(p.constants[i].device) != d) continue;
      bound_.constants[i].buffer = buffer;
      CUTSET_TRY(device.status(device.api().write(queue, &bound_.constants[i], p.constants[i].bytes.data())));
    }
    CUTSET_TRY(device.status(device.api().finish(queue)));
    drain.release();
  }
  return {};
}

Executable::~Executable() { leave(); }

Status Executable::bind() {
  if (!bound_.arenas.empty()) return {};
  // A failure or an exception leaves the program unbound.
  ScopeExit unbind([this] { leave(); });
  std::vector<cutset_buffer> arenas;
  for (size_t d = 0; d < bound_.device_of.size(); ++d) {
    auto arena = bound_.executor.devices().arena(bound_.device_of[d]).enter(*this, step_memory_[d]);
    if (!arena) return without_memory(arena.error(), program(), bound_.descriptions(), d);
    arenas.push_back(*arena);
  }
  bound_.arenas = std::move(arenas);
  for (auto& f : functions_) CUTSET_TRY(f->bind());
  unbind.release();
  return {};
}

void Executable::leave() {
  for (auto& f : functions_) f->unbind();
  for (size_t d : bound_.device_of) bound_.executor.devices().arena(d).leave(*this);
  bound_.arenas.clear();
}

Result<BoundFunction*> Executable::find(const std::string& name) {
  for (auto& f : functions_)
    if (f->function().name == name) return f.get();
  return invalid_argument("the program has no function '" + name + "'");
}

bool Executable::commits(const std::string& name) const {
  for (const auto& f : functions_)
    if (f->function().name == name) return f->applies();
  return false;
}

Result<BoundFunction*> Executable::prepare(const std::string& name, std::span<const HostTensor* const> inputs,
                                           const Feeds& feeds) {
  CUTSET_ASSIGN(BoundFunction * loaded, find(name));
  // A device that has failed for good gets no new tensors.
  if (Status begun = bound_.executor.begin_epoch(); !begun.ok())
    return bound_.executor.health().torn() ? begun.error() : failed_before_updates(begun.error());
  CUTSET_TRY(bind());
  const Function& f = loaded->function();
  size_t count = 0;
  for (size_t i = 0; i < f.inputs.size(); ++i) {
    const Port& port = f.inputs[i];
    if (port.feed != Feed::kCaller) {
      CUTSET_TRY(feed(port, feeds, loaded->fed[i].bytes));
      loaded->inputs[i] = loaded->fed[i].bytes;
      continue;
    }
    if (count < inputs.size()) {
      if (inputs[count]->type() != port.type)
        return invalid_argument("input '" + port.name + "' of '" + name + "' is " + to_string(port.type) +
                                    ", not " + to_string(inputs[count]->type()),
                                inputs[count]->shape() == port.type.shape
                                    ? std::string("convert the elements to ") + name_of(port.type.dtype)
                                    : "");
      loaded->inputs[i] = inputs[count]->data();
    }
    ++count;
  }
  if (count != inputs.size())
    return invalid_argument("'" + name + "' takes " + std::to_string(count) + " inputs, not " +
                            std::to_string(inputs.size()));
  return loaded;
}

Result<std::span<HostTensor>> Executable::run(const std::string& name,
                                              std::span<const HostTensor* const> inputs, const Feeds& feeds,
                                              Landing* landing) {
  CUTSET_ASSIGN(BoundFunction * loaded, prepare(name, inputs, feeds));
  CUTSET_TRY(loaded->renew_outputs());
  loaded->landing = landing && landing->wait() ? landing : nullptr;
  StepRunner::Vote vote;
  if (loaded->applies()) vote = [this, loaded] { return votes_for(*loaded); };
  const auto outcome =
      bound_.executor.steps().run(loaded->compute, loaded->apply, bound_.executor.next_run(), vote);
  if (!outcome.status.ok()) {
    if (outcome.committed && loaded->applies()) return torn(*loaded, feeds.step, outcome.status.error());
    const Status begun = bound_.executor.begin_epoch();
    return failed_before_updates(begun.ok() ? outcome.status.error() : begun.error());
  }
  if (!outcome.committed) return why_refused(*loaded, feeds, inputs);
  return std::span<HostTensor>(loaded->outputs);
}

Result<std::shared_ptr<Landing>> Executable::copy_ahead(const std::string& name,
                                                        std::span<const HostTensor* const> inputs) {
  CUTSET_ASSIGN(BoundFunction * loaded, prepare(name, inputs, {}));
  std::shared_ptr<Landing> landing = loaded->free_landing();
  if (!landing) return landing;
  CUTSET_ASSIGN(CopyAhead * copy_ahead, bound_.executor.copy_ahead());
  copy_ahead->fill(*landing, loaded->landing_sources());
  return landing;
}

Failure Executable::torn(const BoundFunction& loaded, uint64_t step, Failure failure) {
  if (const auto& already = bound_.executor.health().torn()) return *already;
  bound_.executor.health()
      .tear_without_memory();  // first, because the description may need more memory than there is
  failure.what =
      "step " + std::to_string(step) + " of '" + loaded.function().name +
      "' failed while it updated the variables: " + failure.what +
      ". Some variables have their values from before the step, and others have those from after it";
  failure.hint = "load a checkpoint, or start a new session";
  bound_.executor.health().tear(failure);
  return failure;
}

Result<bool> Executable::is_finite(const BoundFunction& loaded, const FiniteCheck& check) {
  const size_t at = bound_.device_of[static_cast<size_t>(check.device)];
  OpenDevice& device = bound_.executor.devices().device(at);
  const cutset_queue queue = bound_.executor.devices().queue(at, Queue::kOut);
  unsigned char finite = 0;
  CUTSET_TRY(device.read_now(queue, loaded.slices[check.flag.index()], &finite));
  return finite != 0;
}

// If there is no memory to describe a failure, the vote refuses the step, and the later description fails
// again.
bool Executable::votes_for(const BoundFunction& loaded) noexcept {
  const Function& f = loaded.function();
  try {
    for (const FiniteCheck& check : f.checks) {
      const Result<bool> finite = is_finite(loaded, check);
      if (!finite) bound_.executor.health().fail(finite.error());
      if (!finite || !*finite) return false;
    }
    return refused_result(f, loaded.outputs).empty();
  } catch (const std::bad_alloc&) {
    return false;
  }
}

Failure Executable::why_refused(const BoundFunction& loaded, const Feeds& feeds,
                                std::span<const HostTensor* const> inputs) {
  const Function& f = loaded.function();
  for (const FiniteCheck& check : f.checks) {
    const Result<bool> finite = is_finite(loaded, check);
    if (!finite) return failed_before_updates(finite.error());
    if (!*finite) return not_finite(loaded, check, feeds, inputs);
  }
  const std::string result = refused_result(f, loaded.outputs);
  return refused_step(f, feeds, result.empty() ? "the host has no memory to examine it" : result, inputs);
}

// Searches for the element only after the step has failed, so that a successful step costs one flag per
// device.
Failure Executable::not_finite(const BoundFunction& loaded, const FiniteCheck& check, const Feeds& feeds,
                               std::span<const HostTensor* const> inputs) {
  const Function& f = loaded.function();
  const std::string& device = f.devices[static_cast<size_t>(check.device)].device;
  std::string found = "a tensor that an update needs is not finite on " + device;
  for (const FiniteCheck::Tensor& t : check.tensors) {
    auto value = read_buffer(f.name, t.buffer);
    const std::string element = value ? first_non_finite(*value) : "";
    if (element.empty()) continue;
    found = t.name + " is " + element + " on " + device;
    break;
  }
  Failure failure = refused_step(f, feeds, found, inputs);
  for (const Variable& v : program().variables) {
    auto value = bound_.executor.variables().read(v.name);
    const std::string element = value ? first_non_finite(*value) : "";
    if (element.empty()) continue;
    failure.what += ". Variable '" + v.name + "' itself is " + element +
                    ", which it has from an update of an earlier step, or because it was set to this value";
    failure.hint =
        "load a checkpoint from before that step; a smaller learning rate helps if the update overflowed, "
        "and a larger epsilon of the optimizer if it divided by 0";
    break;
  }
  return failure;
}

Result<std::span<const HostTensor>> Executable::step_through(const std::string& name,
                                                             std::span<const HostTensor* const> inputs,
                                                             Observer& observer, const Feeds& feeds) {
  CUTSET_ASSIGN(BoundFunction * loaded, prepare(name, inputs, feeds));
  CUTSET_TRY(loaded->renew_outputs());
  loaded->landing = nullptr;
  const Run run = {.step = bound_.executor.next_run(), .epoch = bound_.executor.health().epoch()};
  StepThrough step(bound_.executor, bound_.device_of, loaded->function(), run, observer);
  CUTSET_TRY(step.walk(loaded->compute, false));
  if (loaded->applies()) CUTSET_TRY(step.walk(loaded->apply, true));
  return std::span<const HostTensor>(loaded->outputs);
}

Result<Executable::LocatedBuffer> Executable::locate(const std::string& name, BufferId buffer) {
  CUTSET_ASSIGN(BoundFunction * loaded, find(name));
  if (bound_.arenas.empty())
    return execution_failed("'" + name +
                            "' holds no values, because another program has taken its memory since it ran");
  const size_t i = buffer.index();
  if (buffer.value < 0 || i >= loaded->slices.size())
    return invalid_argument("'" + name + "' has no buffer " + std::to_string(buffer.value));
  const Buffer& b = loaded->function().buffers[i];
  return LocatedBuffer{&b, loaded->slices[i], bound_.device_of[static_cast<size_t>(b.device)]};
}

Result<HostTensor> Executable::read_buffer(const std::string& name, BufferId buffer) {
  CUTSET_ASSIGN(const LocatedBuffer at, locate(name, buffer));
  if (at.buffer->storage == Storage::kTypeOnly) return HostTensor(at.buffer->type);
  HostTensor value = uninitialized(at.buffer->type);
  const cutset_queue queue =
      bound_.executor.devices().queue(at.device * kQueues + static_cast<size_t>(Queue::kOut));
  CUTSET_TRY(bound_.executor.devices().device(at.device).read_now(queue, at.slice, value.data()));
  return value;
}

Status Executable::write_buffer(const std::string& name, BufferId buffer, const HostTensor& value) {
  CUTSET_ASSIGN(const LocatedBuffer at, locate(name, buffer));
  if (!at.slice.buffer)
    return invalid_argument("buffer " + std::to_string(buffer.value) + " of '" + name + "' holds no value");
  if (value.type() != at.buffer->type)
    return execution_failed("a buffer of type " + to_string(at.buffer->type) +
                            " cannot hold a value of type " + to_string(value.type()));
  const cutset_queue queue =
      bound_.executor.devices().queue(at.device * kQueues + static_cast<size_t>(Queue::kIn));
  return bound_.executor.devices().device(at.device).write_now(queue, at.slice, value.data());
}

}  // namespace cutset
