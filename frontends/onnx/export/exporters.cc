// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/export/exporters.h"

#include <vector>

namespace cutset::onnx {
namespace {

using AddExporters = void (*)(Exporters& table);

// Returns one function per file of exporters/. The list is complete once the library is loaded.
std::vector<AddExporters>& export_families() {
  static std::vector<AddExporters> all;
  return all;
}

}  // namespace

ExporterFamily::ExporterFamily(void (*add)(Exporters& table)) { export_families().push_back(add); }

const Exporters& exporters() {
  static const Exporters all = [] {
    Exporters table;
    for (const AddExporters add : export_families()) add(table);
    return table;
  }();
  return all;
}

}  // namespace cutset::onnx
