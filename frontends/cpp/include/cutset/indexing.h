// SPDX-License-Identifier: Apache-2.0
// Functions that read, write and sort elements by indices. The functions that are single ops are in
// <cutset/ops.h>: gather, gather_elements, scatter_elements and top_k.
//
// All functions throw a cutset::Error with the line of the call if the operands do not fit, and then add
// nothing to the graph. Indices have type i32 or i64, and a negative index counts from the end. Whether an
// index is out of range is known only when the program runs: the documentation of gather and scatter_elements
// says which results such an index gives.
#pragma once
#include <cutset/graph.h>
#include <cutset/ops.h>

#include <cstdint>
#include <optional>
#include <source_location>
#include <type_traits>

namespace cutset {

// The arguments of sort and argsort by name.
struct SortOptions {
  int64_t axis = -1;
  bool descending = false;
};
// Sorts the elements of x along `axis`, the smallest first, or the largest first if `descending` is set. NaN
// is the largest number.
Tensor sort(const Tensor& x, WholeNumber axis = -1, bool descending = false,
            std::source_location source = std::source_location::current());
template <class Options = SortOptions>
Tensor sort(const Tensor& x, const std::type_identity_t<Options>& options,
            std::source_location source = std::source_location::current()) {
  return sort(x, options.axis, options.descending, source);
}
// Returns the indices along `axis` of the elements that sort() returns, as i64. Equal elements keep their
// order.
Tensor argsort(const Tensor& x, WholeNumber axis = -1, bool descending = false,
               std::source_location source = std::source_location::current());
template <class Options = SortOptions>
Tensor argsort(const Tensor& x, const std::type_identity_t<Options>& options,
               std::source_location source = std::source_location::current()) {
  return argsort(x, options.axis, options.descending, source);
}

// The arguments of argmax and argmin by name.
struct ArgmaxOptions {
  int64_t axis = -1;
  bool keepdims = false;           // whether the axis stays with size 1
  bool select_last_index = false;  // whether the last of equal elements counts instead of the first
};
// Returns the index of the largest element along `axis` as i64. NaN counts as the largest.
Tensor argmax(const Tensor& x, WholeNumber axis = -1, bool keepdims = false, bool select_last_index = false,
              std::source_location source = std::source_location::current());
template <class Options = ArgmaxOptions>
Tensor argmax(const Tensor& x, const std::type_identity_t<Options>& options,
              std::source_location source = std::source_location::current()) {
  return argmax(x, options.axis, options.keepdims, options.select_last_index, source);
}
// Returns the index of the smallest element along `axis` as i64. NaN counts as the smallest.
Tensor argmin(const Tensor& x, WholeNumber axis = -1, bool keepdims = false, bool select_last_index = false,
              std::source_location source = std::source_location::current());
template <class Options = ArgmaxOptions>
Tensor argmin(const Tensor& x, const std::type_identity_t<Options>& options,
              std::source_location source = std::source_location::current()) {
  return argmin(x, options.axis, options.keepdims, options.select_last_index, source);
}

// How embedding_bag joins the rows of a bag.
enum class BagMode { kMean, kSum, kMax };
// The arguments of embedding_bag by name.
struct EmbeddingBagOptions {
  BagMode mode = BagMode::kMean;
  std::optional<int64_t> padding_idx = {};
};
// Returns the sum, the mean or the maximum of the rows of `table`, [rows, width], that each bag names. The
// ids are [n..., m], which are bags of m rows, and the result is [n..., width]
// (torch.nn.functional.embedding_bag). A bag with an id that is out of range gives NaN.
//
// Ids that are equal to `padding_idx` fill up shorter bags:
// - They do not count in the sum, the mean or the maximum, and no row gets a gradient from them.
// - The result of a bag of such ids alone is 0.
// - `padding_idx` need not be the index of a row. It is compared with the ids as they are, so -1 stands for
//   the id -1 alone, and the id rows - 1 counts. PyTorch's embedding_bag takes no negative ids, and counts a
//   padding_idx of -1 from the end.
Tensor embedding_bag(const Tensor& table, const Tensor& ids, BagMode mode = BagMode::kMean,
                     std::optional<int64_t> padding_idx = {},
                     std::source_location source = std::source_location::current());
template <class Options = EmbeddingBagOptions>
Tensor embedding_bag(const Tensor& table, const Tensor& ids, const std::type_identity_t<Options>& options,
                     std::source_location source = std::source_location::current()) {
  return embedding_bag(table, ids, options.mode, options.padding_idx, source);
}

}  // namespace cutset
