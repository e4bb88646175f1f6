// Tensors of ONNX files as HostTensors.
#pragma once
#include <cutset/host_tensor.h>

#include <span>
#include <string>

namespace onnx {
class TensorProto;
}  // namespace onnx

namespace cutset::onnx {

class ExternalData;

// Returns the elements of `proto`. `what` names the tensor in errors. Throws kInvalidData if a size is negative, if
// the tensor is too large, if the message or the other file does not hold exactly the bytes that the type needs, if an element does not fit
// the type, or if there are elements in two places, and kUnsupported if the elements are in another file and `files` is null. Memory is allocated only after the sizes have been compared with
// the bytes of the message or the file.
HostTensor host_tensor(const ::onnx::TensorProto& proto, const std::string& what, const ExternalData* files = nullptr);

// Returns the tensor in the bytes of a file that holds one TensorProto. Throws kInvalidData if the bytes are none.
HostTensor parse_tensor(std::span<const unsigned char> bytes, const std::string& what);

}  // namespace cutset::onnx
