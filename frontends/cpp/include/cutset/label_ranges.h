// SPDX-License-Identifier: Apache-2.0
// Checks labels and indices of samples when they are read.
#pragma once
#include <cutset/data.h>
#include <cutset/graph.h>

namespace cutset::data {

// Makes a function for Dataset::map that throws a cutset::Error if a label is not a class of the graph, or if
// an index, such as a token, is not in the table that it selects from. Labels are in [0, classes). Indices
// are in [-rows, rows), because a negative index counts from the end. The error names the sample, counted
// from 0 in the data set, the value and the range. It is thrown while the data set is read.
//
// Without this check, such a label makes a softmax_cross_entropy NaN and a one_hot zeros. Such an index makes
// the elements that gather selects NaN, or, for other types, the value that the documentation of gather
// names.
//
//   const auto checked = samples.map(data::check_label_ranges(graph));
//
// Graph::label_classes() returns the ranges.
// - An input that the graph changes before it is a label or an index is not checked.
// - The ids that embedding_bag reads with a `padding_idx`, and the labels of a loss with an `ignore_index`,
//   are checked, and may have that number.
// - The sample of an element is its index along InputOptions::batch_dimension. The elements of an input
//   without a batch are divided evenly among the samples, in their order.
Dataset::Transform check_label_ranges(const Graph& graph);

}  // namespace cutset::data
