// SPDX-License-Identifier: Apache-2.0
#include <cutset/session.h>

#include <algorithm>

#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/session/checkpoint.h"
#include "frontends/cpp/session/configure.h"
#include "frontends/cpp/session/memory_use.h"
#include "frontends/cpp/session/session_impl.h"
#include "frontends/cpp/session/transfers.h"
#include "frontends/cpp/session/variable_access.h"
#include "ir/core/names.h"
#include "runtime/files/files.h"
#include "runtime/files/safetensors.h"

namespace cutset {

Session::Session(std::unique_ptr<Impl> impl) : impl_("Session", ended_in_own_process(std::move(impl))) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

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
PrefetchedBatch::PrefetchedBatch(std::unique_ptr<Impl> impl)
    : impl_("PrefetchedBatch", ended_in_own_process(std::move(impl))) {}
PrefetchedBatch::~PrefetchedBatch() = default;
PrefetchedBatch::PrefetchedBatch(PrefetchedBatch&&) noexcept = default;
PrefetchedBatch& PrefetchedBatch::operator=(PrefetchedBatch&&) noexcept = default;

PrefetchedBatch Session::prefetch(const std::string& function, Batch batch) {
  const InUse in_use(impl_->owner, "Session");
  auto prefetched = std::make_unique<PrefetchedBatch::Impl>();
  prefetched->session = impl_->identity;
  prefetched->function = function;
  prefetched->batch = std::move(batch);
  Impl::Call call = check(impl_->find(function, prefetched->batch));
  prefetched->tensors = std::move(call.tensors);
  prefetched->landing = check(call.executable->copy_ahead(function, prefetched->tensors.tensors()));
  return PrefetchedBatch(std::move(prefetched));
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
  const PrefetchedBatch done = std::move(batch);  // if the run throws, `batch` stays as it is
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
void Session::save(const std::string& path) const { save(path, {}); }
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
std::vector<MemoryUse> Session::memory() const {
  return check(memory_use(impl_->first(), impl_->config.devices));
}

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

std::string Session::dot() const { return dot(std::nullopt); }
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
void Session::dump_dot(const std::string& path) const { dump_dot(path, std::nullopt); }
void Session::dump_dot(const std::string& path, std::optional<DotLevel> level) const {
  check(write_file(path, dot(level)));
}

}  // namespace cutset
