// SPDX-License-Identifier: Apache-2.0
#include <cutset/constants.h>
#include <cutset/indexing.h>
#include <cutset/layers.h>
#include <cutset/reductions.h>
#include <cutset/shapes.h>

#include <cmath>

#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/functional/compose.h"
#include "ir/core/half.h"
#include "ir/core/rows.h"

namespace cutset {
static std::array<Tensor, 2> sorted(const char* function, const Tensor& x, int64_t axis, bool descending,
                                    std::source_location source) {
  require_tensor(x, function, source);
  const int64_t at = axis_from_front(axis, x.shape().size());
  if (at < 0)
    raise(invalid_argument("axis " + std::to_string(axis) + " is not a dimension of " + to_string(x.type()) +
                           ", which " + function + " sorts"),
          source);
  return top_k(x, {.k = x.shape()[static_cast<size_t>(at)], .axis = axis, .largest = descending}, source);
}
Tensor sort(const Tensor& x, WholeNumber axis, bool descending, std::source_location source) {
  const auto again = [x = kept(x), axis, descending, source](const Counterpart& now) {
    return sort(now(x), axis, descending, source);
  };
  return compose(x, "sort", source, again, [&] { return sorted("sort", x, axis, descending, source)[0]; });
}
Tensor argsort(const Tensor& x, WholeNumber axis, bool descending, std::source_location source) {
  const auto again = [x = kept(x), axis, descending, source](const Counterpart& now) {
    return argsort(now(x), axis, descending, source);
  };
  return compose(x, "argsort", source, again,
                 [&] { return sorted("argsort", x, axis, descending, source)[1]; });
}

// Computes embedding_bag of ids, where ids that are equal to `padding` do not count. A mean is computed in
// f32, because the sum of many 16-bit numbers need not be a number of their type.
static Tensor padded_bag(const Tensor& table, const Tensor& ids, BagMode mode, int64_t padding,
                         std::source_location source) {
  const auto number = [&](const Tensor& beside, double value) {
    return constant(beside, Number(value, source));
  };
  const Tensor counted = not_equal(ids, constant(ids, Number(padding, source)), source);
  const Tensor indices = cutset::where(counted, ids, number(ids, 0), source);
  table.graph()->labels.add_padding(indices.value(), ids.value(), padding);
  const bool widens = is_half(table.dtype()) && mode == BagMode::kMean;
  Tensor rows = gather(table, indices, {}, source);
  if (widens) rows = cast(rows, {.dtype = f32}, source);
  const Tensor of_row = unsqueeze(counted, {-1}, source),
               ones = cast(of_row, {.dtype = rows.dtype()}, source);
  if (mode == BagMode::kMax) {
    const Tensor largest =
        ops::reduce_max(cutset::where(of_row, rows, number(rows, -HUGE_VAL), source), {.axes = {-2}}, source);
    const Tensor any = greater(ops::reduce_max(ones, {.axes = {-2}}, source), number(rows, 0), source);
    return cutset::where(any, largest, number(rows, 0), source);
  }
  const Tensor total = sum(cutset::where(of_row, rows, number(rows, 0), source), {-2}, false, source);
  if (mode == BagMode::kSum) return total;
  const Tensor mean = div(total, maximum(sum(ones, {-2}, false, source), number(rows, 1), source), source);
  return widens ? cast(mean, {.dtype = table.dtype()}, source) : mean;
}

Tensor embedding_bag(const Tensor& table, const Tensor& ids, BagMode mode, std::optional<int64_t> padding_idx,
                     std::source_location source) {
  require_tensor(table, "embedding_bag", source);
  require_tensor(ids, "embedding_bag", source);
  if (table.type().rank() != 2 || ids.type().rank() < 1)
    raise(invalid_argument("embedding_bag of the table " + to_string(table.type()) + " and the ids " +
                           to_string(ids.type()) + " needs a table [rows, width] and ids [n..., m]"),
          source);
  if (padding_idx && !is_float(table.dtype()))
    raise(invalid_argument("embedding_bag of the table " + to_string(table.type()) + " has a padding_idx",
                           "use a table of a floating-point type"),
          source);
  Undo undo(table.graph());
  // A number that is no i32 is equal to no i32.
  if (padding_idx &&
      (ids.dtype() == i64 || (ids.dtype() == i32 && *padding_idx == static_cast<int32_t>(*padding_idx)))) {
    Tensor y = padded_bag(table, ids, mode, *padding_idx, source);
    undo.keep();
    return y;
  }
  const Tensor rows = gather(table, ids, {}, source);
  const std::vector<int64_t> of_bag = {-2};
  Tensor y = mode == BagMode::kSum    ? sum(rows, of_bag, false, source)
             : mode == BagMode::kMean ? mean(rows, of_bag, false, source)
                                      : ops::reduce_max(rows, {.axes = of_bag}, source);
  undo.keep();
  return y;
}

Tensor argmax(const Tensor& x, WholeNumber axis, bool keepdims, bool select_last_index,
              std::source_location source) {
  if (!keepdims) return ops::argmax(x, axis, select_last_index, source);
  return compose(x, "argmax", source,
                 [&] { return unsqueeze(ops::argmax(x, axis, select_last_index, source), axis, source); });
}

Tensor argmin(const Tensor& x, WholeNumber axis, bool keepdims, bool select_last_index,
              std::source_location source) {
  if (!keepdims) return ops::argmin(x, axis, select_last_index, source);
  return compose(x, "argmin", source,
                 [&] { return unsqueeze(ops::argmin(x, axis, select_last_index, source), axis, source); });
}

}  // namespace cutset
