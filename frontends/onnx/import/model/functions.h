// SPDX-License-Identifier: Apache-2.0
// Inlines the functions that a model defines and calls as ops.
#pragma once
#include <cstdint>

namespace cutset::onnx_proto {
class ModelProto;
}  // namespace cutset::onnx_proto

namespace cutset::onnx {

// Replaces each node that calls a function of the model by the nodes of the function, also in the bodies of
// nodes and in functions. A value 'x' of a function becomes 'x of call 3', and a node is named after its
// call: 'encoder/Relu'. Initializers in the bodies of a function become nodes `Constant`, because a function
// has no weights. The model has no functions afterwards. `opset` is the version of its operator set.
//
// Throws kInvalidData if a function is malformed, or if a call does not fit its function. Throws kUnsupported
// in these cases:
// - A function replaces an op of ONNX.
// - A function has another version of the operator set than the model.
// - A function takes a graph as an attribute.
// - Calls are nested more than kMostNested times. A function that calls itself exceeds this limit.
// - The functions become more than kMostNodes nodes and calls, or take more than 2^26 bytes.
void inline_functions(onnx_proto::ModelProto& model, int64_t opset);

}  // namespace cutset::onnx
