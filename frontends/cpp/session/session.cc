// SPDX-License-Identifier: Apache-2.0
#include <cutset/session.h>

#include <algorithm>

#include "frontends/cpp/checks/in_use.h"
#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/graph/snapshot.h"
#include "frontends/cpp/session/checkpoint.h"
#include "frontends/cpp/session/configure.h"
#include "frontends/cpp/session/first_values.h"
#include "frontends/cpp/session/memory_use.h"
#include "frontends/cpp/session/run_function.h"
#include "frontends/cpp/session/transfers.h"
#include "frontends/cpp/session/variable_access.h"
#include "ir/core/names.h"
#include "runtime/execute/executor.h"
#include "runtime/files/files.h"
#include "runtime/files/safetensors.h"

namespace cutset {

struct Session::Impl {
  std::shared_ptr<const GraphSnapshot> graph;
  CompileConfig original;  // the configuration of the first compilation
  CompileConfig config;    // the configuration of all later compilations
  InputNames inputs;       // the inputs of the graph
  std::unique_ptr<Trace>
      trace;  // declared before `executor`, which records into the trace and must be destroyed first
  std::unique_ptr<Executor> executor;
  // The first executable has all functions for the shapes of the graph. Each other executable has one
  // function for other shapes. The executable for other shapes that was used last is at the end.
  std::vector<std::unique_ptr<Executable>> executables;
  // By function and shapes of its inputs.
  using Loaded = std::map<std::string, std::map<std::vector<Shape>, Executable*>, std::less<>>;
  Loaded loaded;
  Feeds feeds;  // includes the number of committed training steps
  int64_t compilations = 0;
  std::map<std::string, double> group_rates;
  std::optional<CompileResult>
      description;  // texts and drawings; made by describe() when they are first needed
  Owner owner;
  // Prefetched batches hold it, too, so no other session can have the same one.
  std::shared_ptr<const int> identity = std::make_shared<int>();

  const Program& first() const { return executables.front()->program(); }
  static void enter(Loaded& loaded, Executable& executable);
  Executable* add(std::unique_ptr<Executable> executable);
  void release_oldest();
  Result<Executable*> load(const Function& function, const std::vector<Shape>& shapes);
  struct Call;
  Result<Call> find(const std::string& function, const Batch& batch);
  Status initialize();
  Status reopen();
  const CompileResult& describe();
  std::vector<std::string> replaced(bool only_wrong) const;
};

// The kernels that others have replaced in any program, or only those whose results are wrong, each reason
// once.
std::vector<std::string> Session::Impl::replaced(bool only_wrong) const {
  std::vector<std::string> all;
  for (const auto& executable : executables)
    for (const PassedOver& p : executable->replaced())
      if ((p.wrong || !only_wrong) && std::find(all.begin(), all.end(), p.why) == all.end())
        all.push_back(p.why);
  return all;
}

// Enters the functions of `executable` into `loaded`.
void Session::Impl::enter(Loaded& loaded, Executable& executable) {
  for (const Function& f : executable.program().functions) {
    std::vector<Shape> shapes;
    for (const Port& p : caller_inputs(f)) shapes.push_back(p.type.shape);
    loaded[f.name][shapes] = &executable;
  }
}

// If an allocation fails, the session does not hold the executable.
Executable* Session::Impl::add(std::unique_ptr<Executable> executable) {
  Loaded with = loaded;
  enter(with, *executable);
  executables.push_back(std::move(executable));
  loaded.swap(with);
  return executables.back().get();
}

// Releases the programs for other shapes that were used least recently, until the session may hold one more.
// A trace points into programs, so none is released while a trace is recorded.
void Session::Impl::release_oldest() {
  while (!trace && executables.size() > static_cast<size_t>(config.max_specialisations)) {
    const auto least = executables.begin() + 1;
    for (auto& [name, of_function] : loaded)
      std::erase_if(of_function, [&](const auto& entry) { return entry.second == least->get(); });
    executables.erase(least);
  }
}

// Names the inputs whose shapes differ from those that the graph was built with, for the error of a
// compilation for them.
static std::string changed_inputs(const Function& function, const std::vector<Shape>& shapes) {
  const auto ports = caller_inputs(function);
  std::string changed;
  for (size_t i = 0; i < shapes.size(); ++i)
    if (const Shape& built = ports[i].type.shape; shapes[i] != built)
      changed += (changed.empty() ? "" : ", ") + ("'" + ports[i].name) + "' is " + to_string(shapes[i]) +
                 " here and " + to_string(built) + " in the graph";
  return changed;
}

// Returns the program of `function` for these shapes. It is compiled if the session does not hold it, and
// only for this function, because the shapes of the inputs of other functions are not known.
Result<Executable*> Session::Impl::load(const Function& function, const std::vector<Shape>& shapes) {
  const auto& of_function = loaded.find(function.name)->second;
  if (auto it = of_function.find(shapes); it != of_function.end()) {
    if (it->second != executables.front().get()) {
      const auto used = std::find_if(executables.begin(), executables.end(),
                                     [&](const auto& executable) { return executable.get() == it->second; });
      std::rotate(used, used + 1, executables.end());
    }
    return it->second;
  }
  CompileConfig other = config;
  other.function = function.name;
  const auto ports = caller_inputs(function);
  for (size_t i = 0; i < shapes.size(); ++i) other.input_shapes[ports[i].name] = shapes[i];
  auto compiled = graph->compile(other);
  if (!compiled) {
    Failure failure = compiled.error();
    failure.what +=
        "; the function was compiled for other shapes of its inputs: " + changed_inputs(function, shapes);
    return failure;
  }
  ++compilations;
  release_oldest();
  CUTSET_ASSIGN(auto executable, Executable::load(*executor, std::move(compiled->program)));
  Executable* added = add(std::move(executable));
  return loaded[function.name][shapes] = added;  // its own inputs may be others
}

// A function of the program for the shapes of a batch, with the tensors that it reads.
struct Session::Impl::Call {
  Executable* executable;
  const Function* function;
  BatchTensors tensors;  // points into the batch
};

// The function may have other inputs than for the shapes of the graph, because a branch of a model may depend
// on sizes.
Result<Session::Impl::Call> Session::Impl::find(const std::string& function, const Batch& batch) {
  CUTSET_ASSIGN(const Function* built, find_function(first(), function));
  CUTSET_ASSIGN(BatchTensors tensors, BatchTensors::of(*built, batch, inputs));
  CUTSET_ASSIGN(Executable * executable, load(*built, tensors.shapes()));
  CUTSET_ASSIGN(const Function* found, find_function(executable->program(), function));
  const auto same = [](const Port& a, const Port& b) { return a.name == b.name; };
  const auto before = caller_inputs(*built), now = caller_inputs(*found);
  if (!std::equal(before.begin(), before.end(), now.begin(), now.end(), same)) {
    CUTSET_ASSIGN(tensors, BatchTensors::of(*found, batch, inputs));
  }
  return Call{executable, found, std::move(tensors)};
}

Status Session::Impl::initialize() {
  CUTSET_ASSIGN(const TensorMap initial, initial_values(*graph, config.dtype));
  return write_first_values(*executor, first().variables, initial);
}

// Returns the texts and drawings of the program. They need one more compilation, with the configuration of
// the first one, up to the last phase that drawings and logs show.
const CompileResult& Session::Impl::describe() {
  if (description) return *description;
  CompileConfig again = original;
  again.describe = true, again.last_phase = "lower", again.dump_directory.clear();
  return description.emplace(check(graph->compile(again)));
}

// Opens the devices again and loads the same programs. The contents of the variables are lost. If this fails,
// the session is as it was before.
Status Session::Impl::reopen() {
  std::vector<Program> programs;
  for (const auto& executable : executables) programs.push_back(executable->program());
  CUTSET_ASSIGN(auto opened, Executor::open(config.devices));
  std::vector<std::unique_ptr<Executable>> again;
  for (Program& program : programs) {
    CUTSET_ASSIGN(auto executable, Executable::load(*opened, std::move(program)));
    again.push_back(std::move(executable));
  }
  Loaded entered;
  for (const auto& executable : again) enter(entered, *executable);
  std::unique_ptr<Trace> recorded;  // the old one points into the old programs
  if (trace) recorded = std::make_unique<Trace>(opened->devices().size() * kQueues);
  opened->steps().record_into(recorded.get());
  // Nothing below can fail. The old executables are destroyed before their executor.
  loaded.swap(entered), trace.swap(recorded), executables.swap(again);
  again.clear();
  executor.swap(opened);
  return {};
}

Session::Session(std::unique_ptr<Impl> impl) : impl_("Session", std::move(impl)) {}
Session::~Session() { end_in_own_process(impl_); }
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&& other) noexcept {
  Session taken(std::move(other));
  std::swap(impl_, taken.impl_);
  return *this;
}

Session compile(const Graph& graph, const CompileOptions& options) {
  auto impl = std::make_unique<Session::Impl>();
  impl->graph = snapshot_of(*graph.state());
  for (const auto& [name, type] : graph.inputs()) impl->inputs.insert(name);
  impl->feeds.ranges = graph.state()->ranges();
  impl->group_rates = graph.state()->group_rates;
  impl->config = check(configure(options));
  impl->executor = check(Executor::open(impl->config.devices));
  CompileResult compiled = check(impl->graph->compile(impl->config));
  report_notes(options, compiled);
  impl->compilations = 1;
  impl->original = impl->config;
  follow(impl->config, compiled);
  impl->add(check(Executable::load(*impl->executor, std::move(compiled.program))));
  check(impl->initialize());
  return Session(std::move(impl));
}

Session::Outputs Session::run(const std::string& function, const Batch& batch) {
  const InUse in_use(impl_->owner, "Session");
  const Impl::Call call = check(impl_->find(function, batch));
  return check(run_function(*call.executable, *call.function, call.tensors, impl_->feeds));
}

// The landing is destroyed first, and thereby waits for the copies of the tensors.
struct PrefetchedBatch::Impl {
  std::shared_ptr<const int> session;  // its identity
  std::string function;
  Batch batch;
  BatchTensors tensors;  // points into `batch`
  std::shared_ptr<Landing> landing;
  Owner owner;
  ~Impl() {
    if (landing) landing->wait();
  }
};
PrefetchedBatch::PrefetchedBatch(std::unique_ptr<Impl> impl) : impl_("PrefetchedBatch", std::move(impl)) {}
PrefetchedBatch::~PrefetchedBatch() { end_in_own_process(impl_); }
PrefetchedBatch::PrefetchedBatch(PrefetchedBatch&&) noexcept = default;
PrefetchedBatch& PrefetchedBatch::operator=(PrefetchedBatch&& other) noexcept {
  PrefetchedBatch taken(std::move(other));
  std::swap(impl_, taken.impl_);
  return *this;
}

PrefetchedBatch Session::prefetch(const std::string& function, Batch batch) {
  const InUse in_use(impl_->owner, "Session");
  auto made = std::make_unique<PrefetchedBatch::Impl>();
  made->session = impl_->identity, made->function = function, made->batch = std::move(batch);
  Impl::Call call = check(impl_->find(function, made->batch));
  made->tensors = std::move(call.tensors);
  made->landing = check(call.executable->copy_ahead(function, made->tensors.tensors()));
  return PrefetchedBatch(std::move(made));
}

Session::Outputs Session::run(PrefetchedBatch&& batch) {
  const InUse in_use(impl_->owner, "Session");
  const PrefetchedBatch::Impl& b = *batch.impl_;
  if (b.session != impl_->identity)
    raise(invalid_argument("the batch was prefetched by another session",
                           "call prefetch of the session that runs it"));
  const Impl::Call call = check(impl_->find(b.function, b.batch));
  Outputs outputs =
      check(run_function(*call.executable, *call.function, b.tensors, impl_->feeds, b.landing.get()));
  const PrefetchedBatch done = std::move(batch);  // it stays as it is if the run throws
  return outputs;
}

PinnedMemory Session::pinned_memory() const {
  const InUse in_use(impl_->owner, "Session");
  return PinnedMemory(check(impl_->executor->pinned_memory()));
}

Outputs Session::train(const Batch& batch) { return run("train", batch); }
Outputs Session::evaluate(const Batch& batch) { return run("evaluate", batch); }
Outputs Session::predict(const Batch& batch) { return run("predict", batch); }

std::vector<std::string> Session::functions() const {
  std::vector<std::string> names;
  for (const Function& f : impl_->first().functions) names.push_back(f.name);
  return names;
}
std::vector<std::pair<std::string, TensorType>> Session::outputs(const std::string& function) const {
  for (const Function& f : impl_->first().functions) {
    if (f.name != function) continue;
    std::vector<std::pair<std::string, TensorType>> outputs;
    for (const Port& p : f.outputs) outputs.emplace_back(p.name, p.type);
    return outputs;
  }
  raise(invalid_argument("there is no function '" + function + "'", hint_of_names(function, functions())));
}
std::string Session::graph_text() const { return check(impl_->graph->text()); }

const std::map<std::string, double>& Session::group_rates() const { return impl_->group_rates; }
uint64_t Session::step() const { return impl_->feeds.step; }
std::map<std::string, double> Session::hyper_parameters() const {
  return cutset::hyper_parameters(impl_->first(), impl_->feeds);
}
double Session::hyper_parameter(const std::string& name) const {
  return check(cutset::hyper_parameter(impl_->first(), name, impl_->feeds));
}
void Session::set_hyper_parameter(const std::string& name, double value) {
  const InUse in_use(impl_->owner, "Session");
  check(cutset::set_hyper_parameter(impl_->first(), name, value, impl_->feeds));
}
int64_t Session::compilations() const { return impl_->compilations; }

std::vector<std::string> Session::variables() const {
  const InUse in_use(impl_->owner, "Session");
  return impl_->executor->variables().names();
}
HostTensor Session::variable(const std::string& name, int64_t copy) const {
  const InUse in_use(impl_->owner, "Session");
  return check(read_variable(*impl_->executor, name, copy));
}
int64_t Session::copies(const std::string& name) const {
  const InUse in_use(impl_->owner, "Session");
  return check(count_copies(*impl_->executor, name));
}
int64_t Session::replicas() const { return impl_->config.strategy.replicas(); }
std::string Session::strategy() const { return impl_->config.strategy.text(); }
void Session::set_variable(const std::string& name, const HostTensor& value) {
  const InUse in_use(impl_->owner, "Session");
  check(impl_->executor->variables().write(name, value));
}

LoadedVariables Session::load(const std::string& path, const VariableFileOptions& options) {
  const InUse in_use(impl_->owner, "Session");
  return check(read_checkpoint(path, options, impl_->first().variables, impl_->executor, impl_->feeds.step,
                               [&] { return impl_->reopen(); }));
}
void Session::save(const std::string& path, const std::map<std::string, std::string>& notes) const {
  const InUse in_use(impl_->owner, "Session");
  check(write_checkpoint(path, *impl_->executor, impl_->feeds.step, notes));
}

std::map<std::string, std::string> read_notes(const std::string& path) {
  Metadata notes = check(read_safetensors_metadata(path));
  std::erase_if(notes, [](const auto& note) { return note.first.starts_with(kReservedNotes); });
  return notes;
}

std::vector<Transfer> Session::transfers() const { return transfers_of(impl_->first()); }
std::vector<MemoryUse> Session::memory() const { return memory_use(impl_->first()); }

void Session::start_trace() {
  impl_->trace = std::make_unique<Trace>(impl_->executor->devices().size() * kQueues);
  impl_->executor->steps().record_into(impl_->trace.get());
}

void Session::write_trace(const std::string& path) {
  if (!impl_->trace)
    raise(invalid_argument("no trace was started",
                           "call start_trace() before the steps that the trace is to show"));
  std::vector<const Function*> functions;
  for (const auto& executable : impl_->executables)
    for (const Function& f : executable->program().functions) functions.push_back(&f);
  std::vector<std::string> devices;
  for (size_t d = 0; d < impl_->executor->devices().size(); ++d)
    devices.push_back(impl_->executor->devices().name(d));
  impl_->executor->steps().record_into(nullptr);
  const auto trace = std::move(impl_->trace);
  check(write_file(path, trace->json(functions, devices)));
}

std::string Session::dot(std::optional<DotLevel> level) const {
  const InUse in_use(impl_->owner, "Session");
  return impl_->describe().drawings.at(level);
}
std::string Session::log(const std::string& topic) const {
  if (topic != "place" && topic != "dispatch")
    raise(invalid_argument("unknown log topic '" + topic + "'",
                           "the topics are place and dispatch" +
                               and_nearest(topic, std::vector<std::string>{"place", "dispatch"})));
  const InUse in_use(impl_->owner, "Session");
  if (topic == "place") return impl_->describe().placement_log;
  std::string text = impl_->describe().kernel_log;
  for (const std::string& why : impl_->replaced(false)) text += why + "\n";
  return text;
}
std::vector<std::string> Session::warnings() const {
  const InUse in_use(impl_->owner, "Session");
  return impl_->replaced(true);
}
void Session::dump_dot(const std::string& path, std::optional<DotLevel> level) const {
  check(write_file(path, dot(level)));
}

}  // namespace cutset
