#include "runtime/execute/executable.h"

#include <algorithm>
#include <cmath>

#include "runtime/execute/finite.h"
#include "runtime/program/expand.h"
#include "runtime/program/forecast.h"

namespace cutset {
namespace {

// Names an input that may have caused a result that is not finite: the first one that holds NaN, or else one without
// elements. An input may hold infinities for a reason, as an attention mask does. Empty if there is no such input.
std::string suspicious_input(const Function& f, std::span<const HostTensor* const> inputs) {
  std::string found;
  size_t given = 0;
  for (const Port& port : f.inputs) {
    if (port.feed != Feed::kCaller) continue;
    const HostTensor& value = *inputs[given++];
    if (const std::string element = first_nan(value); !element.empty())
      return ", and input '" + port.name + "' is " + element;
    if (value.elements() == 0 && found.empty()) found = ", and input '" + port.name + "' has no elements";
  }
  return found;
}

Failure refused_step(const Function& f, uint64_t step, const std::string& why,
                     std::span<const HostTensor* const> inputs) {
  return execution_failed("step " + std::to_string(step) + " of '" + f.name + "' is not committed: " + why +
                              suspicious_input(f, inputs) + "; the variables keep their values from before this step",
                          "the usual causes are a learning rate that is too large, labels outside the classes, indices "
                          "outside the table that they select from, NaN in an input, and a batch without samples or "
                          "whose labels are all ignored");
}

// Adds to the failure of a device that no variable has been updated.
Failure failed_before_updates(Failure failure) {
  failure.what += ". No variable has changed";
  if (failure.hint.empty()) failure.hint = "the session can run the step again";
  return failure;
}

// Removes the variables that a load has declared, unless keep() is called.
class Undo {
 public:
  explicit Undo(Executor& executor) : executor_(executor), mark_(executor.variables().mark()) {}
  ~Undo() {
    if (!done_) executor_.variables().take_back(mark_);
  }
  Undo(const Undo&) = delete;
  void keep() { done_ = true; }

 private:
  Executor& executor_;
  const VariableStore::Mark mark_;
  bool done_ = false;
};

}  // namespace

Result<std::unique_ptr<Executable>> Executable::load(Executor& executor, Program program) {
  Undo undo(executor);
  std::unique_ptr<Executable> e(new Executable(executor, expand(std::move(program))));
  CUTSET_TRY(e->load_all());
  undo.keep();
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
  DeviceList described;
  std::vector<TakenMemory> taken;
  for (size_t d : bound_.device_of) {
    described.push_back(executor.devices().device(d).shared_description());
    taken.push_back({executor.devices().arena(d).bytes_outside(), executor.devices().arena(d).bytes()});
  }
  CUTSET_TRY(check_budgets(p, described, taken));
  CUTSET_TRY(executor.variables().declare(p.variables, p.devices));
  CUTSET_TRY(load_constants());
  for (const Function& f : p.functions) {
    CUTSET_ASSIGN(auto function, BoundFunction::make(bound_, f));
    functions_.push_back(std::move(function));
  }
  return bind();
}

// The constants of a device share one buffer.
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
    struct Drain {
      OpenDevice* device;
      ~Drain() {
        if (device) device->drain();
      }
    } guard{&device};
    for (size_t i = 0; i < p.constants.size(); ++i) {
      if (static_cast<size_t>(p.constants[i].device) != d) continue;
      bound_.constants[i].buffer = buffer;
      CUTSET_TRY(device.status(device.api().write(queue, &bound_.constants[i], p.constants[i].bytes.data())));
    }
    CUTSET_TRY(device.status(device.api().finish(queue)));
    guard.device = nullptr;
  }
  return {};
}

Executable::~Executable() { leave(); }

Status Executable::bind() {
  if (!bound_.arenas.empty()) return {};
  // A failure or an exception leaves the program unbound.
  struct Guard {
    Executable* executable;
    ~Guard() {
      if (executable) executable->leave();
    }
  } guard{this};
  std::vector<cutset_buffer> arenas;
  for (size_t d = 0; d < bound_.device_of.size(); ++d) {
    uint64_t bytes = 0;
    for (const Function& f : program().functions) bytes = std::max(bytes, f.devices[d].arena_bytes);
    CUTSET_ASSIGN(cutset_buffer arena, bound_.executor.devices().arena(bound_.device_of[d]).enter(*this, bytes));
    arenas.push_back(arena);
  }
  bound_.arenas = std::move(arenas);
  for (auto& f : functions_) CUTSET_TRY(f->bind());
  guard.executable = nullptr;
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
                                                    const Feeds& feeds, Landing* landing) {
  CUTSET_ASSIGN(BoundFunction * loaded, prepare(name, inputs, feeds));
  loaded->landing = landing && landing->wait() ? landing : nullptr;
  StepRunner::Vote vote;
  if (loaded->applies()) vote = [this, loaded] { return votes_for(*loaded); };
  const auto outcome = bound_.executor.steps().run(loaded->compute, loaded->apply, bound_.executor.next_run(), vote);
  if (!outcome.status.ok()) {
    if (outcome.committed && loaded->applies()) return torn(*loaded, feeds.step, outcome.status.error());
    const Status begun = bound_.executor.begin_epoch();
    return failed_before_updates(begun.ok() ? outcome.status.error() : begun.error());
  }
  if (!outcome.committed) return why_refused(*loaded, feeds.step, inputs);
  return std::span<const HostTensor>(loaded->outputs);
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
  bound_.executor.health().tear_without_memory();  // first, because the description may need more memory than there is
  failure.what = "step " + std::to_string(step) + " of '" + loaded.function().name +
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

// If there is no memory to describe a failure, the step is refused, and the description that follows fails again.
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

Failure Executable::why_refused(const BoundFunction& loaded, uint64_t step, std::span<const HostTensor* const> inputs) {
  const Function& f = loaded.function();
  for (const FiniteCheck& check : f.checks) {
    const Result<bool> finite = is_finite(loaded, check);
    if (!finite) return failed_before_updates(finite.error());
    if (!*finite) return not_finite(loaded, check, step, inputs);
  }
  const std::string result = refused_result(f, loaded.outputs);
  return refused_step(f, step, result.empty() ? "the host has no memory to examine it" : result, inputs);
}

// Searches for the element only after the step has failed, so that a successful step costs one flag per device.
Failure Executable::not_finite(const BoundFunction& loaded, const FiniteCheck& check, uint64_t step,
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
  Failure failure = refused_step(f, step, found, inputs);
  for (const Variable& v : program().variables) {
    auto value = bound_.executor.variables().read(v.name);
    const std::string element = value ? first_non_finite(*value) : "";
    if (element.empty()) continue;
    failure.what += ". Variable '" + v.name + "' itself is " + element +
                    ", because an update of an earlier step overflowed, or because it was set to this value";
    failure.hint = "load a checkpoint from before that step, and train with a smaller learning rate";
    break;
  }
  return failure;
}

Result<std::span<const HostTensor>> Executable::step_through(const std::string& name,
                                                             std::span<const HostTensor* const> inputs,
                                                             Observer& observer, const Feeds& feeds) {
  CUTSET_ASSIGN(BoundFunction * loaded, prepare(name, inputs, feeds));
  loaded->landing = nullptr;
  const Run run = {.step = bound_.executor.next_run(), .epoch = bound_.executor.health().epoch()};
  StepThrough step(bound_.executor, bound_.device_of, loaded->function(), run, observer);
  CUTSET_TRY(step.walk(loaded->compute, false));
  if (loaded->applies()) CUTSET_TRY(step.walk(loaded->apply, true));
  return std::span<const HostTensor>(loaded->outputs);
}

Result<Executable::Located> Executable::locate(const std::string& name, BufferId buffer) {
  CUTSET_ASSIGN(BoundFunction * loaded, find(name));
  if (bound_.arenas.empty())
    return execution_failed("'" + name +
                            "' holds no values, because another program has taken its memory since it ran");
  const size_t i = buffer.index();
  if (buffer.value < 0 || i >= loaded->slices.size())
    return invalid_argument("'" + name + "' has no buffer " + std::to_string(buffer.value));
  const Buffer& b = loaded->function().buffers[i];
  return Located{&b, loaded->slices[i], bound_.device_of[static_cast<size_t>(b.device)]};
}

Result<HostTensor> Executable::read_buffer(const std::string& name, BufferId buffer) {
  CUTSET_ASSIGN(const Located at, locate(name, buffer));
  HostTensor value(at.buffer->type);
  if (at.buffer->storage == Storage::kTypeOnly) return value;
  const cutset_queue queue = bound_.executor.devices().queue(at.device * kQueues + static_cast<size_t>(Queue::kOut));
  CUTSET_TRY(bound_.executor.devices().device(at.device).read_now(queue, at.slice, value.data()));
  return value;
}

Status Executable::write_buffer(const std::string& name, BufferId buffer, const HostTensor& value) {
  CUTSET_ASSIGN(const Located at, locate(name, buffer));
  if (!at.slice.buffer)
    return invalid_argument("buffer " + std::to_string(buffer.value) + " of '" + name + "' holds no value");
  if (value.type() != at.buffer->type)
    return execution_failed("a buffer of type " + to_string(at.buffer->type) + " cannot hold a value of type " +
                            to_string(value.type()));
  const cutset_queue queue = bound_.executor.devices().queue(at.device * kQueues + static_cast<size_t>(Queue::kIn));
  return bound_.executor.devices().device(at.device).write_now(queue, at.slice, value.data());
}

}  // namespace cutset
