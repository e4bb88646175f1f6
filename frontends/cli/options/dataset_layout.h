// SPDX-License-Identifier: Apache-2.0
// Matches the inputs of a data set with the inputs of a model.
#pragma once
#include <cutset/data.h>
#include <cutset/graph.h>

#include <map>
#include <string>
#include <vector>

#include "runtime/data/named_datasets.h"

namespace cutset::cli {

// Returns the inputs of a graph with their types: "'image' (64x1x28x28xf32), 'label' (64xi32)".
std::string inputs_of(const Graph& graph);

// Returns the names of the inputs of `graph`, by their names in `dataset`. Inputs with equal names belong
// together. If one input of the graph and one input of the data set are then left, they also belong together,
// so the images or tokens of an ONNX model may have any name. If the inputs do not match, throws a
// cutset::Error that names an input without a counterpart.
std::map<std::string, std::string> inputs_for_dataset(const NamedDataset& dataset, const Graph& graph);

// Returns the samples of `dataset` under the names of the inputs of `graph`. Ids and tokens become i64 where
// the graph reads i64.
data::Dataset with_inputs_of(const Graph& graph, const NamedDataset& dataset, data::Dataset samples);

}  // namespace cutset::cli
