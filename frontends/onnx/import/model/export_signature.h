// SPDX-License-Identifier: Apache-2.0
// What torch.onnx.export with dynamo=True says of the initializers that it writes. Its models have a text,
// the signature of the exported program, as metadata of the graph. A line "p_fc_weight: PARAMETER
// target='fc.weight'" is a parameter of the module, and a line with BUFFER a buffer. The metadata of a value
// that the exporter has computed from others, folded_from, is the list of their names.
#pragma once
#include <string_view>

#include "frontends/onnx/import/model/initializers.h"

namespace cutset::onnx {

// The signature; empty if the graph has none.
std::string_view signature_of(const onnx_proto::GraphProto& graph);
// The initializers of the graph that are neither parameters of the module nor computed from parameters, such
// as buffers and the constants of formulas, whose ranks the exporter raises from 0 to 1. Empty if the graph
// has no signature. Bodies are not examined.
NamesOfGraphs values_that_are_no_parameters(const onnx_proto::GraphProto& graph);

}  // namespace cutset::onnx
