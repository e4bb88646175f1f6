// SPDX-License-Identifier: Apache-2.0
// Computes how much memory a message of ONNX takes when it is parsed.
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
  kElementType,  // the element type of a sequence or an optional value
  kMapType,
  kShape,
  kFunction,
  kTraining,
  kAnnotation,
  kPlacement,  // the placement of a node on devices
  kSharding,
  kShardedSize,
  kNumbers,  // a list of numbers
  kLeaf,     // a message without messages
  kKinds,
};

// Returns the bytes of memory that the classes of protoc take for the messages, texts and numbers in a
// message, without the bytes of the texts and of raw data. An empty message takes 2 bytes of a file and more
// than 200 bytes of memory. Stops reading when the sum exceeds `most`. For malformed bytes, the sum is at
// least the memory that the parser takes before it stops.
uint64_t message_cost(std::span<const unsigned char> bytes, MessageKind kind, uint64_t most);

}  // namespace cutset::onnx
