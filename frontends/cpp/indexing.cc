#include <cutset/constants.h>
#include <cutset/indexing.h>
#include <cutset/layers.h>
#include <cutset/reductions.h>
#include <cutset/shapes.h>

#include <cmath>

#include "frontends/cpp/compose.h"
#include "ir/core/half.h"
#include "ir/core/rows.h"

namespace cutset {
namespace {

[[noreturn]] void refuse(const std::string& what, std::source_location where, const std::string& hint) {
  throw Error(ErrorCode::kInvalidArgument, what, Error::line_of(where), hint);
}

void require_indices(const char* function, const Tensor& indices, std::source_location where) {
  require_tensor(indices, function, where);
  if (indices.dtype() != i32 && indices.dtype() != i64)
    refuse(std::string(function) + " has indices of type " + name_of(indices.dtype()), where,
           "cast them to i32 or i64");
}

// A constant tensor [values] of type i64.
Tensor list(const Tensor& beside, const std::vector<int64_t>& values, std::source_location where) {
  HostTensor held({i64, {static_cast<int64_t>(values.size())}});
  std::copy(values.begin(), values.end(), held.as<int64_t>().begin());
  const BuiltValue v =
      check(beside.graph()->builder->constant(held.type(), held.bytes(), beside.graph()->source(where)), where);
  return Tensor(beside.graph(), v.id, v.type);
}

// The sizes of the dimensions of data that lists of q indices name, and of the slices.
struct Slices {
  Shape named, slice;
  int64_t elements = 1;  // of a slice

  Slices(const char* function, const Tensor& data, int64_t q, std::source_location where) {
    const int64_t rank = data.type().rank();
    if (q < 1 || q > rank)
      refuse(
          std::string(function) + " of " + to_string(data.type()) + " has lists of " + std::to_string(q) + " indices",
          where, "the last dimension of the indices must be from 1 to the rank of data");
    named.assign(data.shape().begin(), data.shape().begin() + q);
    slice.assign(data.shape().begin() + q, data.shape().end());
    for (const int64_t d : slice) elements *= d;
    if (elements == 0)
      refuse(std::string(function) + " of " + to_string(data.type()) + " has slices without elements", where,
             "use data whose dimensions behind the first are not empty");
  }
};

// The rows of `data` that lists of indices, [n..., q], name if the dimensions `named` of data are one
// dimension: i64 [n...]. A list with an index that is out of range gives the lowest i64, which no table has
// as a row. The size of the first dimension is not part of the program: a negative first index counts from
// the end in gather, too. The bound of the first index keeps the product from overflowing, and no tensor has
// that number of rows.
Tensor flat_rows(const Tensor& indices, const Shape& named, std::source_location where) {
  std::vector<int64_t> strides(named.size(), 1), added(named), lowest(named), largest(named);
  for (size_t d = named.size() - 1; d > 0; --d) strides[d - 1] = strides[d] * named[d];
  for (size_t d = 0; d < named.size(); ++d) lowest[d] = -named[d], largest[d] = named[d] - 1;
  added[0] = 0;
  largest[0] = (int64_t{1} << 61) / std::max<int64_t>(strides[0], 1), lowest[0] = -largest[0];
  const auto of = [&](const std::vector<int64_t>& values) { return list(indices, values, where); };
  const Tensor wide = cast(indices, {.dtype = i64}, where);
  const Tensor in_range =
      bitwise_and(greater_equal(wide, of(lowest), where), less_equal(wide, of(largest), where), where);
  const Tensor from_front =
      cutset::where(less(wide, constant(wide, Number(0, where)), where), add(wide, of(added), where), wide, where);
  const Tensor rows = ops::reduce_sum(mul(from_front, of(strides), where), {.axes = {-1}}, where);
  const Tensor none = reshape(of({INT64_MIN}), {.shape = {}}, where);
  return cutset::where(ops::reduce_min(in_range, {.axes = {-1}}, where), rows, none, where);
}

// The index of each list of indices along dimension `axis`, as one more index: i64 [..., 1].
Tensor places(const Tensor& indices, int64_t axis, std::source_location where) {
  const Tensor first = ops::slice(indices, {.axis = indices.type().rank() - 1, .length = 1}, where);
  const Tensor ones = ops::full_like(cast(first, {.dtype = i64}, where), {.value = 1}, where);
  return cumsum(ones, {.axis = axis, .exclusive = true}, where);
}

Shape with_front(int64_t size, const Shape& rest) {
  Shape all = {size};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

}  // namespace

Tensor gather_nd(const Tensor& data, const Tensor& indices, int64_t batch_dims, std::source_location where) {
  const auto again = [data = kept(data), indices = kept(indices), batch_dims, where](const Counterpart& now) {
    return gather_nd(now(data), now(indices), batch_dims, where);
  };
  return compose(data, "gather_nd", where, again, [&] {
    require_indices("gather_nd", indices, where);
    const int64_t rank = indices.type().rank();
    if (batch_dims < 0 || batch_dims >= rank || batch_dims > data.type().rank() ||
        !std::equal(indices.shape().begin(), indices.shape().begin() + batch_dims, data.shape().begin()))
      refuse("gather_nd of " + to_string(data.type()) + " and " + to_string(indices.type()) + " has " +
                 std::to_string(batch_dims) + " batch dimensions",
             where,
             "the first batch_dims dimensions of both must be the same, and the indices have one dimension more");
    const Slices slices("gather_nd", data, indices.shape().back() + batch_dims, where);
    Tensor lists = indices;
    if (batch_dims > 0) {
      std::vector<Tensor> parts;
      for (int64_t d = 0; d < batch_dims; ++d) parts.push_back(places(indices, d, where));
      parts.push_back(cast(indices, {.dtype = i64}, where));
      lists = concat(parts, {.axis = rank - 1}, where);
    }
    return gather(reshape(data, {.shape = with_front(-1, slices.slice)}, where), flat_rows(lists, slices.named, where),
                  {}, where);
  });
}

Tensor scatter_nd(const Tensor& data, const Tensor& indices, const Tensor& updates, ScatterElementsReduction reduction,
                  std::source_location where) {
  const auto again = [data = kept(data), indices = kept(indices), updates = kept(updates), reduction,
                      where](const Counterpart& now) {
    return scatter_nd(now(data), now(indices), now(updates), reduction, where);
  };
  return compose(data, "scatter_nd", where, again, [&] {
    require_indices("scatter_nd", indices, where);
    require_tensor(updates, "scatter_nd", where);
    const Slices slices("scatter_nd", data, indices.shape().empty() ? 0 : indices.shape().back(), where);
    Shape expected(indices.shape().begin(), indices.shape().end() - 1);
    expected.insert(expected.end(), slices.slice.begin(), slices.slice.end());
    if (updates.shape() != expected)
      refuse("scatter_nd has updates of " + to_string(updates.type()) + ", not of the shape " + to_string(expected),
             where,
             "the updates have the shape of the indices without their last dimension, and that of a slice of data");
    const Tensor rows = reshape(data, {.shape = {-1, slices.elements}}, where);
    const Tensor values = reshape(updates, {.shape = {-1, slices.elements}}, where);
    const Tensor flat = reshape(flat_rows(indices, slices.named, where), {.shape = {-1}}, where);
    const Tensor at = ops::expand(flat, values, {.axes = {1}}, where);
    return ops::reshape_like(scatter_elements(rows, at, values, {.reduction = reduction}, where), data, where);
  });
}

static std::array<Tensor, 2> sorted(const char* function, const Tensor& x, int64_t axis, bool descending,
                                    std::source_location where) {
  require_tensor(x, function, where);
  const int64_t at = axis_from_front(axis, x.shape().size());
  if (at < 0)
    refuse("axis " + std::to_string(axis) + " is not a dimension of " + to_string(x.type()) + ", which " + function +
               " sorts",
           where, "");
  return top_k(x, {.k = x.shape()[static_cast<size_t>(at)], .axis = axis, .largest = descending}, where);
}
Tensor sort(const Tensor& x, WholeNumber axis, bool descending, std::source_location where) {
  const auto again = [x = kept(x), axis, descending, where](const Counterpart& now) {
    return sort(now(x), axis, descending, where);
  };
  return compose(x, "sort", where, again, [&] { return sorted("sort", x, axis, descending, where)[0]; });
}
Tensor argsort(const Tensor& x, WholeNumber axis, bool descending, std::source_location where) {
  const auto again = [x = kept(x), axis, descending, where](const Counterpart& now) {
    return argsort(now(x), axis, descending, where);
  };
  return compose(x, "argsort", where, again, [&] { return sorted("argsort", x, axis, descending, where)[1]; });
}

// embedding_bag of ids of which those that are equal to `padding` do not count. A mean is computed in f32,
// because the sum of many 16-bit numbers need not be a number of their type.
static Tensor padded_bag(const Tensor& table, const Tensor& ids, BagMode mode, int64_t padding,
                         std::source_location where) {
  const auto number = [&](const Tensor& beside, double value) { return constant(beside, Number(value, where)); };
  const Tensor counted = not_equal(ids, constant(ids, Number(padding, where)), where);
  const Tensor known = cutset::where(counted, ids, number(ids, 0), where);
  table.graph()->labels.add_padding(known.value(), ids.value(), padding);
  const bool widens = is_half(table.dtype()) && mode == BagMode::kMean;
  Tensor rows = gather(table, known, {}, where);
  if (widens) rows = cast(rows, {.dtype = f32}, where);
  const Tensor of_row = unsqueeze(counted, {-1}, where), ones = cast(of_row, {.dtype = rows.dtype()}, where);
  if (mode == BagMode::kMax) {
    const Tensor largest =
        ops::reduce_max(cutset::where(of_row, rows, number(rows, -HUGE_VAL), where), {.axes = {-2}}, where);
    const Tensor any = greater(ops::reduce_max(ones, {.axes = {-2}}, where), number(rows, 0), where);
    return cutset::where(any, largest, number(rows, 0), where);
  }
  const Tensor total = sum(cutset::where(of_row, rows, number(rows, 0), where), {-2}, false, where);
  if (mode == BagMode::kSum) return total;
  const Tensor mean = div(total, maximum(sum(ones, {-2}, false, where), number(rows, 1), where), where);
  return widens ? cast(mean, {.dtype = table.dtype()}, where) : mean;
}

Tensor embedding_bag(const Tensor& table, const Tensor& ids, BagMode mode, std::optional<int64_t> padding_idx,
                     std::source_location where) {
  require_tensor(table, "embedding_bag", where);
  require_tensor(ids, "embedding_bag", where);
  if (table.type().rank() != 2 || ids.type().rank() < 1)
    refuse("embedding_bag of the table " + to_string(table.type()) + " and the ids " + to_string(ids.type()) +
               " needs a table [rows, width] and ids [n..., m]",
           where, "");
  if (padding_idx && !is_float(table.dtype()))
    refuse("embedding_bag of the table " + to_string(table.type()) + " has a padding_idx", where,
           "use a table of a floating-point type");
  Undo undo(table.graph());
  // A number that is no i32 is equal to no i32.
  if (padding_idx &&
      (ids.dtype() == i64 || (ids.dtype() == i32 && *padding_idx == static_cast<int32_t>(*padding_idx)))) {
    Tensor y = padded_bag(table, ids, mode, *padding_idx, where);
    undo.keep();
    return y;
  }
  const Tensor rows = gather(table, ids, {}, where);
  const std::vector<int64_t> of_bag = {-2};
  Tensor y = mode == BagMode::kSum    ? sum(rows, of_bag, false, where)
             : mode == BagMode::kMean ? mean(rows, of_bag, false, where)
                                      : ops::reduce_max(rows, {.axes = of_bag}, where);
  undo.keep();
  return y;
}

Tensor argmax(const Tensor& x, WholeNumber axis, bool keepdims, bool select_last_index, std::source_location where) {
  if (!keepdims) return ops::argmax(x, axis, select_last_index, where);
  return compose(x, "argmax", where,
                 [&] { return unsqueeze(ops::argmax(x, axis, select_last_index, where), axis, where); });
}

Tensor argmin(const Tensor& x, WholeNumber axis, bool keepdims, bool select_last_index, std::source_location where) {
  if (!keepdims) return ops::argmin(x, axis, select_last_index, where);
  return compose(x, "argmin", where,
                 [&] { return unsqueeze(ops::argmin(x, axis, select_last_index, where), axis, where); });
}

}  // namespace cutset
