// SPDX-License-Identifier: Apache-2.0
// What a data set needs of the folder of --data, and what a model needs of a data set.
#pragma once
#include <cutset/data.h>
#include <cutset/graph.h>

#include <map>
#include <string>
#include <vector>

namespace cutset::cli {

// The folder of the images for training, PATH/train, or for evaluation, PATH/test or PATH/val, of --dataset
// image-folder. Throws a cutset::Error that says what `path` has if it does not have this folder.
std::string image_folder_of(const std::string& path, bool for_test);

// The inputs of a graph with their types: "'image' (64x1x28x28xf32), 'label' (64xi32)".
std::string inputs_of(const Graph& graph);

// How the names of the files end, in lower case, that --dataset `name` reads in the folder of --data or below
// it. Empty: it reads no folder.
std::vector<std::string> endings_of_files(const std::string& name);

// The inputs of `graph` by the names that they have in --dataset `name`. An input may have another name if it
// is the only one beside those that do not; so the images or tokens of an ONNX model may have any name.
// Throws a cutset::Error that names an input that differs if the data set does not have the inputs of the
// graph.
std::map<std::string, std::string> inputs_for_dataset(const std::string& name, const Graph& graph);

// The samples of --dataset `name` under the names that the inputs of `graph` have. Ids and tokens become i64
// where the graph reads i64.
data::Dataset with_inputs_of(const Graph& graph, const std::string& name, data::Dataset samples);

}  // namespace cutset::cli
