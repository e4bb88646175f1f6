// SPDX-License-Identifier: Apache-2.0
// A library with its own copy of Protocol Buffers, like TensorFlow. It defines one of the functions.
namespace google::protobuf::internal {
void VerifyVersion(int /*version*/, int /*oldest*/, const char* /*file*/) {}
}  // namespace google::protobuf::internal
