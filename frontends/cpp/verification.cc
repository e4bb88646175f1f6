#include "frontends/cpp/verification.h"

#include <cmath>

namespace cutset {

Result<Verification> Verification::prepare(GraphState& graph, const CompileOptions& options, const Batch& batch) {
  Verification v;
  CUTSET_ASSIGN(CompileRequest request, request_of(options));
  for (const auto& [name, tensor] : batch) request.inputs.emplace_back(name, tensor.type().shape);
  CUTSET_ASSIGN(v.devices_, describe_devices(request.devices));
  CUTSET_ASSIGN(CompileResult compiled, graph.builder->compile(request));
  v.program_ = std::move(compiled.program), v.strategy_ = std::move(compiled.strategy);
  request.devices = {}, request.devices.devices = "reference:0";
  request.strategy.clear(), request.plan.reset(), request.dump_directory.clear(), request.parts = 0;
  request.unplaced = true;
  CUTSET_ASSIGN(v.reference_devices_, describe_devices(request.devices));
  CUTSET_ASSIGN(CompileResult reference, graph.builder->compile(request));
  v.reference_ = std::move(reference.program);
  CUTSET_ASSIGN(v.drawn_, draw_variables(graph, options.f64));
  return v;
}

Result<std::vector<const HostTensor*>> Verification::inputs(const Function& function, const Batch& batch,
                                                            std::vector<HostTensor>& wide) const {
  std::vector<const HostTensor*> tensors;
  wide.clear(), wide.reserve(function.inputs.size());
  for (const Port& port : caller_inputs(function)) {
    auto it = batch.find(port.name);
    if (it == batch.end()) return invalid_argument("the batch has no '" + port.name + "', an input of the graph");
    const bool widen = port.type.dtype == DType::f64 && it->second.type().dtype == DType::f32;
    tensors.push_back(widen ? &wide.emplace_back(widened_to_f64(it->second)) : &it->second);
  }
  return tensors;
}

Result<VerifyReport> Verification::run(const Program& program, std::span<const Batch> batches) const {
  CUTSET_ASSIGN(auto machine, Machine::open(devices_));
  CUTSET_ASSIGN(auto reference_machine, Machine::open(reference_devices_));
  CUTSET_ASSIGN(auto executable, Executable::load(*machine, program));
  CUTSET_ASSIGN(auto reference, Executable::load(*reference_machine, reference_));
  CUTSET_TRY(write_first_values(*reference_machine, reference_.variables, drawn_));
  Verifier verifier(*executable, *machine, *reference, *reference_machine);
  for (const Batch& batch : batches)
    for (const Function& f : program.functions) {
      std::vector<HostTensor> wide;
      CUTSET_ASSIGN(auto tensors, inputs(f, batch, wide));
      if (Status status = verifier.step(f.name, tensors); !status.ok()) {
        VerifyReport report = verifier.report();
        Difference stuck;
        stuck.function = f.name, stuck.op = status.error().text(), stuck.got = NAN;
        report.differences.push_back(stuck);
        return report;
      }
    }
  return verifier.report();
}

Result<std::string> Verification::values(const Program& program, std::span<const Batch> batches) const {
  CUTSET_ASSIGN(auto machine, Machine::open(devices_));
  CUTSET_ASSIGN(auto executable, Executable::load(*machine, program));
  CUTSET_TRY(write_first_values(*machine, program.variables, drawn_));
  std::string bytes;
  auto add = [&](const HostTensor& t) { bytes.append(reinterpret_cast<const char*>(t.data()), t.bytes().size()); };
  Observer nobody;
  uint64_t step = 0;
  for (const Batch& batch : batches)
    for (const Function& f : program.functions) {
      std::vector<HostTensor> wide;
      CUTSET_ASSIGN(auto tensors, inputs(f, batch, wide));
      auto outputs = executable->step_through(f.name, tensors, nobody, {++step, {}});
      if (!outputs) return bytes + outputs.error().text();
      for (const HostTensor& t : *outputs) add(t);
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
  const Verification v = check(Verification::prepare(*graph.state(), options, batches.front()));
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
