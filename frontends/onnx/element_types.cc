// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/element_types.h"

#include <utility>

#include "frontends/onnx/messages.h"
#include "frontends/onnx/names.h"
#include "ir/core/error.h"

namespace cutset::onnx {
namespace {

constexpr std::pair<DType, int32_t> kTypes[] = {
    {DType::f32, onnx_proto::TensorProto::FLOAT},   {DType::f64, onnx_proto::TensorProto::DOUBLE},
    {DType::f16, onnx_proto::TensorProto::FLOAT16}, {DType::bf16, onnx_proto::TensorProto::BFLOAT16},
    {DType::i1, onnx_proto::TensorProto::BOOL},     {DType::i8, onnx_proto::TensorProto::INT8},
    {DType::i16, onnx_proto::TensorProto::INT16},   {DType::i32, onnx_proto::TensorProto::INT32},
    {DType::i64, onnx_proto::TensorProto::INT64},   {DType::u8, onnx_proto::TensorProto::UINT8},
    {DType::u16, onnx_proto::TensorProto::UINT16},  {DType::u32, onnx_proto::TensorProto::UINT32},
    {DType::u64, onnx_proto::TensorProto::UINT64}};

}  // namespace

int32_t onnx_type(DType type) {
  for (const auto& [ours, theirs] : kTypes)
    if (ours == type) return theirs;
  return onnx_proto::TensorProto::UNDEFINED;
}

DType dtype_of_onnx(int64_t type, const std::string& what) {
  for (const auto& [ours, theirs] : kTypes)
    if (theirs == type) return ours;
  const bool named =
      type >= 0 && type <= 0x7fffffff && onnx_proto::TensorProto::DataType_IsValid(static_cast<int>(type));
  throw Error(
      ErrorCode::kUnsupported,
      what + (what.empty() ? "the element type " : " has the element type ") +
          (named
               ? onnx_proto::TensorProto::DataType_Name(static_cast<onnx_proto::TensorProto::DataType>(type))
               : std::to_string(type)) +
          " of ONNX" + (what.empty() ? " is" : ", which is") + " not supported",
      "", "the element types are FLOAT, DOUBLE, FLOAT16, BFLOAT16, BOOL, and the integers of 8 to 64 bits");
}

DType dtype_of_onnx_name(const std::string& name) {
  onnx_proto::TensorProto::DataType type = onnx_proto::TensorProto::UNDEFINED;
  if (!onnx_proto::TensorProto::DataType_Parse(name, &type))
    throw Error(ErrorCode::kInvalidData, "the element type '" + shown(name) + "' is not one of ONNX", "", "");
  return dtype_of_onnx(type);
}

}  // namespace cutset::onnx
