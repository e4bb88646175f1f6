#include <cutset/saved.h>

#include <algorithm>

#include "frontends/cpp/compilation.h"
#include "frontends/cpp/in_use.h"
#include "frontends/cpp/run_function.h"
#include "ir/core/op_info.h"
#include "runtime/forecast.h"
#include "runtime/machine_memory.h"
#include "runtime/program_file.h"

namespace cutset {

// Is it what some optimizer calls a variable of its own, as "velocity"? Its first operand is the variable it updates.
static bool is_optimizer_state(std::string_view name) {
  for (const OpInfo* op : all_ops())
    for (int i = 1; i < op->updates; ++i)
      if (name == op->operands[static_cast<size_t>(i)]) return true;
  return false;
}

Result<std::vector<std::string>> fit_variables(const std::string& path, TensorMap& tensors,
                                               const std::vector<Variable>& variables) {
  std::map<std::string_view, const Variable*> by_name;
  for (const Variable& v : variables) by_name[v.name] = &v;
  for (auto it = tensors.begin(); it != tensors.end();) {
    auto& [name, value] = *it;
    const auto found = by_name.find(name);
    if (found == by_name.end()) {
      const size_t slash = name.rfind('/');  // VARIABLE/STATE
      if (slash == std::string::npos || !by_name.contains(std::string_view(name).substr(0, slash)) ||
          !is_optimizer_state(std::string_view(name).substr(slash + 1)))
        return invalid_argument("'" + path + "' has a tensor '" + name + "', which is no variable of the model");
      it = tensors.erase(it);
      continue;
    }
    const Variable& v = *found->second;
    if (v.type.dtype == f64 && value.type().dtype == f32) value = widened_to_f64(value);
    if (v.type != value.type())
      return invalid_argument("'" + path + "': tensor '" + name + "' is " + to_string(value.type()) +
                              ", the variable " + to_string(v.type));
    ++it;
  }
  std::vector<std::string> missing;
  for (const Variable& v : variables)
    if (!tensors.contains(v.name)) missing.push_back(v.name);
  std::sort(missing.begin(), missing.end());
  return missing;
}

std::vector<std::string> save_program(const Graph& graph, const CompileOptions& options, const std::string& path,
                                      const std::string& weights) {
  SavedProgramFile saved;
  const auto snapshot = graph.state()->builder->snapshot();
  saved.program = check(snapshot->compile(check(request_of(options)))).program;
  TensorMap values = check(draw_variables(*snapshot, options.f64));
  std::vector<std::string> missing;
  if (!weights.empty()) {
    Metadata metadata;
    TensorMap given = check(read_safetensors(weights, &metadata));
    check(read_step(weights, metadata, saved.step));
    missing = check(fit_variables(weights, given, saved.program.variables));
    for (auto& [name, value] : given) values.insert_or_assign(name, std::move(value));
  }
  for (const Variable& v : saved.program.variables) {
    auto it = values.find(v.name);
    saved.variables.emplace(v.name, it == values.end() ? HostTensor(v.type) : it->second);
  }
  check(check_program(saved.program));
  check(write_program(path, saved));
  return missing;
}

struct SavedProgram::Impl {
  std::unique_ptr<Machine> machine;
  std::unique_ptr<Executable> executable;
  InputNames inputs;  // of all functions
  Feeds feeds;        // with the number of training steps committed
  std::atomic<bool> in_use = false;

  Session::Outputs run(const std::string& function, const Batch& batch);
  const Function& find(const std::string& name) const { return *check(find_function(executable->program(), name)); }
};

SavedProgram::SavedProgram(std::unique_ptr<Impl> impl) : impl_("SavedProgram", std::move(impl)) {}
SavedProgram::~SavedProgram() = default;
SavedProgram::SavedProgram(SavedProgram&&) noexcept = default;

namespace {

// What the standard library throws becomes an error of ours.
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
    SavedProgramFile saved = check(read_program(path));
    if (auto status =
            check_memory_limit(saved.program, options.memory_bytes ? options.memory_bytes : machine_memory_bytes());
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
    impl->machine = check(Machine::open(check(describe_devices(devices))));
    impl->executable = check(Executable::load(*impl->machine, std::move(saved.program)));
    impl->inputs = input_names(impl->executable->program());
    for (const auto& [name, value] : saved.variables) check(impl->machine->write_variable(name, value));
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
                             "compile it again for another shape"));
  return check(run_function(*executable, f, read, feeds));
}

}  // namespace cutset
