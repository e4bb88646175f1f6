// SPDX-License-Identifier: Apache-2.0
// Functions of sequences: some move rows of each sample to places that depend on the sample, and one counts
// n-grams. They are composed of the ops of <cutset/ops.h>, which define the gradients.
//
// All functions throw a cutset::Error with the line of the call if the operands do not fit, and then add
// nothing to the graph.
#pragma once
#include <cutset/graph.h>

#include <cstdint>
#include <source_location>
#include <vector>

namespace cutset::onnx_ops {

// Reverses the first lengths[b] elements of each sequence b of x, and leaves the other elements in place
// (ONNX ReverseSequence, TensorFlow reverse_sequence). A sequence runs along `time_axis`, and `batch_axis`
// numbers the sequences. The lengths are i32 or i64 [batch]; a negative length counts as 0. A length beyond
// the end gives what gather_elements gives for indices that are out of range.
Tensor reverse_sequence(const Tensor& x, const Tensor& lengths, int64_t time_axis = 1, int64_t batch_axis = 0,
                        std::source_location source = std::source_location::current());

// Returns the cache with the rows start[b], start[b] + 1, ... along `axis` of each sample b of dimension 0
// replaced by the rows of `update`, as for the keys and values of attention (ONNX TensorScatter). `start` is
// i32 or i64 [batch], or empty for 0. The update has the type and shape of the cache, except that it may have
// fewer rows along `axis`, but at least one. `axis` is not the batch. Rows before the first or after the last
// row of the cache are dropped; if `circular`, they continue at the other end.
Tensor update_cache(const Tensor& cache, const Tensor& update, const Tensor& start = {}, int64_t axis = -2,
                    bool circular = false, std::source_location source = std::source_location::current());

// Counts how often each n-gram occurs in the rows of x, [..., size], of type i32 or i64. The result is f32
// [..., n-grams], exact below 2^24. The numbers of an n-gram may be up to `max_skip` elements apart, the same
// distance for all of its numbers, and each distance counts. Throws in these cases:
// - A row of x has no elements.
// - An n-gram is empty or has a number beyond 2^53.
// - There are more than 4096 comparisons of x with lists of numbers: one per length of an n-gram, distance
//   and place in the n-gram.
Tensor count_ngrams(const Tensor& x, const std::vector<std::vector<int64_t>>& ngrams, int64_t max_skip = 0,
                    std::source_location source = std::source_location::current());

}  // namespace cutset::onnx_ops
