// SPDX-License-Identifier: Apache-2.0
#include <cutset/explain.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "frontends/cli/commands/commands.h"
#include "frontends/cli/options/options.h"
#include "frontends/cli/output/outputs.h"
#include "frontends/cli/output/terminal.h"
#include "frontends/cli/train/results.h"

namespace cutset::cli {
namespace {

struct ExplainOptions {
  CommonOptions common;
  std::string op;
};
using Rows = std::vector<std::vector<std::string>>;

std::string microseconds(double seconds) { return fixed(seconds * 1e6, 1); }
std::string time_text(const Candidate& c) {
  if (!c.refusal.empty()) return "cannot";
  return c.kernel == "view" || c.kernel == "folded" ? c.kernel : microseconds(c.seconds);
}

// Adds the times of the ops on the devices, one column per device. Devices with equal times in all rows share
// a column.
void add_times(Rows& rows, const std::vector<Explanation>& list) {
  struct Column {
    std::string device;  // the name of the first device
    size_t devices = 1;
    std::vector<std::string> cells;
  };
  std::vector<Column> columns;
  for (size_t d = 0; !list.empty() && d < list[0].candidates.size(); ++d) {
    std::vector<std::string> cells;
    for (const Explanation& e : list) cells.push_back(time_text(e.candidates[d]));
    const auto equal = std::ranges::find(columns, cells, &Column::cells);
    if (equal != columns.end())
      ++equal->devices;
    else
      columns.push_back({.device = list[0].candidates[d].device, .cells = std::move(cells)});
  }
  for (const Column& c : columns) {
    rows[0].push_back(c.device + (c.devices > 1 ? " and " + std::to_string(c.devices - 1) + " more" : "") +
                      " us");
    for (size_t r = 0; r < c.cells.size(); ++r) rows[r + 1].push_back(c.cells[r]);
  }
}

void explain_ops(const std::vector<Explanation>& list, const ExplainOptions& o, nlohmann::json& json) {
  Rows rows = {{"op", "layer", "source", "device", "reason"}};
  const bool repeated =
      std::any_of(list.begin(), list.end(), [](const Explanation& e) { return e.times > 1; });
  std::string refusals, undivided;
  for (const Explanation& e : list) {
    rows.push_back({e.op, e.layer.empty() ? "-" : e.layer, e.source, e.device, e.reason});
    if (!e.whole.empty())
      undivided += e.op + (e.layer.empty() ? "" : " of " + e.layer) + " (" + e.source + "), replica " +
                   std::to_string(e.replica) + ": " + e.whole + "\n";
    nlohmann::json candidates = nlohmann::json::array();
    for (const Candidate& c : e.candidates) {
      candidates.push_back(
          {{"device", c.device}, {"seconds", c.seconds}, {"kernel", c.kernel}, {"refusal", c.refusal}});
      if (!c.refusal.empty() && (!o.op.empty() || refusals.find(c.refusal) == std::string::npos))
        refusals += e.op + (e.layer.empty() ? "" : " of " + e.layer) + ": " + c.refusal + "\n";
    }
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
  add_times(rows, list);
  if (repeated) {
    rows[0].push_back("times");
    for (size_t r = 0; r < list.size(); ++r) rows[r + 1].push_back(std::to_string(list[r].times));
  }
  if (o.common.json != "-")
    write_text("-",
               table(rows) + "us: the estimated time of one run of the op, in microseconds\n" +
                   (repeated ? "times: the number of runs per step\n" : "") +
                   (refusals.empty() ? "" : "\nrefused:\n" + printable(refusals, true)) +
                   (undivided.empty() ? "" : "\nnot split by the batch:\n" + printable(undivided, true)));
}

void explain_transfers(const std::vector<ExplainedTransfer>& transfers, nlohmann::json& json, bool print) {
  Rows rows = {{"transfer", "from", "to", "bytes", "us", "times"}};
  std::map<std::vector<std::string>, int64_t>
      times;  // the number of equal rows, because all micro-batches transfer values of one shape
  for (const ExplainedTransfer& t : transfers) {
    std::vector<std::string> row = {t.tensor, t.from, t.to, std::to_string(t.bytes), microseconds(t.seconds)};
    if (++times[row] == 1) rows.push_back(std::move(row));
    json["transfers"].push_back(
        {{"tensor", t.tensor}, {"from", t.from}, {"to", t.to}, {"bytes", t.bytes}, {"seconds", t.seconds}});
  }
  for (size_t r = 1; r < rows.size(); ++r) rows[r].push_back(std::to_string(times.at(rows[r])));
  if (print && rows.size() > 1) write_text("-", "\n" + table(rows));
}

void explain_memory(const std::vector<ExplainedMemory>& memory, nlohmann::json& json, bool print) {
  Rows rows = {{"memory of", "variables", "optimizer", "constants", "arena", "scratch", "activations",
                "transfers", "op at the peak"}};
  const bool limited = std::ranges::any_of(memory, [](const ExplainedMemory& m) { return m.limit > 0; });
  if (limited) rows[0].insert(rows[0].begin() + 1, {"takes", "limit"});
  std::string exceeded;
  const auto n = [](uint64_t v) { return bytes(static_cast<double>(v)); };
  for (const ExplainedMemory& m : memory) {
    auto& row = rows.emplace_back(std::vector<std::string>{m.device});
    if (limited) {
      row.push_back(n(m.needed()));
      row.push_back(m.limit == 0 ? "-" : n(m.limit) + (m.over_limit() ? " EXCEEDED" : ""));
    }
    for (const uint64_t v :
         {m.variables, m.optimizer, m.constants, m.arena, m.scratch, m.activations, m.transfers})
      row.push_back(n(v));
    row.push_back(m.peak_op);
    if (m.over_limit())
      exceeded += m.device + " has " + std::to_string(m.limit) + " bytes, and the program takes " +
                  std::to_string(m.needed()) + ": it is refused when it is loaded\n";
    nlohmann::json of_device = json_of(m);
    of_device["needed"] = m.needed();
    of_device["limit"] = m.limit;
    of_device["over_limit"] = m.over_limit();
    json["memory"].push_back(std::move(of_device));
  }
  if (print)
    write_text("-", "\n" + table(rows) + "activations, transfers: of the arena, at its peak\n" + exceeded);
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
  const Explained explained = explain(c.graph(), c.compile_options(c.devices.front()), o.op);
  nlohmann::json json = {{"model", c.model},
                         {"devices", c.devices.front()},
                         {"strategy", explained.strategy},
                         {"function", explained.function},
                         {"ops", nlohmann::json::array()},
                         {"transfers", nlohmann::json::array()},
                         {"memory", nlohmann::json::array()},
                         {"variables", nlohmann::json::array()},
                         {"notes", explained.notes}};
  for (const std::string& note : explained.notes) print_note(note);
  const bool print = c.json != "-";
  explain_ops(explained.ops, o, json);
  if (o.op.empty()) {
    explain_transfers(explained.transfers, json, print);
    explain_memory(explained.memory, json, print);
    explain_variables(explained.variables, json, print);
  }
  if (!c.json.empty()) write_json(c.json, json);
}

}  // namespace

CLI::App* add_explain(CLI::App& app) {
  auto o = std::make_shared<ExplainOptions>();
  CLI::App* command = app.add_subcommand("explain", "print why each op has its device, and what that costs");
  o->common.add_to(*command, {.json = true});
  command->add_option("op", o->op, "an op (relu), a layer (conv1), both (conv1/relu) or an id");
  command->callback([o] { run(*o); });
  return command;
}

}  // namespace cutset::cli
