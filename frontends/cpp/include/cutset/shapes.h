// SPDX-License-Identifier: Apache-2.0
// Functions that change shapes and the order of elements, composed of the ops of <cutset/ops.h>, which define
// the gradients. Elements of all types are copied unchanged.
//
// Arguments are given by position or by name: stack({x, y}, 1), or stack({x, y}, {.axis = 1}). A negative
// axis counts from the end. All functions throw a cutset::Error with the line of the call if an operand does
// not fit, and then add nothing to the graph.
#pragma once
#include <cutset/graph.h>
#include <cutset/ops.h>
#include <cutset/pad.h>

#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <type_traits>
#include <vector>

namespace cutset {

// Makes the numbers 0, 1, ..., size - 1 as a tensor of rank 1 of a numeric element type. Numbers that the
// type cannot hold are rounded or wrap around.
Tensor arange(Graph& graph, int64_t size, DType dtype = i64,
              std::source_location source = std::source_location::current());

// The arguments of arange_like by name.
struct ArangeLikeOptions {
  int64_t axis = {};
  DType dtype = i64;
};
// Makes the numbers 0, 1, ..., n - 1, where n is the size of dimension `axis` of x, as a tensor [n] of a
// numeric element type. With another size of x, the result has that size.
Tensor arange_like(const Tensor& x, WholeNumber axis, DType dtype = i64,
                   std::source_location source = std::source_location::current());
template <class Options = ArangeLikeOptions>
Tensor arange_like(const Tensor& x, const std::type_identity_t<Options>& options,
                   std::source_location source = std::source_location::current()) {
  return arange_like(x, options.axis, options.dtype, source);
}

// Joins all dimensions except the first: [n, c, h, w] becomes [n, c * h * w].
Tensor flatten(const Tensor& x, std::source_location source = std::source_location::current());

// The arguments of transpose by name.
struct TransposeOptions {
  std::vector<int64_t> permutation = {};
};
// Puts the dimensions of x in another order: dimension d of the result is dimension permutation[d] of x.
// Without a permutation, the order is reversed.
Tensor transpose(const Tensor& x, const std::vector<int64_t>& permutation = {},
                 std::source_location source = std::source_location::current());
template <class Options = TransposeOptions>
Tensor transpose(const Tensor& x, const std::type_identity_t<Options>& options,
                 std::source_location source = std::source_location::current()) {
  return transpose(x, options.permutation, source);
}

// Exchanges two dimensions of x (torch.transpose).
Tensor transpose(const Tensor& x, WholeNumber first, WholeNumber second,
                 std::source_location source = std::source_location::current());

// The arguments of squeeze by name.
struct SqueezeOptions {
  AxisList axes = {};
};
// Removes the given dimensions, each of which must have the size 1, or all dimensions of size 1 if none are
// given.
Tensor squeeze(const Tensor& x, const AxisList& axes = {},
               std::source_location source = std::source_location::current());
template <class Options = SqueezeOptions>
Tensor squeeze(const Tensor& x, const std::type_identity_t<Options>& options,
               std::source_location source = std::source_location::current()) {
  return squeeze(x, options.axes, source);
}

// The arguments of unsqueeze by name.
struct UnsqueezeOptions {
  AxisList axes = {};
};
// Adds dimensions of size 1, which have the indices `axes` in the result.
Tensor unsqueeze(const Tensor& x, const AxisList& axes,
                 std::source_location source = std::source_location::current());
template <class Options = UnsqueezeOptions>
Tensor unsqueeze(const Tensor& x, const std::type_identity_t<Options>& options,
                 std::source_location source = std::source_location::current()) {
  return unsqueeze(x, options.axes, source);
}

// The arguments of broadcast_to by name.
struct BroadcastToOptions {
  Shape shape = {};
};
// Repeats x along its dimensions of size 1, by the rules of NumPy, so that it has the shape `shape`. A size
// that equals the size of x, or -1, keeps the size of x, even in a function that is run with another size.
// Other sizes are fixed.
Tensor broadcast_to(const Tensor& x, const Shape& shape,
                    std::source_location source = std::source_location::current());
template <class Options = BroadcastToOptions>
Tensor broadcast_to(const Tensor& x, const std::type_identity_t<Options>& options,
                    std::source_location source = std::source_location::current()) {
  return broadcast_to(x, options.shape, source);
}

// The arguments of tile by name.
struct TileOptions {
  std::vector<int64_t> repeats = {};
};
// Repeats x `repeats[d]` times along each dimension d, as numpy.tile: [1, 2] tiled 2 times is [1, 2, 1, 2]. A
// repeat is not negative, and there is one per dimension.
Tensor tile(const Tensor& x, const std::vector<int64_t>& repeats,
            std::source_location source = std::source_location::current());
template <class Options = TileOptions>
Tensor tile(const Tensor& x, const std::type_identity_t<Options>& options,
            std::source_location source = std::source_location::current()) {
  return tile(x, options.repeats, source);
}

// The arguments of stack by name.
struct StackOptions {
  int64_t axis = 0;
};
// Joins tensors of one type along a new dimension `axis` (numpy.stack).
Tensor stack(const std::vector<Tensor>& parts, WholeNumber axis = 0,
             std::source_location source = std::source_location::current());
template <class Options = StackOptions>
Tensor stack(const std::vector<Tensor>& parts, const std::type_identity_t<Options>& options,
             std::source_location source = std::source_location::current()) {
  return stack(parts, options.axis, source);
}

// The arguments of split by name.
struct SplitOptions {
  int64_t parts = {};
  int64_t axis = 0;
};
// Divides x along `axis` into `parts` tensors of equal size (numpy.split). The size of the axis is a multiple
// of `parts`. torch.split takes the size of a part instead. split_with_sizes makes parts of given sizes.
std::vector<Tensor> split(const Tensor& x, WholeNumber parts, WholeNumber axis = 0,
                          std::source_location source = std::source_location::current());
template <class Options = SplitOptions>
std::vector<Tensor> split(const Tensor& x, const std::type_identity_t<Options>& options,
                          std::source_location source = std::source_location::current()) {
  return split(x, options.parts, options.axis, source);
}

// A list is refused: in PyTorch it has the sizes of the parts, and in NumPy the indices between the parts.
// split_with_sizes takes sizes.
std::vector<Tensor> split(const Tensor& x, std::initializer_list<int64_t> list,
                          WholeNumber axis = 0) = delete;

// The arguments of move_axis by name.
struct MoveAxisOptions {
  int64_t from = {};
  int64_t to = {};
};
// Moves the dimension `from` of x to the index `to`; the others keep their order.
Tensor move_axis(const Tensor& x, WholeNumber from, WholeNumber to,
                 std::source_location source = std::source_location::current());
template <class Options = MoveAxisOptions>
Tensor move_axis(const Tensor& x, const std::type_identity_t<Options>& options,
                 std::source_location source = std::source_location::current()) {
  return move_axis(x, options.from, options.to, source);
}

// The arguments of flip by name.
struct FlipOptions {
  AxisList axes = {};
};
// Reverses x along the axes (numpy.flip). x has an element type that gather takes.
Tensor flip(const Tensor& x, const AxisList& axes,
            std::source_location source = std::source_location::current());
template <class Options = FlipOptions>
Tensor flip(const Tensor& x, const std::type_identity_t<Options>& options,
            std::source_location source = std::source_location::current()) {
  return flip(x, options.axes, source);
}

// The end of a slice that goes to the last row.
inline constexpr int64_t kToEnd = INT64_MAX;
// The arguments of slice by name.
struct SliceOptions {
  int64_t axis = {};
  int64_t start = 0;
  int64_t end = kToEnd;
  int64_t step = 1;
};
// Returns every step-th row of x along `axis`: start, start + step, ... before `end` (or, for a negative
// step, above it), as a slice of Python. A negative start or end counts from the end, and both are limited to
// the rows of x. The step is not 0.
Tensor slice(const Tensor& x, WholeNumber axis, WholeNumber start = 0, WholeNumber end = kToEnd,
             WholeNumber step = 1, std::source_location source = std::source_location::current());
template <class Options = SliceOptions>
Tensor slice(const Tensor& x, const std::type_identity_t<Options>& options,
             std::source_location source = std::source_location::current()) {
  return slice(x, options.axis, options.start, options.end, options.step, source);
}

// A list without names is refused: slice takes its arguments without braces.
Tensor slice(const Tensor& x, std::initializer_list<int64_t> list) = delete;

// The arguments of triu by name.
struct TriuOptions {
  int64_t diagonal = 0;
};
// Keeps the elements of each matrix of x, [..., rows, columns], at or above a diagonal, and sets the others
// to 0. Diagonal 0 is the main one, and positive diagonals are above it.
Tensor triu(const Tensor& x, WholeNumber diagonal = 0,
            std::source_location source = std::source_location::current());
template <class Options = TriuOptions>
Tensor triu(const Tensor& x, const std::type_identity_t<Options>& options,
            std::source_location source = std::source_location::current()) {
  return triu(x, options.diagonal, source);
}

// The arguments of tril by name.
struct TrilOptions {
  int64_t diagonal = 0;
};
// Keeps the elements at or below a diagonal, and sets the others to 0.
Tensor tril(const Tensor& x, WholeNumber diagonal = 0,
            std::source_location source = std::source_location::current());
template <class Options = TrilOptions>
Tensor tril(const Tensor& x, const std::type_identity_t<Options>& options,
            std::source_location source = std::source_location::current()) {
  return tril(x, options.diagonal, source);
}

}  // namespace cutset
