#include <cutset/explain.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "frontends/cli/options.h"
#include "frontends/cli/outputs.h"
#include "frontends/cli/results.h"
#include "frontends/cli/terminal.h"

namespace cutset::cli {
namespace {

struct ExplainOptions {
  CommonOptions common;
  std::string op;
};
using Rows = std::vector<std::vector<std::string>>;

std::string microseconds(double seconds) { return fixed(seconds * 1e6, 1); }

void explain_ops(const std::vector<Explanation>& list, const ExplainOptions& o, nlohmann::json& json) {
  Rows rows = {{"op", "layer", "source", "device", "reason"}};
  if (!list.empty())
    for (const Candidate& c : list[0].candidates) rows[0].push_back("us on " + c.device);
  const bool repeated = std::any_of(list.begin(), list.end(), [](const Explanation& e) { return e.times > 1; });
  if (repeated) rows[0].push_back("times per step");
  std::string refusals, whole;
  for (const Explanation& e : list) {
    rows.push_back({e.op, e.layer.empty() ? "-" : e.layer, e.source, e.device, e.reason});
    if (!e.whole.empty())
      whole += e.op + (e.layer.empty() ? "" : " of " + e.layer) + " (" + e.source + "), replica " +
               std::to_string(e.replica) + ": " + e.whole + "\n";
    nlohmann::json candidates = nlohmann::json::array();
    for (const Candidate& c : e.candidates) {
      rows.back().push_back(!c.refusal.empty()                           ? "cannot"
                            : c.kernel == "view" || c.kernel == "folded" ? c.kernel
                                                                         : microseconds(c.seconds));
      candidates.push_back(
          {{"device", c.device}, {"seconds", c.seconds}, {"kernel", c.kernel}, {"refusal", c.refusal}});
      if (!c.refusal.empty() && (!o.op.empty() || refusals.find(c.refusal) == std::string::npos))
        refusals += e.op + (e.layer.empty() ? "" : " of " + e.layer) + ": " + c.refusal + "\n";
    }
    if (repeated) rows.back().push_back(std::to_string(e.times));
    json["ops"].push_back({{"op", e.op},
                           {"layer", e.layer},
                           {"source", e.source},
                           {"id", e.id},
                           {"replica", e.replica},
                           {"times", e.times},
                           {"device", e.device},
                           {"reason", e.reason},
                           {"whole", e.whole},
                           {"candidates", candidates}});
  }
  if (o.common.json != "-")
    write_text("-", table(rows) + "us: the estimated time of one run of the op, in microseconds\n" +
                        (refusals.empty() ? "" : "\nrefused:\n" + printable(refusals, true)) +
                        (whole.empty() ? "" : "\nnot split by the batch:\n" + printable(whole, true)));
}

void explain_transfers(const std::vector<ExplainedTransfer>& transfers, nlohmann::json& json, bool print) {
  Rows rows = {{"transfer", "from", "to", "bytes", "us", "times per step"}};
  std::map<std::vector<std::string>, int64_t> times;  // of equal rows: the micro-batches transfer values of one shape
  for (const ExplainedTransfer& t : transfers) {
    std::vector<std::string> row = {t.tensor, t.from, t.to, std::to_string(t.bytes), microseconds(t.seconds)};
    if (++times[row] == 1) rows.push_back(std::move(row));
    json["transfers"].push_back(
        {{"tensor", t.tensor}, {"from", t.from}, {"to", t.to}, {"bytes", t.bytes}, {"seconds", t.seconds}});
  }
  for (size_t r = 1; r < rows.size(); ++r) rows[r].push_back(std::to_string(times.at(rows[r])));
  if (print && rows.size() > 1) write_text("-", "\n" + table(rows));
}

void explain_memory(const std::vector<MemoryUse>& memory, nlohmann::json& json, bool print) {
  Rows rows = {{"memory of", "variables", "optimizer", "constants", "arena", "at the peak: activations", "transfers",
                "scratch", "op at the peak"}};
  for (const MemoryUse& m : memory) {
    auto n = [](uint64_t v) { return bytes(static_cast<double>(v)); };
    rows.push_back({m.device, n(m.variables), n(m.optimizer), n(m.constants), n(m.arena), n(m.activations),
                    n(m.transfers), n(m.scratch), m.peak_op});
    json["memory"].push_back(json_of(m));
  }
  if (print) write_text("-", "\n" + table(rows));
}

void explain_variables(const std::vector<ExplainedVariable>& variables, nlohmann::json& json, bool print) {
  Rows rows = {{"variable", "shape", "bytes", "divided along dimension", "pieces", "devices"}};
  bool divided = false;
  for (const ExplainedVariable& v : variables) {
    std::string homes;
    for (const std::string& home : v.homes) homes += (homes.empty() ? "" : ",") + home;
    rows.push_back({v.name, to_string(v.shape), std::to_string(v.bytes),
                    v.dimension < 0 ? "-" : std::to_string(v.dimension), std::to_string(v.pieces), homes});
    divided |= v.dimension >= 0;
    json["variables"].push_back({{"variable", v.name},
                                 {"shape", v.shape},
                                 {"bytes", v.bytes},
                                 {"dimension", v.dimension},
                                 {"pieces", v.pieces},
                                 {"homes", v.homes}});
  }
  if (print && divided) write_text("-", "\n" + table(rows));
}

void run(const ExplainOptions& o) {
  const CommonOptions& c = o.common;
  OutputFiles outputs;
  c.add_inputs(outputs);
  outputs.file("--json", c.json, true);
  add_dump_folder(outputs, c.compile.dump_directory);
  const Explained made = explain(c.graph(), c.compile_options(c.devices.front()), o.op);
  nlohmann::json json = {{"model", c.model},
                         {"devices", c.devices.front()},
                         {"strategy", made.strategy},
                         {"function", made.function},
                         {"ops", nlohmann::json::array()},
                         {"transfers", nlohmann::json::array()},
                         {"memory", nlohmann::json::array()},
                         {"variables", nlohmann::json::array()},
                         {"notes", made.notes}};
  for (const std::string& note : made.notes) print_note(note);
  const bool print = c.json != "-";
  explain_ops(made.ops, o, json);
  if (o.op.empty()) {
    explain_transfers(made.transfers, json, print);
    explain_memory(made.memory, json, print);
    explain_variables(made.variables, json, print);
  }
  if (!c.json.empty()) write_json(c.json, json);
}

}  // namespace

void add_explain(CLI::App& app) {
  auto o = std::make_shared<ExplainOptions>();
  CLI::App* command = app.add_subcommand("explain",
                                         "print the device of each op, the reason, and the estimated time on each "
                                         "device; also the transfers, the memory, and the pieces of the variables");
  o->common.add_to(*command, {.json = true});
  command->add_option("op", o->op, "an op (relu), a layer (conv1), both (conv1/relu) or an id; default: all ops");
  command->callback([o] { run(*o); });
}

}  // namespace cutset::cli
