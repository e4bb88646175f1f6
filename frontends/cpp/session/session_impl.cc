// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/session/session_impl.h"

#include <algorithm>

#include "frontends/cpp/session/first_values.h"

namespace cutset {

// Returns why kernels of any program were replaced by others, each reason once. With `only_wrong`, returns
// only the reasons of kernels whose results are wrong.
std::vector<std::string> Session::Impl::replaced(bool only_wrong) const {
  std::vector<std::string> all;
  for (const auto& executable : executables)
    for (const PassedOver& p : executable->replaced())
      if ((p.wrong || !only_wrong) && std::find(all.begin(), all.end(), p.why) == all.end())
        all.push_back(p.why);
  return all;
}

// Adds the functions of `executable` to `loaded`.
void Session::Impl::enter(Loaded& loaded, Executable& executable) {
  for (const Function& f : executable.program().functions) {
    std::vector<Shape> shapes;
    for (const Port& p : caller_inputs(f)) shapes.push_back(p.type.shape);
    loaded[f.name][shapes] = &executable;
  }
}

// Adds the executable. If an allocation fails, the session does not hold it.
Executable* Session::Impl::add(std::unique_ptr<Executable> executable) {
  Loaded with = loaded;
  enter(with, *executable);
  executables.push_back(std::move(executable));
  loaded.swap(with);
  return executables.back().get();
}

// Releases the programs for other shapes that were used least recently, until the session may hold one more
// program. A trace points into programs, so none is released while a trace is recorded.
void Session::Impl::release_oldest() {
  while (!trace && executables.size() > static_cast<size_t>(config.max_specialisations)) {
    const auto least = executables.begin() + 1;
    for (auto& [name, of_function] : loaded)
      std::erase_if(of_function, [&](const auto& entry) { return entry.second == least->get(); });
    executables.erase(least);
  }
}

// Names the inputs whose shapes differ from the shapes that the graph was built with, for the error of a
// compilation.
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
  return loaded[function.name][shapes] = added;  // the compiled function may have other inputs
}

// Finds the program for the shapes of the batch. The function may have other inputs than for the shapes of
// the graph, because a branch of a model may depend on sizes.
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
// the first compilation, up to the last phase that drawings and logs show.
const CompileResult& Session::Impl::describe() {
  if (description) return *description;
  CompileConfig again = original;
  again.describe = true;
  again.last_phase = "lower";
  again.dump_directory.clear();
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
  std::unique_ptr<Trace> recorded;  // the old trace points into the old programs
  if (trace) recorded = std::make_unique<Trace>(opened->devices().size() * kQueues);
  opened->steps().record_into(recorded.get());
  // Nothing below can fail. The old executables are destroyed before their executor.
  loaded.swap(entered);
  trace.swap(recorded);
  executables.swap(again);
  again.clear();
  executor.swap(opened);
  return {};
}

}  // namespace cutset
