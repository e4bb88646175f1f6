// SPDX-License-Identifier: Apache-2.0
// Which Protocol Buffers the process has.
#pragma once

namespace cutset::onnx {

// Throws kUnavailable if another library of the process, such as TensorFlow, defines the functions of
// Protocol Buffers and the dynamic linker takes them. Its version may differ from the one that this library
// was built with, which would end the process or change messages.
void check_protobuf_library();

}  // namespace cutset::onnx
