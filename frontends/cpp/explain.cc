#include <cutset/explain.h>

#include <algorithm>

#include "frontends/cpp/compilation.h"
#include "frontends/cpp/memory_use.h"

namespace cutset {
namespace {

// An op is meant by its name, its layer, both, or its id.
bool meant(const Explanation& e, const std::string& wanted) {
  return wanted.empty() || wanted == e.op || wanted == e.label || wanted == e.label + "/" + e.op ||
         wanted == std::to_string(e.id);
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
    for (const Collective::Part& part : c.parts) {
      const auto& device = devices[static_cast<size_t>(part.device)];
      sum.from += (sum.from.empty() ? "" : ",") + device->name();
      sum.seconds = std::max(sum.seconds, 2 * device->transfer_seconds(c.type.bytes()));
    }
    list.push_back(std::move(sum));
  }
  return list;
}

CompileRequest describing(const CompileOptions& options) {
  CompileRequest r = check(request_of(options));
  r.devices.describe_only = true;
  return r;
}

}  // namespace

Explained explain(const Graph& graph, const CompileOptions& options, const std::string& op) {
  const CompileRequest r = describing(options);
  CompileResult compiled = check(graph.state()->builder->snapshot()->compile(r));
  const Function& f = main_function(compiled.program);
  Explained result;
  result.strategy = compiled.strategy, result.function = f.name;
  std::vector<std::string> layers;
  for (Explanation& e : compiled.explanations) {
    if (e.function != f.name) continue;
    if (!e.label.empty() && std::find(layers.begin(), layers.end(), e.label) == layers.end()) layers.push_back(e.label);
    if (meant(e, op)) result.ops.push_back(std::move(e));
  }
  if (result.ops.empty() && !op.empty()) {
    std::string have;
    for (const std::string& layer : layers) have += (have.empty() ? "" : ", ") + layer;
    raise(invalid_argument("no op, layer or id '" + op + "' in '" + f.name + "'", "layers: " + have));
  }
  result.transfers = transfers_of(f, check(describe_devices(r.devices)));
  result.memory = memory_use(compiled.program);
  return result;
}

Dump dump(const Graph& graph, const CompileOptions& options, const std::string& phase) {
  CompileRequest r = describing(options);
  r.compile_to = phase;
  CompileResult compiled = check(graph.state()->builder->snapshot()->compile(r));
  return {std::move(compiled.text), std::move(compiled.dot_ops), std::move(compiled.dot_layers),
          std::move(compiled.placement_log), std::move(compiled.kernel_log)};
}

std::string plan(const Graph& graph, const CompileOptions& options) {
  CompileRequest r = describing(options);
  r.compile_to = "place";
  return plan_text(check(graph.state()->builder->snapshot()->compile(r)).plan);
}

}  // namespace cutset
