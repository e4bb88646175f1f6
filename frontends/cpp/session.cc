#include <cutset/session.h>

#include <algorithm>

#include "frontends/cpp/compilation.h"
#include "frontends/cpp/in_use.h"
#include "frontends/cpp/memory_use.h"
#include "frontends/cpp/run_function.h"
#include "runtime/files.h"
#include "runtime/safetensors.h"

namespace cutset {

struct Session::Impl {
  std::shared_ptr<const GraphSnapshot> graph;
  CompileRequest request;        // of all later compilations
  InputNames inputs;             // of the graph
  std::unique_ptr<Trace> trace;  // outlives the machine that records into it
  std::unique_ptr<Machine> machine;
  std::vector<std::unique_ptr<Executable>> executables;  // the first has all functions, for the graph's own shapes
  std::map<std::string, std::map<std::vector<Shape>, Executable*>, std::less<>> loaded;  // by function and input shapes
  Feeds feeds;  // with the number of training steps committed
  int64_t compilations = 0;
  std::string dot_ops, dot_layers, placement_log, kernel_log;
  std::atomic<bool> in_use = false;

  const Program& first() const { return executables.front()->program(); }
  Executable* add(std::unique_ptr<Executable> executable);
  Result<Executable*> load(const Function& function, const std::vector<Shape>& shapes);
  Status initialize();
  Status reopen();
};

Executable* Session::Impl::add(std::unique_ptr<Executable> executable) {
  Executable* e = executables.emplace_back(std::move(executable)).get();
  for (const Function& f : e->program().functions) {
    std::vector<Shape> shapes;
    for (const Port& p : caller_inputs(f)) shapes.push_back(p.type.shape);
    loaded[f.name][shapes] = e;
  }
  return e;
}

// Other shapes are compiled for the one function that meets them: what other functions take is not known then.
Result<Executable*> Session::Impl::load(const Function& function, const std::vector<Shape>& shapes) {
  auto& of_function = loaded.find(function.name)->second;
  if (auto it = of_function.find(shapes); it != of_function.end()) return it->second;
  CompileRequest r = request;
  r.function = function.name;
  r.inputs.clear();
  const auto ports = caller_inputs(function);
  for (size_t i = 0; i < shapes.size(); ++i) r.inputs.emplace_back(ports[i].name, shapes[i]);
  CUTSET_ASSIGN(CompileResult compiled, graph->compile(r));
  ++compilations;
  CUTSET_ASSIGN(auto executable, Executable::load(*machine, std::move(compiled.program)));
  return add(std::move(executable));
}

Status Session::Impl::initialize() {
  CUTSET_ASSIGN(const TensorMap drawn, draw_variables(*graph, request.f64));
  return write_first_values(*machine, first().variables, drawn);
}

// The same programs on devices that are opened anew; the contents of the variables are lost.
Status Session::Impl::reopen() {
  std::vector<Program> programs;
  for (const auto& executable : executables) programs.push_back(executable->program());
  CUTSET_ASSIGN(const DeviceList devices, describe_devices(request.devices));
  CUTSET_ASSIGN(auto opened, Machine::open(devices));
  std::vector<std::unique_ptr<Executable>> again;
  for (Program& program : programs) {
    CUTSET_ASSIGN(auto executable, Executable::load(*opened, std::move(program)));
    again.push_back(std::move(executable));
  }
  loaded.clear(), executables.clear();  // an executable goes before its machine
  machine.swap(opened);
  for (auto& executable : again) add(std::move(executable));
  if (!trace) return {};
  trace = std::make_unique<Trace>(machine->size() * kQueues);  // what it has so far points into the old programs
  machine->record_into(trace.get());
  return {};
}

Status write_first_values(Machine& machine, const std::vector<Variable>& variables, const TensorMap& drawn) {
  for (const Variable& v : variables) {
    auto it = drawn.find(v.name);  // the rest starts at zero
    CUTSET_TRY(machine.write_variable(v.name, it == drawn.end() ? HostTensor(v.type) : it->second));
  }
  return {};
}

Result<TensorMap> draw_variables(const GraphSnapshot& graph, bool f64) {
  CompileRequest r;
  r.initializers = true;
  r.f64 = f64;
  r.devices.devices = "reference:0";
  CUTSET_ASSIGN(CompileResult compiled, graph.compile(r));
  CUTSET_ASSIGN(DeviceList devices, describe_devices(r.devices));
  CUTSET_ASSIGN(auto drawing, Machine::open(devices));
  CUTSET_ASSIGN(auto executable, Executable::load(*drawing, std::move(compiled.program)));
  CUTSET_ASSIGN(auto values, executable->run("evaluate", {}));
  const Function& f = *executable->program().find("evaluate");
  TensorMap drawn;
  for (size_t i = 0; i < f.outputs.size(); ++i) drawn.emplace(f.outputs[i].name, values[i]);
  return drawn;
}

Session::Session(std::unique_ptr<Impl> impl) : impl_("Session", std::move(impl)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;

Session compile(const Graph& graph, const CompileOptions& options) {
  auto impl = std::make_unique<Session::Impl>();
  impl->graph = graph.state()->builder->snapshot();
  for (const auto& [name, type] : graph.inputs()) impl->inputs.insert(name);
  CompileRequest& r = impl->request;
  r = check(request_of(options));
  impl->machine = check(Machine::open(check(describe_devices(r.devices))));
  CompileResult compiled = check(impl->graph->compile(r));
  impl->compilations = 1;
  r.plan = std::move(compiled.plan);  // later shapes run where the first did
  r.plan->program.clear();            // it is this program's
  r.strategy = std::move(compiled.strategy), r.dump_directory.clear();
  impl->dot_ops = std::move(compiled.dot_ops), impl->dot_layers = std::move(compiled.dot_layers);
  impl->placement_log = std::move(compiled.placement_log), impl->kernel_log = std::move(compiled.kernel_log);
  impl->add(check(Executable::load(*impl->machine, std::move(compiled.program))));
  check(impl->initialize());
  return Session(std::move(impl));
}

Session::Outputs Session::run(const std::string& function, const Batch& batch) {
  const InUse in_use(impl_->in_use, "Session");
  const Function& wanted = *check(find_function(impl_->first(), function));
  const BatchTensors read = check(BatchTensors::of(wanted, batch, impl_->inputs));
  Executable* executable = check(impl_->load(wanted, read.shapes()));
  return check(run_function(*executable, wanted, read, impl_->feeds));
}

uint64_t Session::step() const { return impl_->feeds.step; }
std::map<std::string, double> Session::hyper_parameters() const {
  return cutset::hyper_parameters(impl_->first(), impl_->feeds);
}
double Session::hyper_parameter(const std::string& name) const {
  const auto all = hyper_parameters();
  auto it = all.find(name);
  if (it == all.end()) raise(no_hyper_parameter(name, all));
  return it->second;
}
void Session::set_hyper_parameter(const std::string& name, double value) {
  const InUse in_use(impl_->in_use, "Session");
  check(cutset::set_hyper_parameter(impl_->first(), name, value, impl_->feeds));
}
int64_t Session::compilations() const { return impl_->compilations; }

std::vector<std::string> Session::variables() const { return impl_->machine->variable_names(); }
HostTensor Session::variable(const std::string& name, int64_t replica) const {
  const InUse in_use(impl_->in_use, "Session");
  if (replica < 0)
    raise(invalid_argument("variable '" + name + "' has no copy of replica " + std::to_string(replica),
                           "replicas are numbered from 0"));
  return check(impl_->machine->read_variable(name, static_cast<size_t>(replica)));
}
int64_t Session::replicas() const {
  const auto names = variables();
  return names.empty() ? 1 : static_cast<int64_t>(impl_->machine->copies(names.front()));
}
std::string Session::strategy() const { return impl_->request.strategy; }
void Session::set_variable(const std::string& name, const HostTensor& value) {
  const InUse in_use(impl_->in_use, "Session");
  check(impl_->machine->write_variable(name, value));
}

std::vector<std::string> Session::load(const std::string& path) {
  const InUse in_use(impl_->in_use, "Session");
  Metadata metadata;
  TensorMap tensors = check(read_safetensors(path, &metadata));
  std::vector<std::string> missing = check(fit_variables(path, tensors, impl_->first().variables));
  uint64_t step = impl_->feeds.step;
  check(read_step(path, metadata, step));
  if (impl_->machine->failed()) {
    if (!missing.empty())
      raise(invalid_argument("'" + path + "' has no tensor '" + missing.front() +
                                 "'; after a device failed, a checkpoint must name every variable",
                             "load one that this session saved, or start a new session"));
    check(impl_->reopen());
  }
  for (const auto& [name, value] : tensors) check(impl_->machine->write_variable(name, value));
  impl_->feeds.step = step;
  return missing;
}

void Session::save(const std::string& path) const {
  const InUse in_use(impl_->in_use, "Session");
  TensorMap tensors;
  for (const std::string& name : variables()) {
    auto value = impl_->machine->read_variable(name);
    // After a failure another replica's device may still answer, and its copy has the same bits.
    for (size_t copy = 1; !value && copy < impl_->machine->copies(name); ++copy)
      value = impl_->machine->read_variable(name, copy);
    tensors.emplace(name, check(std::move(value)));
  }
  check(write_safetensors(path, tensors, step_metadata(impl_->feeds.step)));
}

std::vector<Transfer> Session::transfers() const {
  const Function& f = main_function(impl_->first());
  std::vector<Transfer> list;
  auto add = [&](const std::string& from, const std::string& to, int64_t bytes) {
    auto it = std::find_if(list.begin(), list.end(), [&](const Transfer& t) { return t.from == from && t.to == to; });
    if (it == list.end()) it = list.insert(list.end(), {from, to, 0, 0});
    it->bytes_per_step += bytes, it->tensors += 1;
  };
  for (const Channel& c : f.channels)
    add(f.devices[static_cast<size_t>(c.from)].device, f.devices[static_cast<size_t>(c.to)].device, c.type.bytes());
  for (const DevicePlan& d : f.devices)
    for (Queue q : {Queue::kIn, Queue::kOut})
      for (const Instruction& i : d.queues[static_cast<int>(q)].compute) {
        const auto bytes = [&](const std::vector<int32_t>& b) {
          return f.buffers[static_cast<size_t>(b[0])].type.bytes();
        };
        if (i.kind == Instruction::Kind::kInput && f.inputs[static_cast<size_t>(i.index)].feed == Feed::kCaller)
          add("host", d.device, bytes(i.results));
        if (i.kind == Instruction::Kind::kOutput) add(d.device, "host", bytes(i.operands));
        if (i.kind == Instruction::Kind::kReduceStart) add(d.device, "all_reduce", bytes(i.operands));
        if (i.kind == Instruction::Kind::kReduceWait) add("all_reduce", d.device, bytes(i.results));
      }
  return list;
}

std::vector<MemoryUse> Session::memory() const { return memory_use(impl_->first()); }

void Session::start_trace() {
  impl_->trace = std::make_unique<Trace>(impl_->machine->size() * kQueues);
  impl_->machine->record_into(impl_->trace.get());
}

void Session::write_trace(const std::string& path) {
  if (!impl_->trace)
    raise(invalid_argument("no trace was started", "call start_trace() before the steps it is to show"));
  std::vector<const Function*> functions;
  for (const auto& executable : impl_->executables)
    for (const Function& f : executable->program().functions) functions.push_back(&f);
  std::vector<std::string> devices;
  for (size_t d = 0; d < impl_->machine->size(); ++d) devices.push_back(impl_->machine->device(d).description().name());
  impl_->machine->record_into(nullptr);
  const auto trace = std::move(impl_->trace);
  check(write_file(path, trace->json(functions, devices)));
}

std::string Session::dot(bool layers) const { return layers ? impl_->dot_layers : impl_->dot_ops; }
std::string Session::log(const std::string& topic) const {
  if (topic == "place") return impl_->placement_log;
  if (topic == "dispatch") return impl_->kernel_log;
  raise(invalid_argument("unknown log topic '" + topic + "'", "have: place, dispatch"));
}
void Session::dump_dot(const std::string& path) const { check(write_file(path, dot())); }

}  // namespace cutset
