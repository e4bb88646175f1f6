#include <cutset/saved.h>
#include <unistd.h>

#include "frontends/cpp/compilation.h"
#include "frontends/cpp/in_use.h"
#include "runtime/executable.h"
#include "runtime/forecast.h"
#include "runtime/program_file.h"

namespace cutset {

Status fit_variables(const std::string& path, TensorMap& tensors, const std::vector<Variable>& variables) {
  for (auto& [name, value] : tensors) {
    const Variable* v = nullptr;
    for (const Variable& candidate : variables)
      if (candidate.name == name) v = &candidate;
    if (!v) return invalid_argument("'" + path + "' has a tensor '" + name + "', which is no variable of the model");
    if (v->type.dtype == f64 && value.type().dtype == f32) value = widened_to_f64(value);
    if (v->type != value.type())
      return invalid_argument("'" + path + "': tensor '" + name + "' is " + to_string(value.type()) +
                              ", the variable " + to_string(v->type));
  }
  return {};
}

void save_program(const Graph& graph, const CompileOptions& options, const std::string& path,
                  const std::string& weights) {
  SavedProgramFile saved;
  saved.program = check(graph.state()->builder->compile(check(request_of(options)))).program;
  TensorMap values = check(draw_variables(*graph.state(), options.f64));
  if (!weights.empty()) {
    Metadata metadata;
    TensorMap given = check(read_safetensors(weights, &metadata));
    check(read_step(weights, metadata, saved.step));
    check(fit_variables(weights, given, saved.program.variables));
    for (auto& [name, value] : given) values.insert_or_assign(name, std::move(value));
  }
  for (const Variable& v : saved.program.variables) {
    auto it = values.find(v.name);
    saved.variables.emplace(v.name, it == values.end() ? HostTensor(v.type) : it->second);
  }
  check(check_program(saved.program));
  check(write_program(path, saved));
}

struct SavedProgram::Impl {
  std::unique_ptr<Machine> machine;
  std::unique_ptr<Executable> executable;
  Feeds feeds;
  uint64_t step = 0;
  std::atomic<bool> in_use = false;

  Session::Outputs run(const std::string& function, const Batch& batch);
  const Function& find(const std::string& name) const {
    const Function* f = executable->program().find(name);
    if (f) return *f;
    std::string have;
    for (const Function& other : executable->program().functions) have += (have.empty() ? "" : ", ") + other.name;
    raise(invalid_argument("the program has no function '" + name + "'", "have: " + have));
  }
};

SavedProgram::SavedProgram(std::unique_ptr<Impl> impl) : impl_("SavedProgram", std::move(impl)) {}
SavedProgram::~SavedProgram() = default;
SavedProgram::SavedProgram(SavedProgram&&) noexcept = default;

namespace {

uint64_t machine_bytes() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
}

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
    if (auto status = check_memory_limit(saved.program, options.memory_bytes ? options.memory_bytes : machine_bytes());
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
    for (const auto& [name, value] : saved.variables) check(impl->machine->write_variable(name, value));
    impl->step = saved.step;
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

uint64_t SavedProgram::step() const { return impl_->step; }
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
  std::vector<const HostTensor*> tensors;
  for (const Port& port : f.inputs) {
    if (port.feed != Feed::kCaller) continue;
    auto it = batch.find(port.name);
    if (it == batch.end())
      raise(
          invalid_argument("no '" + port.name + "', an input of '" + function + "'", "it is " + to_string(port.type)));
    if (it->second.type() != port.type)
      raise(invalid_argument("input '" + port.name + "' is " + to_string(it->second.type()) +
                                 "; the program was compiled for " + to_string(port.type),
                             "compile it again for another shape"));
    tensors.push_back(&it->second);
  }
  feeds.step = step + (executable->commits(function) ? 1 : 0);
  auto values = check(executable->run(function, tensors, feeds));
  step = feeds.step;
  Session::Outputs results;
  for (size_t i = 0; i < f.outputs.size(); ++i) results.emplace(f.outputs[i].name, values[i]);
  return results;
}

}  // namespace cutset
