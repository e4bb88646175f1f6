// SPDX-License-Identifier: Apache-2.0
// A library with Protocol Buffers of its own, as TensorFlow is one: it defines one of the functions.
namespace google::protobuf::internal {
void VerifyVersion(int /*version*/, int /*oldest*/, const char* /*file*/) {}
}  // namespace google::protobuf::internal
