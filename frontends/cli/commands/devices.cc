// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <nlohmann/json.hpp>

#include "frontends/cli/commands/commands.h"
#include "frontends/cli/options/options.h"
#include "frontends/cli/output/outputs.h"
#include "frontends/cli/output/terminal.h"
#include "frontends/cli/tools/conformance.h"
#include "runtime/device/backend_report.h"

namespace cutset::cli {

CLI::App* add_devices(CLI::App& app) {
  auto json = std::make_shared<std::string>(), tested = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("devices", "list the kinds of devices, and why some are not available");
  command->add_option("--json", *json, kJsonHelp)->check(path_name());
  command->add_option("--selftest", *tested, "compare every op of this device with the reference kernels")
      ->type_name("DEVICE");
  command->callback([json, tested] {
    if (!tested->empty()) {
      if (!run_conformance({.device = *tested, .json = *json})) throw CLI::RuntimeError(1);
      return;
    }
    OutputFiles outputs;
    outputs.file("--json", *json, true);
    std::vector<std::vector<std::string>> rows = {{"device", "backend", "available", "description"}};
    nlohmann::json list = nlohmann::json::array();
    for (const BackendReport& r : report_backends()) {
      rows.push_back({r.kind + ":0", r.backend.empty() ? "-" : r.backend, r.missing.empty() ? "yes" : "no",
                      r.missing.empty() ? r.description : r.missing});
      list.push_back({{"kind", r.kind},
                      {"backend", r.backend},
                      {"available", r.missing.empty()},
                      {"description", r.description},
                      {"missing", r.missing}});
    }
    if (*json != "-") write_text("-", table(rows));
    if (!json->empty()) write_json(*json, list);
  });
  return command;
}

}  // namespace cutset::cli
