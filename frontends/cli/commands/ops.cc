// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <nlohmann/json.hpp>

#include "frontends/cli/commands/commands.h"
#include "frontends/cli/options/options.h"
#include "frontends/cli/output/outputs.h"
#include "frontends/cli/output/terminal.h"
#include "frontends/cpp/checks/failure.h"
#include "ir/core/names.h"
#include "runtime/device/backend_report.h"
#include "runtime/device/device.h"
#include "runtime/device/op_libraries.h"

namespace cutset::cli {
namespace {

// Returns the name of the kernel that a device chooses for a case of an op, or the reason why it has none.
std::string offer(const DeviceDescription& device, const OpInfo& op, const Case& c) {
  if (op.view) return "view";
  Types in;
  for (const Operand& o : c.operands) in.push_back(o.type);
  auto flat = FlatAttrs::pack(op.schema, c.attributes);
  if (!flat) return flat.error().what;
  auto out = op.infer(flat->data(), in);
  if (!out) return out.error().what;
  auto choice = device.choose(op, flat->data(), in, *out);
  return choice ? choice->kernel->name : choice.error().what;
}

// Returns one device of each kind that is available on this machine.
DeviceList available() {
  DeviceList devices;
  for (const BackendReport& r : report_backends())
    if (r.missing.empty()) devices.push_back(check(describe_devices({.devices = r.kind + ":0"})).front());
  return devices;
}

std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for (const OpInfo* op : all_ops()) names.emplace_back(op->name);
  return names;
}

}  // namespace

CLI::App* add_ops(CLI::App& app) {
  auto name = std::make_shared<std::string>(), json = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("ops", "list every op with its kernel on each device");
  command->add_option("op", *name, "only this op, with one line per test problem");
  command->add_option("--json", *json, kJsonHelp)->check(path_name());
  command->callback([=] {
    OutputFiles outputs;
    outputs.file("--json", *json, true);
    check(load_op_libraries());
    const DeviceList devices = available();
    if (!name->empty() && !find_op(*name))
      raise(invalid_argument("no op named '" + *name + "'",
                             "cutset ops lists the ops" + and_nearest(*name, op_names())));
    std::vector<std::vector<std::string>> rows = {{name->empty() ? "op" : "problem"}};
    for (const auto& d : devices) rows[0].push_back(d->name());
    nlohmann::json list = nlohmann::json::array();
    for (const OpInfo* op : all_ops()) {
      if (!name->empty() && *name != op->name) continue;
      const OpCases cases = op->cases();
      for (const Case& c : cases.fixed) {
        rows.push_back({name->empty() ? op->name : c.name});
        nlohmann::json row = {{"op", op->name},
                              {"case", c.name},
                              {"summary", op->summary},
                              {"differentiable", op->gradient != nullptr}};
        for (const auto& d : devices) {
          rows.back().push_back(offer(*d, *op, c));
          row["kernels"][d->name()] = rows.back().back();
        }
        list.push_back(row);
        if (name->empty()) break;
      }
      if (!name->empty() && *json != "-")
        write_text("-", std::string(op->name) + ": " + op->summary + "\nfolder: " + op->folder + "\n\n");
    }
    if (*json != "-") write_text("-", table(rows));
    if (!json->empty()) write_json(*json, list);
  });
  return command;
}

}  // namespace cutset::cli
