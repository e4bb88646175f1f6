// SPDX-License-Identifier: Apache-2.0
// Reads what torch.onnx.export with dynamo=True writes about initializers. Its models have the signature of
// the exported program, a text, as metadata of the graph. The line "p_fc_weight: PARAMETER
// target='fc.weight'" stands for a parameter of the module, and a line with BUFFER for a buffer. If the
// exporter has computed a value from other values, the metadata folded_from of the value lists their names.
#pragma once
#include <string_view>

#include "frontends/onnx/import/model/initializers.h"

namespace cutset::onnx {

// Returns the signature, or an empty text if the graph has none.
std::string_view signature_of(const onnx_proto::GraphProto& graph);
// Returns the initializers of the graph that are neither parameters of the module nor computed from
// parameters: buffers, and constants of formulas, whose rank the exporter raises from 0 to 1. Returns an
// empty set if the graph has no signature. Bodies are not examined.
NamesOfGraphs values_that_are_no_parameters(const onnx_proto::GraphProto& graph);

}  // namespace cutset::onnx
