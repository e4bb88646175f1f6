// Checks labels and indices of samples when they are read.
#pragma once
#include <cutset/data.h>
#include <cutset/graph.h>

namespace cutset::data {

// A function for Dataset::map that throws a cutset::Error if a label is not a class of the graph, or if an index, such as a token, is not
// in the table that it selects from. The error names the sample, counted from 0 in the data set, the value and the range. Without this
// check, such a value makes the loss NaN.
//
//   const auto checked = samples.map(data::check_label_ranges(graph));
//
// The ranges are those of Graph::label_classes(), so an input that the graph changes before it is a label or an index is not checked:
// one with an ignored label, for example. A sample has the same number of consecutive elements of each input.
Dataset::Transform check_label_ranges(const Graph& graph);

}  // namespace cutset::data
