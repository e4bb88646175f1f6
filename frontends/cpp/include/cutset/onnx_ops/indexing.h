// SPDX-License-Identifier: Apache-2.0
// Functions of ONNX that read and write slices by lists of indices.
//
// Indices have type i32 or i64, and a negative index counts from the end. Whether an index is out of range is
// known only when the program runs: the documentation of gather and scatter_elements says which results such
// an index gives. All functions throw a cutset::Error with the line of the call if an operand or argument
// does not fit, and then add nothing to the graph.
#pragma once
#include <cutset/ops.h>

#include <cstdint>
#include <source_location>
#include <type_traits>

namespace cutset::onnx_ops {

// The arguments of gather_nd by name.
struct GatherNdOptions {
  int64_t batch_dims = 0;
};
// Returns the slices of data that the last dimension of the indices names (ONNX GatherND, TensorFlow
// gather_nd).
// - The first `batch_dims` dimensions of data and of the indices are the batch, and are equal.
// - The indices are [batch..., n..., q]: each list of q indices is the place of a slice in the q dimensions
//   of data after the batch.
// - The result is [batch..., n..., slice...], where a slice has the other dimensions of data.
// - A slice whose list has an index that is out of range is NaN, or, for other types, the result of gather.
// Throws if q is not from 1 to the number of dimensions after the batch, or if a slice has no elements. The
// sizes of all dimensions of data but the first become part of the program.
Tensor gather_nd(const Tensor& data, const Tensor& indices, int64_t batch_dims = 0,
                 std::source_location source = std::source_location::current());
template <class Options = GatherNdOptions>
Tensor gather_nd(const Tensor& data, const Tensor& indices, const std::type_identity_t<Options>& options,
                 std::source_location source = std::source_location::current()) {
  return gather_nd(data, indices, options.batch_dims, source);
}

// The arguments of scatter_nd by name.
struct ScatterNdOptions {
  ScatterElementsReduction reduction = ScatterElementsReduction::kNone;
};
// Returns data, in which the slices that the last dimension of the indices names are replaced by the updates,
// or joined with them by `reduction` (ONNX ScatterND). The indices are [n..., q] as in gather_nd without a
// batch, and the updates are [n..., slice...]. Updates are applied in the order of the indices, so the last
// of several replacements stays. If one list has an index that is out of range, all elements of the result
// are NaN, or, for other types, what scatter_elements writes. Throws as gather_nd does.
Tensor scatter_nd(const Tensor& data, const Tensor& indices, const Tensor& updates,
                  ScatterElementsReduction reduction = ScatterElementsReduction::kNone,
                  std::source_location source = std::source_location::current());
template <class Options = ScatterNdOptions>
Tensor scatter_nd(const Tensor& data, const Tensor& indices, const Tensor& updates,
                  const std::type_identity_t<Options>& options,
                  std::source_location source = std::source_location::current()) {
  return scatter_nd(data, indices, updates, options.reduction, source);
}

}  // namespace cutset::onnx_ops
