// SPDX-License-Identifier: Apache-2.0
// Notes for a user before a model is trained.
#pragma once
#include <string>
#include <vector>

namespace cutset::onnx_proto {
class GraphProto;
}  // namespace cutset::onnx_proto

namespace cutset::onnx {

// Returns notes on effects of training on the weights of a graph that its exporter may not have meant
// (Model::training_notes). Call it before take_initializers(), because it reads the shapes of the
// initializers.
std::vector<std::string> training_notes(const onnx_proto::GraphProto& graph);

}  // namespace cutset::onnx
