// SPDX-License-Identifier: Apache-2.0
// How the inputs of a data set become those of a model.
#pragma once
#include <cutset/data.h>
#include <cutset/graph.h>

#include <map>
#include <string>
#include <vector>

#include "runtime/data/named_datasets.h"

namespace cutset::cli {

// The inputs of a graph with their types: "'image' (64x1x28x28xf32), 'label' (64xi32)".
std::string inputs_of(const Graph& graph);

// The inputs of `graph` by the names that they have in `dataset`. An input may have another name if it
// is the only one beside those that do not; so the images or tokens of an ONNX model may have any name.
// Throws a cutset::Error that names an input that differs if the data set does not have the inputs of the
// graph.
std::map<std::string, std::string> inputs_for_dataset(const NamedDataset& dataset, const Graph& graph);

// The samples of `dataset` under the names that the inputs of `graph` have. Ids and tokens become i64
// where the graph reads i64.
data::Dataset with_inputs_of(const Graph& graph, const NamedDataset& dataset, data::Dataset samples);

}  // namespace cutset::cli
