// What a data set needs of the folder of --data, and what a model needs of a data set.
#pragma once
#include <cutset/graph.h>

#include <string>

namespace cutset::cli {

// The folder of the images for training, PATH/train, or for evaluation, PATH/test or PATH/val, of --dataset image-folder. Throws a cutset::Error
// that says what `path` has if it does not have this folder.
std::string image_folder_of(const std::string& path, bool for_test);

// The inputs of a graph with their types: "'image' (64x1x28x28xf32), 'label' (64xi32)".
std::string inputs_of(const Graph& graph);

// Throws a cutset::Error if the inputs of `graph` are not those of which --dataset `name` has samples.
void check_dataset_inputs(const std::string& name, const Graph& graph);

}  // namespace cutset::cli
