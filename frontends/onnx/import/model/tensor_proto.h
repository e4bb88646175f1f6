// SPDX-License-Identifier: Apache-2.0
// Reads tensors of ONNX files as HostTensors.
#pragma once
#include <cutset/host_tensor.h>

#include <span>
#include <string>

namespace cutset::onnx_proto {
class TensorProto;
}  // namespace cutset::onnx_proto

namespace cutset::onnx {

class ExternalData;

// Returns the elements of `proto`. `what` names the tensor in errors. Memory is allocated only after the
// sizes have been compared with the bytes of the message or the file. Throws kUnsupported if the elements are
// in another file and `files` is null. Throws kInvalidData in these cases:
// - A size is negative, or the tensor is too large.
// - The message or the other file does not hold exactly the bytes that the type needs.
// - An element does not fit the type.
// - Several fields have elements.
HostTensor host_tensor(const onnx_proto::TensorProto& proto, const std::string& what,
                       const ExternalData* files = nullptr);

// Whether the elements are in another file.
bool is_external(const onnx_proto::TensorProto& proto);
// Whether the elements have four bits: INT4 or UINT4. A byte holds two of them.
bool has_four_bits(const onnx_proto::TensorProto& proto);
// Returns the elements of a tensor with elements of four bits as i8 or u8. Throws as host_tensor() does.
HostTensor tensor_of_four_bits(const onnx_proto::TensorProto& proto, const std::string& what,
                               const ExternalData* files);

// Returns the tensor in the bytes of a file that holds one TensorProto. Throws kInvalidData if the bytes are
// not a TensorProto.
HostTensor parse_tensor(std::span<const unsigned char> bytes, const std::string& what);

}  // namespace cutset::onnx
