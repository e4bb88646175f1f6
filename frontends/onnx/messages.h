// SPDX-License-Identifier: Apache-2.0
// The classes that protoc makes from onnx-ml.proto, and the limits of the messages that are read. Only files
// below this folder include this header.
#pragma once
#include <cutset_onnx.pb.h>

#include <span>

namespace cutset::onnx {

// The limit of Protocol Buffers for one message, in bytes.
inline constexpr uint64_t kLargestMessage = 0x7fffffff;

// Reads a message. Returns false if the bytes are not a message of this kind, are more than 2 GiB - 1, or
// nest more than 100 messages.
template <class Message>
bool parse(Message& message, std::span<const unsigned char> bytes) {
  if (bytes.size() > kLargestMessage) return false;
  return message.ParseFromArray(bytes.data(),
                                static_cast<int>(bytes.size()));  // the depth of 100 is protobuf's default
}

}  // namespace cutset::onnx
