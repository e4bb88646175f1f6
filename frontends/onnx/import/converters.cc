#include "frontends/onnx/import/converters.h"

namespace cutset::onnx {

const Converters& converters() {
  static const Converters all = [] {
    Converters table;
    for (const auto add : {add_activations,     add_arithmetic,
                           add_attention,       add_branches,
                           add_casts,           add_comparisons,
                           add_constants,       add_convolutions,
                           add_images,          add_indexing,
                           add_loops,           add_losses,
                           add_matrix_products, add_normalizations,
                           add_poolings,        add_quantization,
                           add_recurrent,       add_reductions,
                           add_resizing,        add_scans,
                           add_sequences,       add_sequences_of_tensors,
                           add_shapes,          add_slices,
                           add_spectra,         add_texts})
      add(table);
    return table;
  }();
  return all;
}

}  // namespace cutset::onnx
