// Functions that read, write and sort elements by indices, and that append several ops. Those that are single ops are in
// <cutset/ops.h>: gather, gather_elements, scatter_elements, top_k, argmax and argmin.
//
// All functions throw a cutset::Error with the line of the call if the operands do not fit, and then add nothing to the graph.
// Indices have type i32 or i64, and a negative index counts from the end. What an index does that is out of range is known
// only when the program runs: the documentation of gather and scatter_elements says which results it gives.
#pragma once
#include <cutset/graph.h>
#include <cutset/ops.h>

#include <cstdint>
#include <optional>
#include <source_location>

namespace cutset {

// The slices of data that the last dimension of the indices names (ONNX GatherND, TensorFlow gather_nd). The first
// `batch_dims` dimensions of data and of the indices are the same, b of them. The indices are [batch..., n..., q]: each list
// of q indices names a slice by its place in the q dimensions behind the batch. The result is [batch..., n..., slice...],
// with the other dimensions of data as the slice. A slice whose list has an index that is out of range is NaN, or what
// gather gives for other types. Throws if q is not from 1 to the number of dimensions behind the batch, or if a slice has no
// elements. The sizes of all dimensions of data but the first become part of the program.
Tensor gather_nd(const Tensor& data, const Tensor& indices, int64_t batch_dims = 0,
                 std::source_location where = std::source_location::current());

// Data, in which the slices that the last dimension of the indices names are replaced by the updates, or joined with them by
// `reduction` (ONNX ScatterND). The indices are [n..., q] as in gather_nd without a batch, and the updates are [n...,
// slice...]. Updates are applied in the order of the indices, so the last of several replacements stays. One list with an
// index that is out of range makes all elements of the result NaN, or what scatter_elements writes for other types. Throws as
// gather_nd does.
Tensor scatter_nd(const Tensor& data, const Tensor& indices, const Tensor& updates,
                  ScatterElementsReduction reduction = ScatterElementsReduction::kNone,
                  std::source_location where = std::source_location::current());

// The elements of x sorted along `axis`, the smallest first, or the largest first if `descending` is set. NaN is the largest
// number.
Tensor sort(const Tensor& x, int64_t axis = -1, bool descending = false,
            std::source_location where = std::source_location::current());
// The indices along `axis` of the elements that sort() returns, as i64. Equal elements keep their order.
Tensor argsort(const Tensor& x, int64_t axis = -1, bool descending = false,
               std::source_location where = std::source_location::current());

// How embedding_bag joins the rows of a bag.
enum class BagMode { kSum, kMean, kMax };
// The sum, the mean or the maximum of the rows of `table`, [rows, width], that each bag names: the ids are
// [n..., m], which are bags of m rows, and the result is [n..., width] (torch.nn.functional.embedding_bag). A
// bag with an id that is out of range gives NaN. Ids that are equal to `padding_idx` fill up shorter bags:
// they count neither in the sum nor in the mean or the maximum, and no row gets a gradient from them. The
// result of a bag of such ids alone is 0. `padding_idx` may be the index of a row or not. It is compared with
// the ids as they are, so -1 stands for the id -1 alone, and the id rows - 1 counts; PyTorch's embedding_bag,
// which takes no negative ids, would count -1 from the end.
Tensor embedding_bag(const Tensor& table, const Tensor& ids, BagMode mode = BagMode::kMean,
                     std::optional<int64_t> padding_idx = std::nullopt,
                     std::source_location where = std::source_location::current());

}  // namespace cutset
