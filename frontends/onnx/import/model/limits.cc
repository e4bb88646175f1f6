// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/model/limits.h"

#include "frontends/cpp/graph/graph_state.h"
#include "frontends/onnx/import/errors.h"
#include "frontends/onnx/messages.h"
#include "frontends/onnx/names.h"

namespace cutset::onnx {

constexpr size_t kMostValues = 250'000;  // the values of the graph
constexpr int64_t kMostListed =
    1'000'000;  // the tensors of all sequences, counted at each node that makes one
constexpr int64_t kMostKnownBytes = int64_t{1} << 30;  // the bytes of the elements that converters compute

void ImportLimits::end(const std::string& why) {
  exceeded_ = true;
  const std::string layer = graph_.state()->names.joined();
  unsupported(why + (layer.empty() ? "" : "; the import stopped in the layer '" + shown(layer) + "'"));
}

void ImportLimits::check(const onnx_proto::NodeProto& node) {
  // An op that combines any number of operands becomes one value per operand.
  if (graph_.state()->builder->mark().values + static_cast<size_t>(node.input_size()) > kMostValues)
    end("the nodes of the model become more than " + std::to_string(kMostValues) + " values");
  if (known_bytes_ > kMostKnownBytes)
    end("the nodes of the model compute more than 2^30 bytes while the graph is built; let the program "
        "compute them, or make them initializers");
}

void ImportLimits::count_unrolled(int64_t more) {
  if (more > kMostUnrolled - unrolled_)
    end("the bodies of If, Loop, Scan and SequenceMap become more than " + std::to_string(kMostUnrolled) +
        " nodes, operands and results when they are unrolled; the model needs fewer iterations");
  unrolled_ += more;
}

void ImportLimits::count_sequence(int64_t length) {
  if (length > kMostListed - listed_)
    end("the sequences of tensors have more than " + std::to_string(kMostListed) +
        " tensors, counted at each node that makes one; join tensors earlier");
  listed_ += length;
}

// A node with long attributes counts as several nodes, because it takes as much time as several nodes.
void ImportLimits::count_unrolled(const onnx_proto::NodeProto& node) {
  int64_t& size = sizes_[&node];
  if (size == 0)
    size = 1 + node.input_size() + node.output_size() + static_cast<int64_t>(node.ByteSizeLong() / 1024);
  count_unrolled(size);
}

}  // namespace cutset::onnx
