// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/inspect/verification.h"

#include <cmath>

#include "frontends/cpp/graph/snapshot.h"
#include "frontends/cpp/session/configure.h"
#include "frontends/cpp/session/first_values.h"
#include "runtime/program/order/expand.h"

namespace cutset {

namespace {

// By index of the form (Verification::Form); null until the form is used.
using Executables = std::vector<std::unique_ptr<Executable>>;

// Returns the loaded program of a form. The program is loaded when it is first used.
Result<Executable*> loaded(Executables& executables, size_t form, Executor& executor,
                           const Program& program) {
  if (!executables[form]) {
    CUTSET_ASSIGN(executables[form], Executable::load(executor, program));
  }
  return executables[form].get();
}

}  // namespace

Result<Verification> Verification::prepare(GraphState& graph, const CompileOptions& options,
                                           std::span<const Batch> batches) {
  Verification v;
  v.graph_inputs_ = graph.inputs;
  for (const auto& [name, type] : graph.inputs) v.inputs_.insert(name);
  const auto snapshot = snapshot_of(graph);
  CUTSET_ASSIGN(CompileConfig config, configure(options));
  CUTSET_ASSIGN(const CompileConfig reference, configure_reference(config.dtype));
  v.devices_ = config.devices;
  v.reference_devices_ = reference.devices;
  CompileConfig alone = reference;
  alone.gradients = config.gradients;
  alone.for_reference = true;
  bool first_compiled = false;
  auto compile = [&](const Shapes& shapes) -> Result<Program> {
    for (size_t i = 0; i < shapes.size(); ++i) config.input_shapes[v.graph_inputs_[i].first] = shapes[i];
    CUTSET_ASSIGN(CompileResult compiled, snapshot->compile(config));
    if (!first_compiled) {
      follow(config, compiled);
      report_notes(options, compiled);
    }
    first_compiled = true;
    return expand(std::move(compiled.program));
  };
  // The shapes of the graph are compiled first, as in a session, because they determine the placement and the
  // shares.
  Shapes own;
  for (const auto& [name, type] : v.graph_inputs_) own.push_back(type.shape);
  if (v.shapes_of(batches.front()) != own) CUTSET_TRY(compile(own));
  for (const Batch& batch : batches) {
    Shapes shapes = v.shapes_of(batch);
    if (v.form_of(batch)) continue;
    CUTSET_ASSIGN(Program program, compile(shapes));
    alone.input_shapes = config.input_shapes;
    CUTSET_ASSIGN(CompileResult reference, snapshot->compile(alone));
    v.forms_.push_back({std::move(shapes), std::move(program), std::move(reference.program)});
  }
  v.strategy_ = config.strategy.text();
  CUTSET_ASSIGN(v.initial_, initial_values(*snapshot, config.dtype));
  return v;
}

Verification::Shapes Verification::shapes_of(const Batch& batch) const {
  Shapes shapes;
  for (const auto& [name, type] : graph_inputs_) {
    const auto tensor = batch.find(name);
    shapes.push_back(tensor == batch.end() ? type.shape : tensor->second.type().shape);
  }
  return shapes;
}

Result<size_t> Verification::form_of(const Batch& batch) const {
  const Shapes shapes = shapes_of(batch);
  for (size_t f = 0; f < forms_.size(); ++f)
    if (forms_[f].shapes == shapes) return f;
  return invalid_argument(
      "the batch has other shapes than the batches that the verification was prepared for");
}

Result<VerifyReport> Verification::run(const Program& program, std::span<const Batch> batches) const {
  CUTSET_ASSIGN(auto executor, Executor::open(devices_));
  CUTSET_ASSIGN(auto reference_executor, Executor::open(reference_devices_));
  Executables executables(forms_.size()), references(forms_.size());
  Verifier verifier(*executor, *reference_executor);
  bool drawn = false;
  for (const Batch& batch : batches) {
    CUTSET_ASSIGN(const size_t form, form_of(batch));
    const Program& of_form = form == 0 ? program : forms_[form].program;
    CUTSET_ASSIGN(Executable * executable, loaded(executables, form, *executor, of_form));
    CUTSET_ASSIGN(Executable * reference,
                  loaded(references, form, *reference_executor, forms_[form].reference));
    if (!drawn)
      CUTSET_TRY(write_first_values(*reference_executor, forms_[form].reference.variables, initial_));
    drawn = true;
    for (const Function& f : of_form.functions) {
      CUTSET_ASSIGN(const BatchTensors read, BatchTensors::of(f, batch, inputs_));
      CUTSET_TRY(verifier.step(*executable, *reference, f.name, read.tensors()));
      if (verifier.report().stuck) return verifier.report();
    }
  }
  return verifier.report();
}

Result<std::string> Verification::values(const Program& program, std::span<const Batch> batches) const {
  CUTSET_ASSIGN(auto executor, Executor::open(devices_));
  Executables executables(forms_.size());
  std::string bytes;
  auto add = [&](const HostTensor& t) {
    bytes.append(reinterpret_cast<const char*>(t.data()), t.bytes().size());
  };
  Observer nobody;
  bool drawn = false;
  uint64_t step = 0;
  for (const Batch& batch : batches) {
    CUTSET_ASSIGN(const size_t form, form_of(batch));
    const Program& of_form = form == 0 ? program : forms_[form].program;
    CUTSET_ASSIGN(Executable * executable, loaded(executables, form, *executor, of_form));
    if (!drawn) CUTSET_TRY(write_first_values(*executor, of_form.variables, initial_));
    drawn = true;
    for (const Function& f : of_form.functions) {
      CUTSET_ASSIGN(const BatchTensors read, BatchTensors::of(f, batch, inputs_));
      auto outputs = executable->step_through(f.name, read.tensors(), nobody, {++step, {}});
      if (!outputs) return bytes + outputs.error().text();
      for (const HostTensor& t : *outputs) add(t);
    }
  }
  for (const std::string& v : executor->variables().names())
    for (size_t copy = 0; copy < executor->variables().copies(v); ++copy) {
      CUTSET_ASSIGN(const HostTensor value, executor->variables().read(v, copy));
      add(value);
    }
  return bytes;
}

}  // namespace cutset
