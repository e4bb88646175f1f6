// SPDX-License-Identifier: Apache-2.0
// Conversions of element types.
#include <limits>

#include "frontends/onnx/export/exporters.h"

namespace cutset::onnx {
namespace {

// Returns the smallest and the largest element of an integer type.
template <class T>
std::pair<HostTensor, HostTensor> bounds_as() {
  return {HostTensor::scalar(std::numeric_limits<T>::min()),
          HostTensor::scalar(std::numeric_limits<T>::max())};
}
std::pair<HostTensor, HostTensor> bounds(DType type) {
  switch (type) {
    case DType::i8:
      return bounds_as<int8_t>();
    case DType::u8:
      return bounds_as<uint8_t>();
    case DType::i16:
      return bounds_as<int16_t>();
    case DType::u16:
      return bounds_as<uint16_t>();
    case DType::i32:
      return bounds_as<int32_t>();
    case DType::u32:
      return bounds_as<uint32_t>();
    case DType::u64:
      return bounds_as<uint64_t>();
    default:
      return bounds_as<int64_t>();
  }
}

// Converts floating-point numbers to integers. ONNX does not define the conversion of numbers that are out of
// the range of the integer type. Cutset's cast gives the nearest bound, and 0 for NaN. The bounds are
// compared in f64, which represents powers of 2 exactly: a number converts if it is above the smallest
// integer and below the largest integer plus 1.
std::string to_integer(ExportedOp& op, DType to) {
  const auto [low, high] = bounds(to);
  const std::string x = op.in_as(0, DType::f64);
  const std::string below = op.node("LessOrEqual", {x, op.scalar(DType::f64, low.at(0))});
  const double end = static_cast<double>(high.at(0));  // for 64 bits, this is the largest integer plus 1
  const std::string above =
      op.node(size_of(to) == 8 ? "GreaterOrEqual" : "Greater", {x, op.scalar(DType::f64, end)});
  const std::string nan = op.node("IsNaN", {x});
  const std::string outside = op.node("Or", {op.node("Or", {below, above}), nan});
  const std::string inside = op.node("Where", {outside, op.scalar(DType::f64, 0), x});
  std::string value = op.cast(inside, to);
  value = op.node("Where", {below, op.constant(low), value});
  return op.node("Where", {above, op.constant(high), value});
}

Exported cast(ExportedOp& op) {
  const DType from = op.type(0).dtype, to = op.dtype("dtype");
  if (from == to) return one(op.in(0));
  if (is_float(from) && !is_float(to) && to != DType::i1) return one(to_integer(op, to));
  return one(op.cast(op.in(0), to));
}

}  // namespace

static void export_casts(Exporters& table) { table["cast"] = cast; }

static const ExporterFamily kCastsExporters(export_casts);

}  // namespace cutset::onnx
