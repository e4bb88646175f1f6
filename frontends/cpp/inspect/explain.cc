// SPDX-License-Identifier: Apache-2.0
#include <cutset/explain.h>

#include <algorithm>

#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/graph/snapshot.h"
#include "frontends/cpp/session/configure.h"
#include "frontends/cpp/session/memory_use.h"
#include "ir/core/names.h"

namespace cutset {
namespace {

// Whether `name` is empty or names the op by its name, its layer, both, or its id.
bool selects(const Explanation& e, const std::string& name) {
  return name.empty() || name == e.op || name == e.layer || name == e.layer + "/" + e.op ||
         name == std::to_string(e.id);
}

std::vector<ExplainedTransfer> transfers_of(const Function& f, const DeviceList& devices) {
  std::vector<ExplainedTransfer> list;
  for (const Channel& c : f.channels) {
    const auto &from = devices[static_cast<size_t>(c.from)], &to = devices[static_cast<size_t>(c.to)];
    list.push_back({c.tensor, from->name(), to->name(), c.type.bytes(),
                    from->transfer_seconds(c.type.bytes()) + to->transfer_seconds(c.type.bytes())});
  }
  for (const Collective& c : f.collectives) {
    ExplainedTransfer sum{"all_reduce of " + c.tensor, "", "all", c.type.bytes(), 0};
    for (const Collective::Partial& part : c.partials) {
      const auto& device = devices[static_cast<size_t>(part.device)];
      sum.from += (sum.from.empty() ? "" : ",") + device->name();
      sum.seconds = std::max(sum.seconds, 2 * device->transfer_seconds(c.type.bytes()));
    }
    list.push_back(std::move(sum));
  }
  return list;
}

std::vector<ExplainedVariable> variables_of(const Program& program) {
  std::vector<ExplainedVariable> list;
  for (const Variable& v : program.variables) {
    if (!v.state_of.empty()) continue;
    ExplainedVariable& variable = list.emplace_back(
        ExplainedVariable{v.name, v.type.shape, v.type.bytes(), v.axis == kNone ? -1 : v.axis, v.pieces, {}});
    for (const auto home : v.homes) variable.homes.push_back(program.devices[static_cast<size_t>(home)]);
  }
  return list;
}

}  // namespace

Explained explain(const Graph& graph, const CompileOptions& options, const std::string& op) {
  CompileConfig config = check(configure_described(options));
  config.describe = true;
  CompileResult compiled = check(snapshot_of(*graph.state())->compile(config));
  const Function& f = main_function(compiled.program);
  Explained result;
  result.strategy = compiled.strategy.text();
  result.function = f.name;
  std::vector<std::string> layers;
  for (Explanation& e : compiled.explanations) {
    if (e.function != f.name) continue;
    if (!e.layer.empty() && std::find(layers.begin(), layers.end(), e.layer) == layers.end())
      layers.push_back(e.layer);
    if (selects(e, op)) result.ops.push_back(std::move(e));
  }
  if (result.ops.empty() && !op.empty()) {
    raise(invalid_argument("no op, layer or id '" + op + "' in '" + f.name + "'",
                           "layers: " + list_and_nearest(op, layers)));
  }
  result.transfers = transfers_of(f, config.devices);
  for (const MemoryUse& use : check(memory_use(compiled.program, config.devices)))
    result.memory.push_back({use, config.devices[result.memory.size()]->info().memory_bytes});
  result.variables = variables_of(compiled.program);
  result.notes = std::move(compiled.notes);
  return result;
}

Dump dump(const Graph& graph, const CompileOptions& options, const std::string& phase) {
  CompileConfig config = check(configure_described(options));
  config.last_phase = phase;
  config.describe = true;
  CompileResult compiled = check(snapshot_of(*graph.state())->compile(config));
  return {std::move(compiled.text), std::move(compiled.drawings), std::move(compiled.placement_log),
          std::move(compiled.kernel_log)};
}

std::string plan(const Graph& graph, const CompileOptions& options) {
  CompileConfig config = check(configure_described(options));
  config.last_phase = "place";
  return plan_text(check(snapshot_of(*graph.state())->compile(config)).plan);
}

}  // namespace cutset
