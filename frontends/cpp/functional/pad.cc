// SPDX-License-Identifier: Apache-2.0
#include <cutset/constants.h>
#include <cutset/ops.h>
#include <cutset/pad.h>
#include <cutset/shapes.h>

#include <algorithm>
#include <optional>

#include "frontends/cpp/functional/compose.h"

namespace cutset {
namespace {

using Where = std::source_location;

constexpr int64_t kMostPaddedRows = int64_t{1}
                                    << 44;  // sums of such sizes do not overflow, and no tensor has more rows

// Returns the shape of `rows` rows of x along `axis`.
Shape shape_of_rows(const Tensor& x, int64_t axis, int64_t rows) {
  Shape shape = x.shape();
  shape[static_cast<size_t>(axis)] = rows;
  return shape;
}

// Adds rows of `value` along one axis, and removes rows where a number is negative.
Tensor pad_axis(const Tensor& x, int64_t axis, int64_t before, int64_t after, const Tensor& value,
                Where source) {
  const int64_t size = x.shape()[static_cast<size_t>(axis)];
  const int64_t start = std::max<int64_t>(-before, 0), length = size - start - std::max<int64_t>(-after, 0);
  if (length < 0) refuse(x, "pad", "at least as many rows as are removed", source);
  std::vector<Tensor> parts;
  const auto add_rows = [&](int64_t rows) {
    if (rows > 0) parts.push_back(broadcast_to(value, shape_of_rows(x, axis, rows), source));
  };
  add_rows(before);
  parts.push_back(ops::slice(x, {.axis = axis, .start = start, .length = length}, source));
  add_rows(after);
  return parts.size() == 1 ? parts[0] : concat(parts, {.axis = axis}, source);
}

// Returns the scalar `number` with the type of x or, if there is no number, `tensor`. A 0 of i1 is the result
// of an op, because no constant has the type i1.
Tensor value_of(const Tensor& x, const std::optional<Number>& number, const Tensor& tensor, Where source) {
  if (!number) {
    require_tensor(tensor, "pad", source);
    return tensor;
  }
  Number written = *number;
  written.source = source;
  if (x.dtype() != i1 || number->value != 0) return constant(x, written);
  Graph graph(x.graph());
  const Tensor zero = constant(graph, written, i32);
  return less(zero, zero, source);
}

// Adds rows along each axis that `pads` names, from the last axis on. `value` is `number` or, if there is
// none, `tensor`.
Tensor padded(const Tensor& x, const std::vector<int64_t>& pads, PadMode mode,
              const std::optional<Number>& number, const Tensor& tensor, Where source) {
  if (pads.size() % 2 || pads.size() > 2 * x.shape().size())
    refuse(x, "pad", "two numbers per axis, for at most " + std::to_string(x.type().rank()) + " axes",
           source);
  const bool zeros = mode == PadMode::kConstant && number && number->value == 0;
  Tensor y = x;
  for (size_t i = 0; i < pads.size(); i += 2) {
    const int64_t before = pads[i], after = pads[i + 1],
                  axis = x.type().rank() - 1 - static_cast<int64_t>(i / 2);
    if (std::max(before, after) > kMostPaddedRows || std::min(before, after) < -kMostPaddedRows)
      refuse(x, "pad", "at most 2^44 rows on each side", source);
    if (before == 0 && after == 0) continue;
    if (mode != PadMode::kConstant && (before < 0 || after < 0))
      refuse(x, "pad", "numbers of rows that are not negative in the modes kEdge and kReflect", source);
    if (mode != PadMode::kConstant || (zeros && before >= 0 && after >= 0)) {
      y = ops::pad(y, axis, before, after, mode, source);
      continue;
    }
    const bool adds = before > 0 || after > 0;
    y = pad_axis(y, axis, before, after, adds ? value_of(x, number, tensor, source) : Tensor(), source);
  }
  return y;
}

}  // namespace

Tensor pad(const Tensor& x, const std::vector<int64_t>& pads, PadMode mode, const TensorOrNumber& value,
           Where source) {
  const std::optional<Number> number = value.number();
  const Tensor tensor = value.tensor();
  const auto again = [x = kept(x), pads, mode, number, tensor = kept(tensor),
                      source](const Counterpart& now) {
    return padded(now(x), pads, mode, number, now(tensor), source);
  };
  return compose(x, "pad", source, again, [&] { return padded(x, pads, mode, number, tensor, source); });
}

}  // namespace cutset
