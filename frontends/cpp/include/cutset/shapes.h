// Functions that change shapes and the order of elements, composed of the ops of <cutset/ops.h>. Elements of all types are
// copied unchanged, and gradients are those of the ops.
//
// All functions throw a cutset::Error with the line of the call if an operand does not fit, and then add nothing to the
// graph. A negative axis counts from the end.
#pragma once
#include <cutset/graph.h>

#include <cstdint>
#include <source_location>
#include <vector>

namespace cutset {

// The numbers 0, 1, ..., size - 1 as a tensor of rank 1 of a numeric element type. Numbers that the type cannot hold are
// rounded or wrap around.
Tensor arange(Graph& graph, int64_t size, DType dtype, std::source_location where = std::source_location::current());

// The numbers 0, 1, ..., n - 1, where n is the size of dimension `axis` of x, as a tensor [n] of a numeric
// element type. A function that is run with another size has as many numbers as this size says.
Tensor arange_like(const Tensor& x, int64_t axis, DType dtype = i64,
                   std::source_location where = std::source_location::current());

// x without the given dimensions, each of which must have the size 1; without all dimensions of size 1 if no axes are given.
Tensor squeeze(const Tensor& x, const std::vector<int64_t>& axes = {},
               std::source_location where = std::source_location::current());
// x with new dimensions of size 1, which have the indices `axes` in the result.
Tensor unsqueeze(const Tensor& x, const std::vector<int64_t>& axes,
                 std::source_location where = std::source_location::current());
// x repeated along its dimensions of size 1, by the rules of NumPy, so that it has the shape `shape`. A size
// that is that of x, or -1, keeps the size of x, also in a function that is run with another size. Other
// sizes are fixed.
Tensor broadcast_to(const Tensor& x, const Shape& shape, std::source_location where = std::source_location::current());
// x repeated `repeats[d]` times along each dimension d, as numpy.tile: [1, 2] tiled 2 times is [1, 2, 1, 2]. A repeat is not
// negative, and there is one per dimension.
Tensor tile(const Tensor& x, const std::vector<int64_t>& repeats,
            std::source_location where = std::source_location::current());
// The tensors, which have one type, one after the other along a new dimension `axis`.
Tensor stack(const std::vector<Tensor>& parts, int64_t axis = 0,
             std::source_location where = std::source_location::current());
// The dimension `from` of x moved to the index `to`; the others keep their order.
Tensor move_axis(const Tensor& x, int64_t from, int64_t to,
                 std::source_location where = std::source_location::current());
// x with its elements in the opposite order along each of the axes. x has an element type that gather takes.
Tensor flip(const Tensor& x, const std::vector<int64_t>& axes,
            std::source_location where = std::source_location::current());
// Every step-th row of x along `axis`: start, start + step, ... before `end` (or, for a negative step, above it), as a slice
// of Python. A negative start or end counts from the end, and both are limited to the rows of x. The step is not 0.
Tensor slice(const Tensor& x, int64_t axis, int64_t start, int64_t end, int64_t step,
             std::source_location where = std::source_location::current());
// x with `before` and `after` more rows along `axis`, whose elements are `value`, a scalar of the element type of x. A
// negative number removes rows.
Tensor pad(const Tensor& x, int64_t axis, int64_t before, int64_t after, const Tensor& value,
           std::source_location where = std::source_location::current());
// The elements of each matrix of x, [..., rows, columns], at or above the k-th diagonal, and 0 elsewhere. Diagonal 0 is the
// main one, and k > 0 are those above it.
Tensor triu(const Tensor& x, int64_t k = 0, std::source_location where = std::source_location::current());
// The elements at or below the k-th diagonal, and 0 elsewhere.
Tensor tril(const Tensor& x, int64_t k = 0, std::source_location where = std::source_location::current());

// How depth_to_space divides the channels: kDepthColumnRow takes the offsets in a block from the outer part of the channels, and
// kColumnRowDepth from the inner part, as PyTorch's pixel_shuffle. The names are those of ONNX.
enum class BlockOrder { kDepthColumnRow, kColumnRowDepth };
// Images [n, c, h, w] with blocks of channels moved to pixels: [n, c / block^2, h block, w block]. c is a multiple of block^2.
Tensor depth_to_space(const Tensor& x, int64_t block, BlockOrder order = BlockOrder::kDepthColumnRow,
                      std::source_location where = std::source_location::current());
// Images [n, c, h, w] with blocks of pixels moved to channels: [n, c block^2, h / block, w / block]. h and w are multiples of
// block. It is the inverse of depth_to_space with kDepthColumnRow.
Tensor space_to_depth(const Tensor& x, int64_t block, std::source_location where = std::source_location::current());

}  // namespace cutset
