// SPDX-License-Identifier: Apache-2.0
#include <cutset/constants.h>
#include <cutset/shapes.h>

#include <algorithm>
#include <numeric>

#include "frontends/cpp/functional/arange.h"
#include "frontends/cpp/functional/compose.h"
#include "frontends/cpp/functional/reshaped.h"

namespace cutset {
namespace {

using Where = std::source_location;

constexpr int64_t kMostParts = 1 << 16;
constexpr int64_t kMaxRows = int64_t{1}
                             << 44;  // sums of such sizes do not overflow, and no tensor has more rows

int64_t product(const Shape& shape, size_t from, size_t to) {
  int64_t n = 1;
  for (size_t d = from; d < to; ++d) n *= shape[d];
  return n;
}

// Returns x as [outer, size of the dimension, inner].
Tensor around(const Tensor& x, int64_t axis, Where source) {
  const auto d = static_cast<size_t>(axis);
  return reshaped(x, {product(x.shape(), 0, d), x.shape()[d], product(x.shape(), d + 1, x.shape().size())},
                  source);
}

Shape with_size(Shape shape, int64_t axis, int64_t size) {
  shape[static_cast<size_t>(axis)] = size;
  return shape;
}

Tensor flip_axis(const Tensor& x, int64_t axis, Where source) {
  const int64_t size = x.shape()[static_cast<size_t>(axis)];
  if (size < 2) return x;
  const Tensor indices = arange_of(x.graph(), size, DType::i64, source);
  const Tensor last = constant(indices, Number(size - 1, source));
  return gather(x, sub(last, indices, source), {.axis = axis}, source);
}

// Returns every step-th row from the first on.
Tensor every(const Tensor& x, int64_t axis, int64_t step, Where source) {
  const int64_t size = x.shape()[static_cast<size_t>(axis)], count = (size + step - 1) / step;
  if (step == 1 || size == 0) return x;
  // The last step may have fewer rows than the others, so rows are added. They are removed with the rows
  // between steps.
  const Tensor padded = ops::pad(x, {.axis = axis, .before = 0, .after = count * step - size}, source);
  const Tensor outer = around(padded, axis, source);
  const Tensor steps = reshaped(outer, {outer.shape()[0], count, step, outer.shape()[2]}, source);
  return reshaped(ops::slice(steps, {.axis = 2, .start = 0, .length = 1}, source),
                  with_size(x.shape(), axis, count), source);
}

}  // namespace

Tensor arange(Graph& graph, int64_t size, DType dtype, Where source) {
  if (size < 0 || size > kMaxRows)
    throw Error(ErrorCode::kInvalidArgument, "arange has the size " + std::to_string(size),
                Error::line_of(source), "the size must be from 0 to 2^44");
  Undo undo(graph.state());
  Tensor numbers = arange_of(graph.state(), size, dtype, source);
  undo.keep();
  return numbers;
}

Tensor arange_like(const Tensor& x, WholeNumber axis, DType dtype, Where source) {
  const auto again = [x = kept(x), axis, dtype, source](const Counterpart& now) {
    return arange_like(now(x), axis, dtype, source);
  };
  return compose(x, "arange_like", source, again, [&] {
    return arange_of(x.graph(), x.shape()[static_cast<size_t>(axis_of(x, "arange_like", axis, source))],
                     dtype, source);
  });
}

Tensor flatten(const Tensor& x, Where source) { return reshape(x, {0, -1}, source); }

Tensor transpose(const Tensor& x, const std::vector<int64_t>& permutation, Where source) {
  require_tensor(x, "transpose", source);
  std::vector<int64_t> order = permutation;
  if (order.empty())
    for (int64_t d = x.type().rank() - 1; d >= 0; --d) order.push_back(d);
  return ops::transpose(x, order, source);
}

Tensor transpose(const Tensor& x, WholeNumber first, WholeNumber second, Where source) {
  require_tensor(x, "transpose", source);
  std::vector<int64_t> order(x.shape().size());
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto a = static_cast<size_t>(axis_of(x, "transpose", first, source));
  const auto b = static_cast<size_t>(axis_of(x, "transpose", second, source));
  std::swap(order[a], order[b]);
  return ops::transpose(x, order, source);
}

Tensor squeeze(const Tensor& x, const AxisList& axes, Where source) {
  const auto again = [x = kept(x), axes, source](const Counterpart& now) {
    return squeeze(now(x), axes, source);
  };
  return compose(x, "squeeze", source, again, [&] {
    std::vector<bool> removed(x.shape().size());
    for (const int64_t axis : axes.list())
      removed[static_cast<size_t>(axis_of(x, "squeeze", axis, source))] = true;
    Shape shape;
    for (size_t d = 0; d < removed.size(); ++d) {
      if (removed[d] && x.shape()[d] != 1)
        refuse(x, "squeeze", "the size 1 in dimension " + std::to_string(d), source);
      if (!(removed[d] || (axes.list().empty() && x.shape()[d] == 1))) shape.push_back(x.shape()[d]);
    }
    return reshaped(x, shape, source);
  });
}

Tensor unsqueeze(const Tensor& x, const AxisList& axes, Where source) {
  const auto again = [x = kept(x), axes, source](const Counterpart& now) {
    return unsqueeze(now(x), axes, source);
  };
  return compose(x, "unsqueeze", source, again, [&] {
    const size_t rank = x.shape().size() + axes.list().size();
    std::vector<bool> is_new(rank);
    for (const int64_t axis : axes.list()) {
      const auto d = static_cast<size_t>(axis_of(x, "unsqueeze", axis, static_cast<int64_t>(rank), source));
      if (is_new[d]) refuse(x, "unsqueeze", "axes that differ", source);
      is_new[d] = true;
    }
    Shape shape;
    for (size_t d = 0, old = 0; d < rank; ++d) shape.push_back(is_new[d] ? 1 : x.shape()[old++]);
    return reshaped(x, shape, source);
  });
}

Tensor broadcast_to(const Tensor& x, const Shape& shape, Where source) {
  require_tensor(x, "broadcast_to", source);
  // A size that equals the size of x is kept as -1, so for other shapes it is again the size of x.
  Shape followed = shape, sizes = shape;
  const size_t rank = x.shape().size(), added = std::max(shape.size(), rank) - rank;
  for (size_t d = 0; d < rank && added + d < shape.size(); ++d) {
    if (shape[added + d] == x.shape()[d]) followed[added + d] = -1;
    if (shape[added + d] == -1) sizes[added + d] = x.shape()[d];
  }
  const auto again = [x = kept(x), followed, source](const Counterpart& now) {
    return broadcast_to(now(x), followed, source);
  };
  return compose(x, "broadcast_to", source, again, [&] {
    if (x.shape() == sizes) return x;
    return ops::expand(x, type_only(x, {x.dtype(), sizes}, source), {}, source);
  });
}

Tensor tile(const Tensor& x, const std::vector<int64_t>& repeats, Where source) {
  const auto again = [x = kept(x), repeats, source](const Counterpart& now) {
    return tile(now(x), repeats, source);
  };
  return compose(x, "tile", source, again, [&] {
    if (repeats.size() != x.shape().size() ||
        std::any_of(repeats.begin(), repeats.end(), [](int64_t r) { return r < 0; }))
      refuse(x, "tile", "one repeat per dimension, each 0 or more", source);
    Tensor y = x;
    for (size_t d = 0; d < repeats.size(); ++d) {
      if (repeats[d] == 1) continue;
      const Tensor rows = around(y, static_cast<int64_t>(d), source);
      const int64_t outer = rows.shape()[0], inner = rows.shape()[1] * rows.shape()[2];
      // The size of the result is checked before the product of its sizes is computed.
      const Tensor copies =
          broadcast_to(reshaped(rows, {outer, 1, inner}, source), {outer, repeats[d], inner}, source);
      y = reshaped(copies, with_size(y.shape(), static_cast<int64_t>(d), y.shape()[d] * repeats[d]), source);
    }
    return y;
  });
}

Tensor stack(const std::vector<Tensor>& parts, WholeNumber axis, Where source) {
  const auto again = [parts = kept(parts), axis, source](const Counterpart& now) {
    return stack(now(parts), axis, source);
  };
  return compose(parts.empty() ? Tensor() : parts[0], "stack", source, again, [&] {
    axis = axis_of(parts[0], "stack", axis, parts[0].type().rank() + 1, source);
    std::vector<Tensor> rows;
    for (const Tensor& part : parts) {
      require_tensor(part, "stack", source);
      rows.push_back(unsqueeze(part, {axis}, source));
    }
    return concat(rows, {.axis = axis}, source);
  });
}

std::vector<Tensor> split(const Tensor& x, WholeNumber parts, WholeNumber axis, Where source) {
  const auto again = [x = kept(x), parts, axis, source](const Counterpart& now) {
    return split(now(x), parts, axis, source);
  };
  return compose(x, "split", source, again, [&] {
    axis = axis_of(x, "split", axis, source);
    const int64_t size = x.shape()[static_cast<size_t>(axis)];
    if (parts < 1 || size % parts)
      refuse(x, "split",
             "a number of parts that divides the " + std::to_string(size) + " rows of axis " +
                 std::to_string(axis) + ", not " + std::to_string(parts),
             source, "split_with_sizes makes parts of given sizes");
    if (parts > kMostParts) refuse(x, "split", "at most " + std::to_string(kMostParts) + " parts", source);
    return split_with_sizes(x, std::vector<int64_t>(static_cast<size_t>(parts), size / parts), axis, source);
  });
}

Tensor move_axis(const Tensor& x, WholeNumber from, WholeNumber to, Where source) {
  require_tensor(x, "move_axis", source);
  from = axis_of(x, "move_axis", from, source);
  to = axis_of(x, "move_axis", to, source);
  std::vector<int64_t> permutation;
  for (int64_t d = 0; d < x.type().rank(); ++d)
    if (d != from) permutation.push_back(d);
  permutation.insert(permutation.begin() + to, from);
  return from == to ? x : ops::transpose(x, permutation, source);
}

Tensor flip(const Tensor& x, const AxisList& axes, Where source) {
  const auto again = [x = kept(x), axes, source](const Counterpart& now) {
    return flip(now(x), axes, source);
  };
  return compose(x, "flip", source, again, [&] {
    Tensor y = x;
    for (const int64_t axis : axes.list()) y = flip_axis(y, axis_of(x, "flip", axis, source), source);
    return y;
  });
}

Tensor slice(const Tensor& x, WholeNumber axis, WholeNumber start, WholeNumber end, WholeNumber step,
             Where source) {
  const auto again = [x = kept(x), axis, start, end, step, source](const Counterpart& now) {
    return slice(now(x), axis, start, end, step, source);
  };
  return compose(x, "slice", source, again, [&] {
    axis = axis_of(x, "slice", axis, source);
    if (step == 0) refuse(x, "slice", "a step that is not 0", source);
    const int64_t size = x.shape()[static_cast<size_t>(axis)];
    // A negative position counts from the end; -1 and `size` stand for the places beyond the first and the
    // last row.
    const auto limit = [&](int64_t position, int64_t low, int64_t high) {
      return std::clamp(position < 0 ? std::max(position, -size - 1) + size : position, low, high);
    };
    if (step > 0) {
      const int64_t first = limit(start, 0, size), last = limit(end, 0, size);
      // Exporters write slices of all rows. An op `slice` cannot be split along its axis, so it would gather
      // the rows of the batch.
      const Tensor rows = first == 0 && last == size
                              ? x
                              : ops::slice(x, axis, first, std::max<int64_t>(last - first, 0), source);
      return every(rows, axis, std::min<int64_t>(step, std::max<int64_t>(size, 1)), source);
    }
    const int64_t first = limit(start, -1, size - 1), last = limit(end, -1, size - 1);
    const int64_t rows = std::max<int64_t>(first - last, 0);
    const Tensor part = ops::slice(x, axis, rows ? last + 1 : 0, rows, source);
    return every(flip_axis(part, axis, source), axis, -std::max<int64_t>(step, -std::max<int64_t>(size, 1)),
                 source);
  });
}

Tensor triu(const Tensor& x, WholeNumber diagonal, Where source) {
  return ops::trilu(x, true, diagonal, source);
}
Tensor tril(const Tensor& x, WholeNumber diagonal, Where source) {
  return ops::trilu(x, false, diagonal, source);
}

}  // namespace cutset
