// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/backend_report.h"

#include <thread>

#include "runtime/device/abi_values.h"
#include "runtime/device/backend_library.h"

namespace cutset {

std::vector<BackendReport> report_backends() {
  std::vector<BackendReport> rows;
  for (const auto& [kind, file] : find_backends_and_expected()) {
    BackendReport row{"", kind, "", ""};
    if (file.path.empty()) {
      row.missing =
          "not built here: the vendor's library was not found when Cutset was configured; run "
          "third_party/setup.sh";
    } else if (auto backend = load_backend(kind); !backend) {
      row.missing = backend.error().text();
    } else {
      cutset_device_info asked{};
      asked.size = sizeof asked;
      asked.threads = static_cast<int>(std::thread::hardware_concurrency());
      cutset_device_info info = asked;
      row.backend = (*backend)->name;
      const cutset_error* e = (*backend)->describe(&info);
      if (e) {
        row.missing = message_of(*e);
      } else if (Status sound = check_description(asked, info, kind + ":0"); !sound.ok()) {
        row.missing = sound.error().text();
      } else {
        row.description = info.description;
        if (!file.hidden.empty())
          row.description += " (" + file.path.string() + " stands in for " + file.hidden.string() + ")";
        if ((e = (*backend)->available(&info))) row.missing = message_of(*e);
      }
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace cutset
