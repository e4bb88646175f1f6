// SPDX-License-Identifier: Apache-2.0
#include <cutset/constants.h>
#include <cutset/onnx_ops/indexing.h>

#include <algorithm>
#include <cstdint>

#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/functional/compose.h"

namespace cutset::onnx_ops {
namespace {

void require_indices(const char* function, const Tensor& indices, std::source_location source) {
  require_tensor(indices, function, source);
  if (indices.dtype() != i32 && indices.dtype() != i64)
    raise(invalid_argument(std::string(function) + " has indices of type " + name_of(indices.dtype()),
                           "cast them to i32 or i64"),
          source);
}

// Returns a constant tensor [values] of type i64.
Tensor list(const Tensor& beside, const std::vector<int64_t>& values, std::source_location source) {
  HostTensor elements({i64, {static_cast<int64_t>(values.size())}});
  std::copy(values.begin(), values.end(), elements.as<int64_t>().begin());
  const BuiltValue v = check(
      beside.graph()->builder->constant(elements.type(), elements.bytes(), beside.graph()->source(source)),
      source);
  return Tensor(beside.graph(), v.id, v.type);
}

// The sizes of the dimensions of data that lists of q indices name, and of the slices.
struct Slices {
  Shape named, slice;
  int64_t elements = 1;  // the number of elements of a slice

  Slices(const char* function, const Tensor& data, int64_t q, std::source_location source) {
    const int64_t rank = data.type().rank();
    if (q < 1 || q > rank)
      raise(invalid_argument(std::string(function) + " of " + to_string(data.type()) + " has lists of " +
                                 std::to_string(q) + " indices",
                             "the last dimension of the indices must be from 1 to the rank of data"),
            source);
    named.assign(data.shape().begin(), data.shape().begin() + q);
    slice.assign(data.shape().begin() + q, data.shape().end());
    for (const int64_t d : slice) elements *= d;
    if (elements == 0)
      raise(invalid_argument(
                std::string(function) + " of " + to_string(data.type()) + " has slices without elements",
                "use data whose dimensions after the first are not empty"),
            source);
  }
};

// Returns the rows of `data` that lists of indices, [n..., q], name if the dimensions `named` of data are
// joined: i64 [n...].
// - A list with an index that is out of range gives the lowest i64, which is not a row of any table.
// - The size of the first dimension is not part of the program, because gather also counts a negative first
//   index from the end.
// - The bound of the first index keeps the product from overflowing. No tensor has that number of rows.
Tensor flat_rows(const Tensor& indices, const Shape& named, std::source_location source) {
  std::vector<int64_t> strides(named.size(), 1), added(named), lowest(named), largest(named);
  for (size_t d = named.size() - 1; d > 0; --d) strides[d - 1] = strides[d] * named[d];
  for (size_t d = 0; d < named.size(); ++d) {
    lowest[d] = -named[d];
    largest[d] = named[d] - 1;
  }
  added[0] = 0;
  largest[0] = (int64_t{1} << 61) / std::max<int64_t>(strides[0], 1);
  lowest[0] = -largest[0];
  const auto of = [&](const std::vector<int64_t>& values) { return list(indices, values, source); };
  const Tensor wide = cast(indices, {.dtype = i64}, source);
  const Tensor in_range =
      bitwise_and(greater_equal(wide, of(lowest), source), less_equal(wide, of(largest), source), source);
  const Tensor from_front = cutset::where(less(wide, constant(wide, Number(0, source)), source),
                                          add(wide, of(added), source), wide, source);
  const Tensor rows = ops::reduce_sum(mul(from_front, of(strides), source), {.axes = {-1}}, source);
  const Tensor none = reshape(of({INT64_MIN}), {.shape = {}}, source);
  return cutset::where(ops::reduce_min(in_range, {.axes = {-1}}, source), rows, none, source);
}

// Returns the index of each list of indices along dimension `axis`, as a further index: i64 [..., 1].
Tensor places(const Tensor& indices, int64_t axis, std::source_location source) {
  const Tensor first = ops::slice(indices, {.axis = indices.type().rank() - 1, .length = 1}, source);
  const Tensor ones = ops::full_like(cast(first, {.dtype = i64}, source), {.value = 1}, source);
  return cumsum(ones, {.axis = axis, .exclusive = true}, source);
}

Shape with_front(int64_t size, const Shape& rest) {
  Shape all = {size};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

}  // namespace

Tensor gather_nd(const Tensor& data, const Tensor& indices, int64_t batch_dims, std::source_location source) {
  const auto again = [data = kept(data), indices = kept(indices), batch_dims,
                      source](const Counterpart& now) {
    return gather_nd(now(data), now(indices), batch_dims, source);
  };
  return compose(data, "gather_nd", source, again, [&] {
    require_indices("gather_nd", indices, source);
    const int64_t rank = indices.type().rank();
    if (batch_dims < 0 || batch_dims >= rank || batch_dims > data.type().rank() ||
        !std::equal(indices.shape().begin(), indices.shape().begin() + batch_dims, data.shape().begin()))
      raise(invalid_argument(
                "gather_nd of " + to_string(data.type()) + " and " + to_string(indices.type()) + " has " +
                    std::to_string(batch_dims) + " batch dimensions",
                "the first batch_dims dimensions of both must be the same, and the indices have one "
                "dimension more"),
            source);
    const Slices slices("gather_nd", data, indices.shape().back() + batch_dims, source);
    Tensor lists = indices;
    if (batch_dims > 0) {
      std::vector<Tensor> parts;
      for (int64_t d = 0; d < batch_dims; ++d) parts.push_back(places(indices, d, source));
      parts.push_back(cast(indices, {.dtype = i64}, source));
      lists = concat(parts, {.axis = rank - 1}, source);
    }
    return gather(reshape(data, {.shape = with_front(-1, slices.slice)}, source),
                  flat_rows(lists, slices.named, source), {}, source);
  });
}

Tensor scatter_nd(const Tensor& data, const Tensor& indices, const Tensor& updates,
                  ScatterElementsReduction reduction, std::source_location source) {
  const auto again = [data = kept(data), indices = kept(indices), updates = kept(updates), reduction,
                      source](const Counterpart& now) {
    return scatter_nd(now(data), now(indices), now(updates), reduction, source);
  };
  return compose(data, "scatter_nd", source, again, [&] {
    require_indices("scatter_nd", indices, source);
    require_tensor(updates, "scatter_nd", source);
    const Slices slices("scatter_nd", data, indices.shape().empty() ? 0 : indices.shape().back(), source);
    Shape expected(indices.shape().begin(), indices.shape().end() - 1);
    expected.insert(expected.end(), slices.slice.begin(), slices.slice.end());
    if (updates.shape() != expected)
      raise(invalid_argument(
                "scatter_nd has updates of " + to_string(updates.type()) + ", not of the shape " +
                    to_string(expected),
                "the updates have the shape of the indices without their last dimension, followed by "
                "the shape of a slice of data"),
            source);
    const Tensor rows = reshape(data, {.shape = {-1, slices.elements}}, source);
    const Tensor values = reshape(updates, {.shape = {-1, slices.elements}}, source);
    const Tensor flat = reshape(flat_rows(indices, slices.named, source), {.shape = {-1}}, source);
    const Tensor at = ops::expand(flat, values, {.axes = {1}}, source);
    return ops::reshape_like(scatter_elements(rows, at, values, {.reduction = reduction}, source), data,
                             source);
  });
}

}  // namespace cutset::onnx_ops
