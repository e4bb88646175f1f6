// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/export/exporters.h"

namespace cutset::onnx {

const Exporters& exporters() {
  static const Exporters all = ExporterFamily::table();
  return all;
}

}  // namespace cutset::onnx
