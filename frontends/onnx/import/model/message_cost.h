// SPDX-License-Identifier: Apache-2.0
// How much memory a message of ONNX takes when it is parsed.
#pragma once
#include <cstdint>
#include <span>

namespace cutset::onnx {

// The kinds of messages that a file may hold.
enum class MessageKind : uint8_t {
  kModel,
  kGraph,
  kNode,
  kAttribute,
  kTensor,
  kSparseTensor,
  kValue,
  kType,
  kTensorType,
  kElementType,  // of a sequence or an optional value
  kMapType,
  kShape,
  kFunction,
  kTraining,
  kAnnotation,
  kPlacement,  // of a node on devices
  kSharding,
  kShardedSize,
  kNumbers,  // a list of numbers
  kLeaf,     // a message without messages
  kKinds,
};

// Returns the bytes of memory that the classes of protoc take for the messages, the texts and the numbers of
// a message, beside the bytes of its texts and of its raw data. An empty message takes 2 bytes of a file and
// more than 200 bytes of memory. The reading stops when the sum exceeds `most`. The sum of malformed bytes
// may be larger than what the parser takes before it stops, but is never smaller.
uint64_t message_cost(std::span<const unsigned char> bytes, MessageKind kind, uint64_t most);

}  // namespace cutset::onnx
