#include <memory>
#include <nlohmann/json.hpp>

#include "frontends/cli/options.h"
#include "frontends/cli/terminal.h"
#include "frontends/cpp/compilation.h"
#include "runtime/forecast.h"

namespace cutset::cli {
namespace {

struct Options {
  CommonOptions common;
  std::string op;
};
using Rows = std::vector<std::vector<std::string>>;

std::string microseconds(double seconds) { return fixed(seconds * 1e6, 1); }

// An op is meant by its name, its layer, both, or its id.
bool meant(const Explanation& e, const std::string& wanted) {
  return wanted.empty() || wanted == e.op || wanted == e.label || wanted == e.label + "/" + e.op ||
         wanted == std::to_string(e.id);
}

void explain_ops(const std::vector<Explanation>& list, const std::string& function, const Options& o,
                 nlohmann::json& json) {
  Rows rows = {{"op", "layer", "source", "device", "because"}};
  size_t shown = 0;
  if (!list.empty())
    for (const Candidate& c : list[0].candidates) rows[0].push_back("us on " + c.device);
  std::string refusals;
  for (const Explanation& e : list) {
    if (e.function != function || !meant(e, o.op)) continue;
    ++shown;
    rows.push_back({e.op, e.label.empty() ? "-" : e.label, e.source, e.device, e.reason});
    nlohmann::json candidates = nlohmann::json::array();
    for (const Candidate& c : e.candidates) {
      rows.back().push_back(!c.refusal.empty()                           ? "cannot"
                            : c.kernel == "view" || c.kernel == "folded" ? c.kernel
                                                                         : microseconds(c.seconds));
      candidates.push_back(
          {{"device", c.device}, {"seconds", c.seconds}, {"kernel", c.kernel}, {"refusal", c.refusal}});
      if (!c.refusal.empty() && (!o.op.empty() || refusals.find(c.refusal) == std::string::npos))
        refusals += e.op + (e.label.empty() ? "" : " of " + e.label) + ": " + c.refusal + "\n";
    }
    json["ops"].push_back({{"op", e.op},
                           {"layer", e.label},
                           {"source", e.source},
                           {"id", e.id},
                           {"replica", e.replica},
                           {"device", e.device},
                           {"reason", e.reason},
                           {"candidates", candidates}});
  }
  if (shown == 0) {
    std::string have;
    for (const Explanation& e : list)
      if (!e.label.empty() && have.find(e.label) == std::string::npos) have += (have.empty() ? "" : ", ") + e.label;
    raise(invalid_argument("no op, layer or id '" + o.op + "' in '" + function + "'", "layers: " + have));
  }
  if (o.common.json != "-") write_text("-", table(rows) + (refusals.empty() ? "" : "\nrefused:\n" + refusals));
}

// What crosses between devices for a layer, or for all.
void explain_transfers(const Function& f, const DeviceList& devices, nlohmann::json& json, bool print) {
  Rows rows = {{"transfer", "from", "to", "bytes", "us"}};
  auto add = [&](const std::string& what, const std::string& from, const std::string& to, int64_t bytes,
                 double seconds) {
    rows.push_back({what, from, to, std::to_string(bytes), microseconds(seconds)});
    json["transfers"].push_back({{"tensor", what}, {"from", from}, {"to", to}, {"bytes", bytes}, {"seconds", seconds}});
  };
  for (const Channel& c : f.channels) {
    const auto &from = devices[static_cast<size_t>(c.from)], &to = devices[static_cast<size_t>(c.to)];
    add(c.tensor, from->name(), to->name(), c.type.bytes(),
        from->transfer_seconds(c.type.bytes()) + to->transfer_seconds(c.type.bytes()));
  }
  for (const Collective& c : f.collectives) {
    std::string names;
    double slowest = 0;
    for (const Collective::Part& part : c.parts) {
      const auto& device = devices[static_cast<size_t>(part.device)];
      names += (names.empty() ? "" : ",") + device->name();
      slowest = std::max(slowest, 2 * device->transfer_seconds(c.type.bytes()));
    }
    add("all_reduce of " + c.tensor, names, "all", c.type.bytes(), slowest);
  }
  if (print && rows.size() > 1) write_text("-", "\n" + table(rows));
}

void explain_memory(const Program& program, nlohmann::json& json, bool print) {
  Rows rows = {{"memory of", "variables", "optimizer", "constants", "arenas", "fullest: activations", "transfers",
                "scratch", "at"}};
  for (const DeviceForecast& m : forecast(program)) {
    auto n = [](uint64_t v) { return bytes(static_cast<double>(v)); };
    rows.push_back({m.device, n(m.variables), n(m.optimizer), n(m.constants), n(m.arenas), n(m.activations),
                    n(m.transfers), n(m.scratch), m.op + (m.label.empty() ? "" : " of " + m.label)});
    json["memory"].push_back({{"device", m.device},
                              {"variables", m.variables},
                              {"optimizer", m.optimizer},
                              {"constants", m.constants},
                              {"arenas", m.arenas},
                              {"activations", m.activations},
                              {"transfers", m.transfers},
                              {"scratch", m.scratch},
                              {"op", m.op},
                              {"layer", m.label}});
  }
  if (print) write_text("-", "\n" + table(rows));
}

void run(const Options& o) {
  const CommonOptions& c = o.common;
  Graph graph = models::find(c.model).build({c.batch, c.seed, {}});
  CompileRequest r = request_of(c.compile_options(c.devices.front()));
  r.devices.describe_only = true;
  const CompileResult result = check(graph.state()->builder->compile(r));
  const DeviceList devices = check(describe_devices(r.devices));
  const Function& f = *(result.program.find("train") ? result.program.find("train") : result.program.find("evaluate"));
  nlohmann::json json = {{"model", c.model},
                         {"devices", c.devices.front()},
                         {"strategy", result.strategy},
                         {"function", f.name},
                         {"ops", nlohmann::json::array()},
                         {"transfers", nlohmann::json::array()},
                         {"memory", nlohmann::json::array()}};
  const bool print = c.json != "-";
  explain_ops(result.explanations, f.name, o, json);
  if (o.op.empty()) {
    explain_transfers(f, devices, json, print);
    explain_memory(result.program, json, print);
  }
  if (!c.json.empty()) write_text(c.json, json.dump(1) + "\n");
}

}  // namespace

void add_explain(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "explain", "why each op is where it is: the candidates, their costs and refusals; transfers; memory");
  o->common.add_to(*command);
  command->add_option("op", o->op,
                      "an op (relu), a layer (conv1), both (conv1/relu) or an id; all of them unless given");
  command->callback([o] { run(*o); });
}

}  // namespace cutset::cli
