// SPDX-License-Identifier: Apache-2.0
// Converts between element types and ONNX's numbers of element types.
#pragma once
#include <cutset/tensor.h>

#include <cstdint>
#include <string>

namespace cutset::onnx {

// Returns the element type for a number of ONNX's enumeration TensorProto.DataType. Throws an Error
// (kUnsupported) that names the type if Cutset has no such element type, such as text or numbers with fewer
// than 8 bits. In the error, `what` names the value with the type.
DType dtype_of_onnx(int64_t type, const std::string& what = "");
// Returns the element type for a name in this enumeration, such as "FLOAT". Throws in the same way.
DType dtype_of_onnx_name(const std::string& name);
// Returns the number of an element type in this enumeration.
int32_t onnx_type(DType type);

}  // namespace cutset::onnx
