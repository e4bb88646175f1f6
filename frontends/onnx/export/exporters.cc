// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/export/exporters.h"

namespace cutset::onnx {

const Exporters& exporters() {
  static const Exporters all = [] {
    Exporters table;
    for (const auto add :
         {export_arithmetic, export_activations, export_casts, export_comparisons, export_convolutions,
          export_indexing, export_losses, export_matrix_products, export_normalizations, export_poolings,
          export_recurrent, export_reductions, export_shapes, export_slices})
      add(table);
    return table;
  }();
  return all;
}

}  // namespace cutset::onnx
