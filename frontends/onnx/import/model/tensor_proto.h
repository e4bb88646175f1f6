// SPDX-License-Identifier: Apache-2.0
// Tensors of ONNX files as HostTensors.
#pragma once
#include <cutset/host_tensor.h>

#include <span>
#include <string>

namespace cutset::onnx_proto {
class TensorProto;
}  // namespace cutset::onnx_proto

namespace cutset::onnx {

class ExternalData;

// Returns the elements of `proto`. `what` names the tensor in errors. Throws kInvalidData if a size is
// negative, if the tensor is too large, if the message or the other file does not hold exactly the bytes that
// the type needs, if an element does not fit the type, or if there are elements in two places, and
// kUnsupported if the elements are in another file and `files` is null. Memory is allocated only after the
// sizes have been compared with the bytes of the message or the file.
HostTensor host_tensor(const onnx_proto::TensorProto& proto, const std::string& what,
                       const ExternalData* files = nullptr);

// Whether the elements are in another file.
bool is_external(const onnx_proto::TensorProto& proto);
// Whether the elements have four bits: INT4 or UINT4, of which a byte holds two.
bool has_four_bits(const onnx_proto::TensorProto& proto);
// Returns the elements of such a tensor as i8 or u8. Throws as host_tensor() does.
HostTensor tensor_of_four_bits(const onnx_proto::TensorProto& proto, const std::string& what,
                               const ExternalData* files);

// Returns the tensor in the bytes of a file that holds one TensorProto. Throws kInvalidData if the bytes are
// none.
HostTensor parse_tensor(std::span<const unsigned char> bytes, const std::string& what);

}  // namespace cutset::onnx
