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

// The element type of a number of ONNX's enumeration TensorProto.DataType. Throws an Error (kUnsupported) that names
// the type if no element type corresponds to it, such as those of text and of numbers with fewer than 8 bits. `what` names the value that
// has the type in the error.
DType dtype_of_onnx(int64_t type, const std::string& what = "");
// The number of an element type in this enumeration.
int32_t onnx_type(DType type);

// Returns the elements of `proto`. `what` names the tensor in errors. Throws kInvalidData if a size is negative, if
// the tensor is too large, if the message or the other file does not hold exactly the bytes that the type needs, if an element does not fit
// the type, or if there are elements in two places, and kUnsupported if the elements are in another file and `files` is null. Memory is allocated only after the sizes have been compared with
// the bytes of the message or the file.
HostTensor host_tensor(const ::onnx::TensorProto& proto, const std::string& what, const ExternalData* files = nullptr);

// Returns the tensor in the bytes of a file that holds one TensorProto. Throws kInvalidData if the bytes are none.
HostTensor parse_tensor(std::span<const unsigned char> bytes, const std::string& what);

}  // namespace cutset::onnx
