// SPDX-License-Identifier: Apache-2.0
// What a user should know before a model is trained.
#pragma once
#include <string>
#include <vector>

namespace cutset::onnx_proto {
class GraphProto;
}  // namespace cutset::onnx_proto

namespace cutset::onnx {

// Returns notes on what training would do to the weights of a graph that its exporter may not have meant
// (Model::training_notes). The initializers must still have their shapes.
std::vector<std::string> training_notes(const onnx_proto::GraphProto& graph);

}  // namespace cutset::onnx
