// SPDX-License-Identifier: Apache-2.0
// Limits the size of an imported model, because a file of few bytes may ask for a large graph.
#pragma once
#include <cutset/graph.h>

#include <cstdint>
#include <map>
#include <string>

namespace cutset::onnx_proto {
class NodeProto;
}  // namespace cutset::onnx_proto

namespace cutset::onnx {

// The largest numbers of nodes in the graph of a model, of its inputs that are not initializers, and of its
// outputs. The memory for inputs and outputs grows with the square of their number.
inline constexpr int kMostNodes = 100'000;
inline constexpr size_t kMostInputs = 1000, kMostOutputs = 1000;
// All bodies of a model together become at most this number of nodes, operands and results.
inline constexpr int64_t kMostUnrolled = 1'000'000;
// The largest number of bodies inside each other. A message of Protocol Buffers nests about 30 bodies.
inline constexpr int kMostNested = 20;

// Counts what an import makes. After an exception, the import must end.
class ImportLimits {
 public:
  // `graph` is the graph of the import, and must outlive the object.
  explicit ImportLimits(const Graph& graph) : graph_(graph) {}
  // Must be called before a node is converted. Throws kUnsupported if the graph has more than 250,000 values,
  // or if converters have computed more than 2^30 bytes.
  void check(const onnx_proto::NodeProto& node);
  // Counts values or nodes of bodies. Throws kUnsupported if they are more than kMostUnrolled.
  void count_unrolled(int64_t more);
  // Counts a node of a body. Throws as above.
  void count_unrolled(const onnx_proto::NodeProto& node);
  // Counts the tensors of a sequence. Throws kUnsupported if all sequences together have more than a million.
  // Each node that inserts a tensor makes a new sequence.
  void count_sequence(int64_t length);
  // Counts elements that a converter has computed; check() compares them with their limit.
  void count_known_bytes(int64_t bytes) { known_bytes_ += bytes; }
  // Whether a limit was exceeded.
  bool exceeded() const { return exceeded_; }

 private:
  [[noreturn]] void end(const std::string& why);

  const Graph& graph_;
  int64_t known_bytes_ = 0;  // the bytes of the elements that converters have computed
  int64_t listed_ = 0;       // the tensors of all sequences
  int64_t unrolled_ = 0;     // the nodes of all bodies, with their operands and results
  std::map<const onnx_proto::NodeProto*, int64_t> sizes_;  // what each node of a body adds to `unrolled_`
  bool exceeded_ = false;
};

}  // namespace cutset::onnx
