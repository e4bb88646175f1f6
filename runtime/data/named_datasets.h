// SPDX-License-Identifier: Apache-2.0
// The table of the data sets for the option --dataset of the command. Each data set registers itself in the
// file of its reader. The command takes options, checks and help texts from this table. The fuzz tests take
// the files that they change from it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ir/core/types.h"
#include "runtime/data/samples.h"

namespace cutset {

// An input that a data set gives to a model.
struct DatasetInput {
  const char* name;
  int rank;          // including the dimension of the batch
  const char* what;  // for errors: "a label per image"
  bool integers;     // whether they are ids or classes, and not pixels
};

// The arguments with which a data set is opened.
struct DatasetRequest {
  std::string path;           // the folder or the file
  std::string training_path;  // the folder or the file of the samples for training
  bool for_test = false;      // whether the samples are for evaluation
  // Returns a size of the input of the model that takes the input `input` of the data set.
  std::function<int64_t(const char* input, size_t dimension)> size_of;
  // Returns the number of classes or of ids that this input has, or INT32_MAX if the model does not state it.
  std::function<int64_t(const char* input)> range_of;
  std::optional<int32_t> padding = {};  // fills the input NamedDataset::padded
};

struct NamedDataset {
  std::string name;
  std::vector<DatasetInput> inputs;
  // The endings, in lower case, of the names of the files that are read in a folder or below it. Empty: the
  // data set is one file.
  std::vector<std::string> endings = {};
  Result<Samples> (*open)(const DatasetRequest& request) = nullptr;
  // Whether the samples for evaluation are in a separate file. Otherwise they are in the same folder.
  bool has_test_file = false;
  // Whether each sample is a separate file, so that the bytes of the files identify the samples.
  bool file_per_sample = false;
  // The folder that is read if the user does not name a folder, and the shape of images for which models read
  // this data set if the user does not name a data set. Empty: there is none.
  std::string default_folder = {};
  Shape default_image = {};
  const char* words = nullptr;   // the input of words in a vocabulary; 0 is an unknown word; null: none
  const char* padded = nullptr;  // the input with lists that are filled up with a number; null: none
  std::string example = {};      // the contents of a small file that tests change; empty: there is none
};

// Returns all data sets, sorted by name. The list is complete when main() begins, and it does not change.
const std::vector<NamedDataset>& named_datasets();
// Returns the data set of this name, or null.
const NamedDataset* find_named_dataset(const std::string& name);

// Adds a data set to the list. The file of its reader has one static object of this type.
class RegisterDataset {
 public:
  explicit RegisterDataset(NamedDataset dataset);
};

// Return the inputs of data sets of images, and of sequences of tokens.
std::vector<DatasetInput> inputs_of_images();
std::vector<DatasetInput> inputs_of_tokens();

}  // namespace cutset
