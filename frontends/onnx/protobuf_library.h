// SPDX-License-Identifier: Apache-2.0
// Checks which library of Protocol Buffers the process uses.
#pragma once

namespace cutset::onnx {

// Throws kUnavailable if the dynamic linker takes the functions of Protocol Buffers from another library of
// the process, such as TensorFlow. Another version of the functions would end the process or change messages.
void check_protobuf_library();

}  // namespace cutset::onnx
