// SPDX-License-Identifier: Apache-2.0
// Element types as numbers of ONNX.
#pragma once
#include <cutset/tensor.h>

#include <cstdint>
#include <string>

namespace cutset::onnx {

// The element type of a number of ONNX's enumeration TensorProto.DataType. Throws an Error (kUnsupported)
// that names the type if no element type corresponds to it, such as those of text and of numbers with fewer
// than 8 bits. `what` names the value that has the type in the error.
DType dtype_of_onnx(int64_t type, const std::string& what = "");
// The same for the name of a type in this enumeration, such as "FLOAT".
DType dtype_of_onnx_name(const std::string& name);
// The number of an element type in this enumeration.
int32_t onnx_type(DType type);

}  // namespace cutset::onnx
