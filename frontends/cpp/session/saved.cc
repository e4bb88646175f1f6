// SPDX-License-Identifier: Apache-2.0
#include <cutset/saved.h>

#include <algorithm>
#include <set>

#include "frontends/cpp/checks/in_use.h"
#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/graph/snapshot.h"
#include "frontends/cpp/session/checkpoint.h"
#include "frontends/cpp/session/configure.h"
#include "frontends/cpp/session/first_values.h"
#include "frontends/cpp/session/fit_variables.h"
#include "frontends/cpp/session/independent_samples.h"
#include "frontends/cpp/session/run_function.h"
#include "frontends/cpp/session/variable_access.h"
#include "ir/core/op/op_info.h"
#include "runtime/device/op_libraries.h"
#include "runtime/execute/executor.h"
#include "runtime/files/usable_memory.h"
#include "runtime/program/check/check_program.h"
#include "runtime/program/file/program_file.h"
#include "runtime/program/forecast.h"
#include "runtime/program/order/expand.h"

namespace cutset {

LoadedVariables save_program(const Graph& graph, const CompileOptions& options, const std::string& path,
                             const SaveOptions& save) {
  SavedProgramFile saved;
  const auto snapshot = snapshot_of(*graph.state());
  const CompileConfig config = check(configure_described(options));
  CompileResult compiled = check(snapshot->compile(config));
  report_notes(options, compiled);
  saved.program = std::move(compiled.program);
  mark_independent_samples(*snapshot, saved.program);
  set_drawn_values(*snapshot, saved.program);
  TensorMap values = check(initial_values(*snapshot, config.dtype));
  std::set<std::string> given;  // variables with values that load_program cannot compute
  for (const InitializedVariable& v : snapshot->initialized_variables())
    if (v.first.elements) given.insert(v.name);
  LoadedVariables loaded;
  if (const std::string& weights = save.weights; !weights.empty()) {
    Metadata metadata;
    TensorMap tensors = check(read_safetensors(weights, &metadata));
    check(read_step(weights, metadata, saved.step));
    loaded = check(fit_variables(weights, tensors, saved.program.variables, save.read));
    for (auto& [name, value] : tensors) {
      given.insert(name);
      values.insert_or_assign(name, std::move(value));
    }
  }
  for (const Variable& v : saved.program.variables)
    if (save.initial_values || given.contains(v.name))
      saved.variables.emplace(v.name, check(first_value(v, values)));
  saved.ranges = graph.state()->ranges();
  check(check_program(saved.program));
  check(write_program(path, saved));
  return loaded;
}

struct SavedProgram::Impl {
  DeviceList devices;
  std::unique_ptr<Executor> executor;
  std::unique_ptr<Executable> executable;
  InputNames inputs;  // the inputs of all functions
  Feeds feeds;        // includes the number of committed training steps
  Owner owner;

  Session::Outputs run(const std::string& function, const Batch& batch);
  Status reopen();
  const Program& program() const { return executable->program(); }
  const Function& find(const std::string& name) const { return *check(find_function(program(), name)); }
};

SavedProgram::SavedProgram(std::unique_ptr<Impl> impl)
    : impl_("SavedProgram", ended_in_own_process(std::move(impl))) {}
SavedProgram::~SavedProgram() = default;
SavedProgram::SavedProgram(SavedProgram&&) noexcept = default;
SavedProgram& SavedProgram::operator=(SavedProgram&&) noexcept = default;

namespace {

// Calls `f` and turns exceptions of the standard library into an Error.
template <class F>
auto as_errors(const std::string& what, F&& f) {
  try {
    return f();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    raise(unavailable("there is not enough memory to " + what, "compile it for a smaller batch"));
  } catch (const std::exception& e) {
    raise(execution_failed("cannot " + what + ": " + e.what()));
  }
}

}  // namespace

SavedProgram load_program(const std::string& path, const LoadOptions& options) {
  return as_errors("load '" + path + "'", [&] {
    check(load_op_libraries());
    SavedProgramFile saved = check(read_program(path));
    saved.program = expand(std::move(saved.program));
    const auto check_limit = [&](const DeviceList* described) {
      const uint64_t limit = options.memory_bytes ? options.memory_bytes : usable_memory_bytes();
      const Status status = check_memory_limit(saved.program, limit, described);
      if (status.ok()) return;
      Failure e = status.error();
      e.what = "saved program '" + path + "': " + e.what;
      raise(e);
    };
    check_limit(nullptr);
    DeviceOptions devices;
    devices.devices.clear();
    for (const std::string& name : saved.program.devices)
      devices.devices += (devices.devices.empty() ? "" : ",") + name;
    devices.threads = options.threads;
    devices.simulation_seed = options.simulation_seed;
    devices.device_file = options.device_file;
    auto impl = std::make_unique<SavedProgram::Impl>();
    impl->devices = check(describe_devices(devices));
    if (options.memory_bytes) check_limit(&impl->devices);
    impl->executor = check(Executor::open(impl->devices));
    impl->executable = check(Executable::load(*impl->executor, std::move(saved.program)));
    impl->inputs = input_names(impl->program());
    check(write_first_values(*impl->executor, impl->program().variables, saved.variables));
    impl->feeds.step = saved.step;
    impl->feeds.ranges = std::move(saved.ranges);
    return SavedProgram(std::move(impl));
  });
}

std::vector<std::string> SavedProgram::functions() const {
  std::vector<std::string> names;
  for (const Function& f : impl_->program().functions) names.push_back(f.name);
  return names;
}
std::vector<SavedProgram::Input> SavedProgram::inputs(const std::string& function) const {
  std::vector<Input> list;
  for (const Port& p : caller_inputs(impl_->find(function))) list.push_back({p.name, p.type});
  return list;
}
bool SavedProgram::takes_any_batch(const std::string& function) const {
  return impl_->find(function).samples > 0;
}
std::vector<std::string> SavedProgram::devices() const { return impl_->program().devices; }

std::vector<std::string> SavedProgram::warnings() const {
  std::vector<std::string> all;
  for (const PassedOver& p : impl_->executable->replaced())
    if (p.wrong) all.push_back(p.why);
  return all;
}

std::string SavedProgram::log() const {
  std::set<std::string> kernels;
  const Program& program = impl_->program();
  for (const Function& f : program.functions)
    for (const DevicePlan& d : f.devices)
      for (const Sequence& queue : d.queues)
        for (const auto* list : {&queue.compute, &queue.apply})
          for (const Instruction& i : *list)
            if (const auto* c = i.as<RunKernel>())
              kernels.insert(i.op() + " on " + d.device + ": " + c->kernel);
  std::string text;
  for (const std::string& line : kernels) text += line + "\n";
  for (const PassedOver& p : impl_->executable->replaced()) text += p.why + "\n";
  return text;
}

PinnedMemory SavedProgram::pinned_memory() const {
  const InUse in_use(impl_->owner, "SavedProgram");
  return as_errors("pin memory", [&] { return PinnedMemory(check(impl_->executor->pinned_memory())); });
}

uint64_t SavedProgram::step() const { return impl_->feeds.step; }
std::map<std::string, double> SavedProgram::hyper_parameters() const {
  return cutset::hyper_parameters(impl_->program(), impl_->feeds);
}
double SavedProgram::hyper_parameter(const std::string& name) const {
  return check(cutset::hyper_parameter(impl_->program(), name, impl_->feeds));
}
void SavedProgram::set_hyper_parameter(const std::string& name, double value) {
  const InUse in_use(impl_->owner, "SavedProgram");
  check(cutset::set_hyper_parameter(impl_->program(), name, value, impl_->feeds));
}

std::vector<std::string> SavedProgram::variables() const {
  const InUse in_use(impl_->owner, "SavedProgram");
  return impl_->executor->variables().names();
}
HostTensor SavedProgram::variable(const std::string& name, int64_t copy) const {
  const InUse in_use(impl_->owner, "SavedProgram");
  return as_errors("read the variable '" + name + "'",
                   [&] { return check(read_variable(*impl_->executor, name, copy)); });
}
int64_t SavedProgram::copies(const std::string& name) const {
  const InUse in_use(impl_->owner, "SavedProgram");
  return check(count_copies(*impl_->executor, name));
}
void SavedProgram::set_variable(const std::string& name, const HostTensor& value) {
  const InUse in_use(impl_->owner, "SavedProgram");
  as_errors("set the variable '" + name + "'",
            [&] { check(impl_->executor->variables().write(name, value)); });
}

// Opens the devices again and loads the same program. The contents of the variables are lost. If this fails,
// the program is as it was before.
Status SavedProgram::Impl::reopen() {
  CUTSET_ASSIGN(auto opened, Executor::open(devices));
  CUTSET_ASSIGN(auto again, Executable::load(*opened, Program(program())));
  executable.swap(again);
  again.reset();  // the old executable is destroyed before its executor
  executor.swap(opened);
  return {};
}

LoadedVariables SavedProgram::load(const std::string& path, const VariableFileOptions& options) {
  const InUse in_use(impl_->owner, "SavedProgram");
  return as_errors("load '" + path + "'", [&] {
    return check(read_checkpoint(path, options, impl_->program().variables, impl_->executor,
                                 impl_->feeds.step, [&] { return impl_->reopen(); }));
  });
}
void SavedProgram::save(const std::string& path, const std::map<std::string, std::string>& notes) const {
  const InUse in_use(impl_->owner, "SavedProgram");
  as_errors("save '" + path + "'",
            [&] { check(write_checkpoint(path, *impl_->executor, impl_->feeds.step, notes)); });
}

Session::Outputs SavedProgram::run(const std::string& function, const Batch& batch) {
  const InUse in_use(impl_->owner, "SavedProgram");
  return as_errors("run '" + function + "'", [&] { return impl_->run(function, batch); });
}

Session::Outputs SavedProgram::train(const Batch& batch) { return run("train", batch); }
Session::Outputs SavedProgram::evaluate(const Batch& batch) { return run("evaluate", batch); }
Session::Outputs SavedProgram::predict(const Batch& batch) { return run("predict", batch); }

Session::Outputs SavedProgram::Impl::run(const std::string& function, const Batch& batch) {
  const Function& f = find(function);
  const BatchTensors read = check(BatchTensors::of(f, batch, inputs));
  const auto ports = caller_inputs(f);
  if (const auto samples = samples_of(f, read); samples && *samples != f.samples)
    return check(run_in_parts(*executable, f, read, *samples, inputs, feeds));
  for (size_t i = 0; i < ports.size(); ++i)
    if (const TensorType& type = read.tensors()[i]->type(); type != ports[i].type)
      raise(invalid_argument(
          "input '" + ports[i].name + "' is " + to_string(type) + "; the program was compiled for " +
              to_string(ports[i].type),
          type.shape == ports[i].type.shape
              ? "convert the elements to " + std::string(name_of(ports[i].type.dtype))
          : f.samples ? "only the batch may have another size; compile the model again for this shape"
                      : "compile the model again for this shape; a function takes any batch if its results "
                        "for a sample depend on this sample alone, and not if it returns a loss"));
  return check(run_function(*executable, f, read, feeds));
}

}  // namespace cutset
