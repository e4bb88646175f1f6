#include "frontends/cpp/verification.h"

#include <cmath>

namespace cutset {

namespace {

using Executables = std::vector<std::unique_ptr<Executable>>;  // of each form, once it is wanted

Result<Executable*> loaded(Executables& executables, size_t form, Machine& machine, const Program& program) {
  if (!executables[form]) {
    CUTSET_ASSIGN(executables[form], Executable::load(machine, program));
  }
  return executables[form].get();
}

}  // namespace

Result<Verification> Verification::prepare(GraphState& graph, const CompileOptions& options,
                                           std::span<const Batch> batches) {
  Verification v;
  v.graph_inputs_ = graph.inputs;
  for (const auto& [name, type] : graph.inputs) v.inputs_.insert(name);
  const auto snapshot = graph.builder->snapshot();
  CUTSET_ASSIGN(CompileRequest request, request_of(options));
  CompileRequest alone = request;
  CUTSET_ASSIGN(v.devices_, describe_devices(request.devices));
  alone.devices = {}, alone.devices.devices = "reference:0";
  alone.strategy.clear(), alone.plan.reset(), alone.dump_directory.clear(), alone.parts = 0;
  alone.unplaced = true;
  CUTSET_ASSIGN(v.reference_devices_, describe_devices(alone.devices));
  auto compile = [&](const Shapes& shapes) -> Result<Program> {
    request.inputs.clear();
    for (size_t i = 0; i < shapes.size(); ++i) request.inputs.emplace_back(v.graph_inputs_[i].first, shapes[i]);
    CUTSET_ASSIGN(CompileResult compiled, snapshot->compile(request));
    if (!request.plan ||
        !request.plan->program.empty()) {  // of the user, or none: later shapes run where the first did
      request.plan = std::move(compiled.plan), request.plan->program.clear();
      request.strategy = std::move(compiled.strategy), request.dump_directory.clear();
    }
    return std::move(compiled.program);
  };
  // A session compiles for the shapes of the graph first: they decide where ops run, and the shares.
  Shapes own;
  for (const auto& [name, type] : v.graph_inputs_) own.push_back(type.shape);
  CUTSET_ASSIGN(const Shapes first, v.shapes_of(batches.front()));
  if (first != own) CUTSET_TRY(compile(own));
  for (const Batch& batch : batches) {
    CUTSET_ASSIGN(Shapes shapes, v.shapes_of(batch));
    if (v.form_of(batch)) continue;
    CUTSET_ASSIGN(Program program, compile(shapes));
    alone.inputs = request.inputs;
    CUTSET_ASSIGN(CompileResult reference, snapshot->compile(alone));
    v.forms_.push_back({std::move(shapes), std::move(program), std::move(reference.program)});
  }
  v.strategy_ = request.strategy;
  CUTSET_ASSIGN(v.drawn_, draw_variables(*snapshot, options.f64));
  return v;
}

Result<Verification::Shapes> Verification::shapes_of(const Batch& batch) const {
  Shapes shapes;
  for (const auto& [name, type] : graph_inputs_) {
    auto it = batch.find(name);
    if (it == batch.end()) return invalid_argument("the batch has no '" + name + "', an input of the graph");
    shapes.push_back(it->second.type().shape);
  }
  return shapes;
}

Result<size_t> Verification::form_of(const Batch& batch) const {
  CUTSET_ASSIGN(const Shapes shapes, shapes_of(batch));
  for (size_t f = 0; f < forms_.size(); ++f)
    if (forms_[f].shapes == shapes) return f;
  return invalid_argument("a batch has a shape that nothing was compiled for");
}

Result<VerifyReport> Verification::run(const Program& program, std::span<const Batch> batches) const {
  CUTSET_ASSIGN(auto machine, Machine::open(devices_));
  CUTSET_ASSIGN(auto reference_machine, Machine::open(reference_devices_));
  Executables executables(forms_.size()), references(forms_.size());
  Verifier verifier(*machine, *reference_machine);
  bool drawn = false;
  for (const Batch& batch : batches) {
    CUTSET_ASSIGN(const size_t form, form_of(batch));
    const Program& mine = form == 0 ? program : forms_[form].program;
    CUTSET_ASSIGN(Executable * executable, loaded(executables, form, *machine, mine));
    CUTSET_ASSIGN(Executable * reference, loaded(references, form, *reference_machine, forms_[form].reference));
    if (!drawn) CUTSET_TRY(write_first_values(*reference_machine, forms_[form].reference.variables, drawn_));
    drawn = true;
    for (const Function& f : mine.functions) {
      CUTSET_ASSIGN(const BatchTensors read, BatchTensors::of(f, batch, inputs_));
      CUTSET_TRY(verifier.step(*executable, *reference, f.name, read.tensors()));
      if (verifier.report().stuck) return verifier.report();
    }
  }
  return verifier.report();
}

Result<std::string> Verification::values(const Program& program, std::span<const Batch> batches) const {
  CUTSET_ASSIGN(auto machine, Machine::open(devices_));
  Executables executables(forms_.size());
  std::string bytes;
  auto add = [&](const HostTensor& t) { bytes.append(reinterpret_cast<const char*>(t.data()), t.bytes().size()); };
  Observer nobody;
  bool drawn = false;
  uint64_t step = 0;
  for (const Batch& batch : batches) {
    CUTSET_ASSIGN(const size_t form, form_of(batch));
    const Program& mine = form == 0 ? program : forms_[form].program;
    CUTSET_ASSIGN(Executable * executable, loaded(executables, form, *machine, mine));
    if (!drawn) CUTSET_TRY(write_first_values(*machine, mine.variables, drawn_));
    drawn = true;
    for (const Function& f : mine.functions) {
      CUTSET_ASSIGN(const BatchTensors read, BatchTensors::of(f, batch, inputs_));
      auto outputs = executable->step_through(f.name, read.tensors(), nobody, {++step, {}});
      if (!outputs) return bytes + outputs.error().text();
      for (const HostTensor& t : *outputs) add(t);
    }
  }
  for (const std::string& v : machine->variable_names())
    for (size_t copy = 0; copy < machine->copies(v); ++copy) {
      CUTSET_ASSIGN(const HostTensor value, machine->read_variable(v, copy));
      add(value);
    }
  return bytes;
}

std::vector<std::string> available_devices() {
  std::vector<std::string> devices;
  for (const BackendReport& r : report_backends())
    if (r.missing.empty()) devices.push_back(r.kind + ":0");
  return devices;
}

VerifyResult verify(const Graph& graph, const CompileOptions& options, std::span<const Batch> batches,
                    const VerifyOptions& verify_options) {
  if (batches.empty()) raise(invalid_argument("no batch to verify with"));
  const Verification v = check(Verification::prepare(*graph.state(), options, batches));
  VerifyResult result;
  result.strategy = v.strategy();
  Program program = v.program();
  if (!verify_options.mutation.empty()) {
    const Mutation mutation = check(parse_mutation(verify_options.mutation));
    const auto sites = mutation_sites(program, mutation, v.devices());
    if (sites.empty())
      raise(invalid_argument("this program has no place for the mutation '" + verify_options.mutation + "'",
                             "another strategy or model has"));
    PhiloxSequence random(verify_options.mutation_seed, 17);
    Mutant mutant = mutate(std::move(program), mutation, sites[random.below(sites.size())], v.devices());
    program = std::move(mutant.program), result.mutation = mutant.description;
  }
  const VerifyReport report = check(v.run(program, batches));
  result.ops = report.ops, result.edges = report.edges, result.worst = report.worst, result.worst_at = report.worst_at;
  for (const Difference& d : report.differences) result.differences.push_back(d.text());
  result.same = result.differences.empty();
  if (!result.same) result.first = result.differences.front();
  return result;
}

}  // namespace cutset
