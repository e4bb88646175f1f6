#include <cutset/saved.h>

#include <algorithm>
#include <set>

#include "frontends/cpp/configure.h"
#include "frontends/cpp/first_values.h"
#include "frontends/cpp/fit_variables.h"
#include "frontends/cpp/graph_state.h"
#include "frontends/cpp/in_use.h"
#include "frontends/cpp/run_function.h"
#include "ir/core/op_info.h"
#include "runtime/device/op_libraries.h"
#include "runtime/execute/executor.h"
#include "runtime/files/usable_memory.h"
#include "runtime/program/check_program.h"
#include "runtime/program/expand.h"
#include "runtime/program/forecast.h"
#include "runtime/program/program_file.h"

namespace cutset {

LoadedVariables save_program(const Graph& graph, const CompileOptions& options, const std::string& path,
                             const std::string& weights, const VariableFileOptions& read) {
  SavedProgramFile saved;
  const auto snapshot = graph.state()->builder->snapshot();
  const CompileConfig config = check(configure_described(options));
  saved.program = check(snapshot->compile(config)).program;
  TensorMap values = check(initial_values(*snapshot, config.dtype));
  LoadedVariables loaded;
  if (!weights.empty()) {
    Metadata metadata;
    TensorMap given = check(read_safetensors(weights, &metadata));
    check(read_step(weights, metadata, saved.step));
    loaded = check(fit_variables(weights, given, saved.program.variables, read));
    for (auto& [name, value] : given) values.insert_or_assign(name, std::move(value));
  }
  for (const Variable& v : saved.program.variables) saved.variables.emplace(v.name, check(first_value(v, values)));
  check(check_program(saved.program));
  check(write_program(path, saved));
  return loaded;
}

struct SavedProgram::Impl {
  std::unique_ptr<Executor> executor;
  std::unique_ptr<Executable> executable;
  InputNames inputs;  // the inputs of all functions
  Feeds feeds;        // includes the number of committed training steps
  std::atomic<bool> in_use = false;

  Session::Outputs run(const std::string& function, const Batch& batch);
  const Function& find(const std::string& name) const { return *check(find_function(executable->program(), name)); }
};

SavedProgram::SavedProgram(std::unique_ptr<Impl> impl) : impl_("SavedProgram", std::move(impl)) {}
SavedProgram::~SavedProgram() = default;
SavedProgram::SavedProgram(SavedProgram&&) noexcept = default;

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

SavedProgram SavedProgram::load(const std::string& path, const LoadOptions& options) {
  return as_errors("load '" + path + "'", [&] {
    check(load_op_libraries());
    SavedProgramFile saved = check(read_program(path));
    saved.program = expand(std::move(saved.program));
    if (auto status =
            check_memory_limit(saved.program, options.memory_bytes ? options.memory_bytes : usable_memory_bytes());
        !status.ok()) {
      Failure e = status.error();
      e.what = "saved program '" + path + "': " + e.what;
      raise(e);
    }
    DeviceOptions devices;
    devices.devices.clear();
    for (const std::string& name : saved.program.devices)
      devices.devices += (devices.devices.empty() ? "" : ",") + name;
    devices.threads = options.threads, devices.simulation_seed = options.simulation_seed,
    devices.device_file = options.device_file, devices.compiled_threads = saved.program.threads;
    auto impl = std::make_unique<Impl>();
    impl->executor = check(Executor::open(check(describe_devices(devices))));
    impl->executable = check(Executable::load(*impl->executor, std::move(saved.program)));
    impl->inputs = input_names(impl->executable->program());
    for (const auto& [name, value] : saved.variables) check(impl->executor->variables().write(name, value));
    impl->feeds.step = saved.step;
    return SavedProgram(std::move(impl));
  });
}

std::vector<std::string> SavedProgram::functions() const {
  std::vector<std::string> names;
  for (const Function& f : impl_->executable->program().functions) names.push_back(f.name);
  return names;
}
std::vector<SavedProgram::Input> SavedProgram::inputs(const std::string& function) const {
  std::vector<Input> list;
  for (const Port& p : caller_inputs(impl_->find(function))) list.push_back({p.name, p.type});
  return list;
}
std::vector<std::string> SavedProgram::devices() const { return impl_->executable->program().devices; }

std::vector<std::string> SavedProgram::warnings() const {
  std::vector<std::string> all;
  for (const PassedOver& p : impl_->executable->replaced())
    if (p.wrong) all.push_back(p.why);
  return all;
}

std::string SavedProgram::log() const {
  std::set<std::string> kernels;
  const Program& program = impl_->executable->program();
  for (const Function& f : program.functions)
    for (const DevicePlan& d : f.devices)
      for (const Sequence& queue : d.queues)
        for (const auto* list : {&queue.compute, &queue.apply})
          for (const Instruction& i : *list)
            if (const auto* c = i.as<RunKernel>()) kernels.insert(i.op() + " on " + d.device + ": " + c->kernel);
  std::string text;
  for (const std::string& line : kernels) text += line + "\n";
  for (const PassedOver& p : impl_->executable->replaced()) text += p.why + "\n";
  return text;
}

uint64_t SavedProgram::step() const { return impl_->feeds.step; }
std::map<std::string, double> SavedProgram::hyper_parameters() const {
  return cutset::hyper_parameters(impl_->executable->program(), impl_->feeds);
}
void SavedProgram::set_hyper_parameter(const std::string& name, double value) {
  check(cutset::set_hyper_parameter(impl_->executable->program(), name, value, impl_->feeds));
}

Session::Outputs SavedProgram::run(const std::string& function, const Batch& batch) {
  const InUse in_use(impl_->in_use, "SavedProgram");
  return as_errors("run '" + function + "'", [&] { return impl_->run(function, batch); });
}

Session::Outputs SavedProgram::Impl::run(const std::string& function, const Batch& batch) {
  const Function& f = find(function);
  const BatchTensors read = check(BatchTensors::of(f, batch, inputs));
  const auto ports = caller_inputs(f);
  for (size_t i = 0; i < ports.size(); ++i)
    if (const TensorType& given = read.tensors()[i]->type(); given != ports[i].type)
      raise(invalid_argument("input '" + ports[i].name + "' is " + to_string(given) +
                                 "; the program was compiled for " + to_string(ports[i].type),
                             given.shape == ports[i].type.shape
                                 ? "convert the elements to " + std::string(name_of(ports[i].type.dtype))
                                 : "compile the model again for this shape"));
  return check(run_function(*executable, f, read, feeds));
}

}  // namespace cutset
