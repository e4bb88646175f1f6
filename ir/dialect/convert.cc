// SPDX-License-Identifier: Apache-2.0
// Converts between types and attributes of MLIR and of ir/core.
#include "ir/core/check_types.h"
#include "ir/dialect/dialect.h"

using namespace mlir;

namespace cutset::ir {
namespace {

std::optional<DType> element_dtype(Type t) {
  if (t.isF32()) return DType::f32;
  if (t.isF64()) return DType::f64;
  if (t.isBF16()) return DType::bf16;
  if (t.isF16()) return DType::f16;
  if (t.isSignlessInteger(1)) return DType::i1;
  if (t.isSignlessInteger(8)) return DType::i8;
  if (t.isUnsignedInteger(8)) return DType::u8;
  if (t.isSignlessInteger(16)) return DType::i16;
  if (t.isUnsignedInteger(16)) return DType::u16;
  if (t.isSignlessInteger(32)) return DType::i32;
  if (t.isUnsignedInteger(32)) return DType::u32;
  if (t.isSignlessInteger(64)) return DType::i64;
  if (t.isUnsignedInteger(64)) return DType::u64;
  return std::nullopt;
}

// MLIR's name of kOperandSegments, which has 32-bit integers there.
constexpr StringLiteral kSegmentsInMlir = "operandSegmentSizes";

std::string text(Type t) {
  std::string s;
  llvm::raw_string_ostream(s) << t;
  return s;
}

}  // namespace

Result<TensorType> tensor_type(Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked) return invalid_argument("type " + text(type) + " is not a ranked tensor");
  if (!ranked.hasStaticShape()) return invalid_argument("type " + text(type) + " has a dynamic size");
  auto dtype = element_dtype(ranked.getElementType());
  if (!dtype)
    return invalid_argument(
        "the element type of " + text(type) + " is not supported",
        "elements are f32, f64, bf16, f16, i1, i8, i16, i32, i64, ui8, ui16, ui32 or ui64");
  TensorType result{*dtype, Shape(ranked.getShape().begin(), ranked.getShape().end())};
  CUTSET_TRY(check_type(result));
  return result;
}

Types tensor_types(ValueRange values) {
  Types types;
  for (Value v : values) types.push_back(*tensor_type(v.getType()));
  return types;
}

Type element_type(MLIRContext* context, DType type) {
  Builder b(context);
  switch (type) {
    case DType::f32:
      return b.getF32Type();
    case DType::bf16:
      return b.getBF16Type();
    case DType::f16:
      return b.getF16Type();
    case DType::f64:
      return b.getF64Type();
    case DType::i8:
      return b.getIntegerType(8);
    case DType::u8:
      return b.getIntegerType(8, false);
    case DType::i32:
      return b.getI32Type();
    case DType::i64:
      return b.getI64Type();
    case DType::i1:
      return b.getI1Type();
    case DType::i16:
      return b.getIntegerType(16);
    case DType::u16:
      return b.getIntegerType(16, false);
    case DType::u32:
      return b.getIntegerType(32, false);
    case DType::u64:
      return b.getIntegerType(64, false);
  }
  llvm_unreachable("every element type has a case");
}

RankedTensorType mlir_type(MLIRContext* context, const TensorType& type) {
  return RankedTensorType::get(type.shape, element_type(context, type.dtype));
}

Status add_attribute(Attributes& list, StringRef name, Attribute value) {
  if (!value) return {};
  if (auto b = dyn_cast<BoolAttr>(value))
    list.emplace_back(name, b.getValue());
  else if (auto i = dyn_cast<IntegerAttr>(value); i && i.getValue().getSignificantBits() <= 64)
    list.emplace_back(name, i.getValue().getSExtValue());
  else if (auto f = dyn_cast<FloatAttr>(value))
    list.emplace_back(name, f.getValueAsDouble());
  else if (auto array = dyn_cast<DenseI64ArrayAttr>(value))
    list.emplace_back(name, std::vector<int64_t>(array.asArrayRef().begin(), array.asArrayRef().end()));
  else if (auto numbers = dyn_cast<DenseF64ArrayAttr>(value))
    list.emplace_back(name, FloatList(numbers.asArrayRef().begin(), numbers.asArrayRef().end()));
  else if (auto text = dyn_cast<StringAttr>(value))
    list.emplace_back(name, text.getValue().str());
  else if (auto sizes = dyn_cast<DenseI32ArrayAttr>(value); sizes && name == kSegmentsInMlir)
    list.emplace_back(kOperandSegments, IntList(sizes.asArrayRef().begin(), sizes.asArrayRef().end()));
  else if (auto t = dyn_cast<TypeAttr>(value); t && element_dtype(t.getValue()))
    list.emplace_back(name, *element_dtype(t.getValue()));
  else
    return invalid_argument("attribute '" + name.str() + "' is of a kind that no op takes");
  return {};
}

Result<Attributes> attributes_of(DictionaryAttr inherent) {
  Attributes list;
  if (!inherent) return list;
  for (NamedAttribute a : inherent)
    if (a.getName() != "placement") CUTSET_TRY(add_attribute(list, a.getName(), a.getValue()));
  return list;
}

DictionaryAttr mlir_attributes(MLIRContext* context, const Attributes& attributes) {
  Builder b(context);
  SmallVector<NamedAttribute> list;
  for (const auto& [name, value] : attributes) {
    struct Convert {
      Builder& b;
      Attribute operator()(int64_t v) const { return b.getI64IntegerAttr(v); }
      Attribute operator()(double v) const { return b.getF64FloatAttr(v); }
      Attribute operator()(bool v) const { return b.getBoolAttr(v); }
      Attribute operator()(const std::vector<int64_t>& v) const { return b.getDenseI64ArrayAttr(v); }
      Attribute operator()(const FloatList& v) const { return b.getDenseF64ArrayAttr(v); }
      Attribute operator()(const std::string& v) const { return b.getStringAttr(v); }
      Attribute operator()(DType v) const { return TypeAttr::get(element_type(b.getContext(), v)); }
    };
    if (const auto* sizes = name == kOperandSegments ? std::get_if<IntList>(&value) : nullptr) {
      const SmallVector<int32_t> narrow(sizes->begin(), sizes->end());
      list.push_back(b.getNamedAttr(kSegmentsInMlir, b.getDenseI32ArrayAttr(narrow)));
      continue;
    }
    list.push_back(b.getNamedAttr(name, std::visit(Convert{b}, value)));
  }
  return b.getDictionaryAttr(list);
}

Attributes attributes_of(Operation* op) { return *cast<CutsetOpInterface>(op).read_attributes(); }

FlatAttrs flat_attributes(Operation* op) {
  return *FlatAttrs::pack(cast<CutsetOpInterface>(op).op_info().schema, attributes_of(op));
}

bool is_op(Operation* op, StringRef name) {
  auto compute = dyn_cast<CutsetOpInterface>(op);
  return compute && compute.op_info().name == name;
}

LogicalResult infer_types(const OpInfo& info, std::optional<Location> loc, ValueRange operands,
                          Result<Attributes> attributes, SmallVectorImpl<Type>& results) {
  auto refuse = [&](const Failure& e) {
    return emitOptionalError(loc, "'cutset.", info.name, "' op ",
                             e.hint.empty() ? e.what : e.what + " (" + e.hint + ")");
  };
  if (!attributes) return refuse(attributes.error());
  if (auto ranges = operand_ranges(info, *attributes, operands.size()); !ranges)
    return refuse(ranges.error());
  auto flat = FlatAttrs::pack(info.schema, *std::move(attributes));
  if (!flat) return refuse(flat.error());
  Types in;
  for (Value v : operands) {
    auto type = tensor_type(v.getType());
    if (!type) return refuse(type.error());
    in.push_back(*std::move(type));
  }
  auto out = info.infer(flat->data(), in);
  if (!out) return refuse(out.error());
  for (const TensorType& t : *out) {
    if (auto ok = check_type(t); !ok) return refuse(ok.error());
    results.push_back(mlir_type(operands.empty() ? loc->getContext() : operands[0].getContext(), t));
  }
  return success();
}

}  // namespace cutset::ir
