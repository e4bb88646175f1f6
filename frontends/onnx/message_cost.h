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
  kElementType,  // of a sequence, an optional value or a map
  kShape,
  kFunction,
  kTraining,
  kAnnotation,
  kLeaf,  // a message without messages
  kKinds,
};

// Returns the bytes of memory that the classes of protoc take for the messages, the texts and the numbers of a message, beside the bytes of
// its texts and of its raw data. An empty message takes 2 bytes of a file and more than 200 bytes of memory. The reading stops where the
// parser would stop because the bytes are malformed, and when the sum exceeds `most`.
uint64_t message_cost(std::span<const unsigned char> bytes, MessageKind kind, uint64_t most);

}  // namespace cutset::onnx
