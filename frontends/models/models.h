// SPDX-License-Identifier: Apache-2.0
// The built-in models. Each model reads samples and their labels. Labels are i32 [batch], or [batch,
// sequence_length] for models of sequences, which have one label per position. Each model has three
// functions:
// - "train" returns "loss".
// - "evaluate" returns "loss", "correct", the number of labels that are predicted correctly, and, with more
//   than 10 classes, "correct_top5", the number of labels among the five likeliest classes. It also returns
//   the outputs of class_loss().
// - "predict" reads no labels and returns "logits" and "probability", f32 [labels, classes], and "class", i64
//   [labels].
//
// A model of images has the input "image", f32 [batch, channels, image_size, image_size]. If torchvision has
// the model, the variables have torchvision's names and shapes. The variables of bert have the names and
// shapes of transformers. The weights of these libraries can therefore be loaded by name.
#pragma once
#include <cutset/layers.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontends/models/class_loss.h"

namespace cutset::models {

// The settings from which a model is built.
struct Settings {
  int64_t batch = 64;  // samples per step
  uint64_t seed = 0;   // the seed of the initial values
  Sgd optimizer{0.01, 0.9};
  std::optional<Optimizer> other = {};        // instead of `optimizer`
  std::map<std::string, int64_t> sizes = {};  // values of Model::sizes that replace the defaults
  std::optional<double> dropout = {};  // the probability of all dropout layers; default: as in the model
  ClassLossOptions loss = {};

  // Returns the value of a size, which the model has.
  int64_t size(const std::string& name) const { return sizes.at(name); }
};

// A size of a model that can be chosen.
struct Size {
  const char* name;
  int64_t value;  // the default
};

// A model that can be chosen by its name.
struct Model {
  const char* name;
  const char* summary;  // one line for people
  std::vector<Size> sizes;
  Graph (*builder)(const Settings&);  // gets all sizes
  bool has_dropout = false;

  // Builds the graph of the model. Throws a cutset::Error in these cases:
  // - `settings` names a size that the model does not have, or a size is not from 1 to 2^24.
  // - A probability is given for dropout layers that the model does not have.
  // - The layers of the model do not fit the sizes.
  Graph build(Settings settings) const;
};

// Adds a model to the list. Each file of a model has one static object of this type per model.
class RegisterModel {
 public:
  explicit RegisterModel(Model model);
};

// Returns all models, sorted by name. The list is complete when main() begins, and it does not change.
const std::vector<Model>& all();
// Returns the names of all models.
std::vector<std::string> names();
// Returns the model `name`. Throws a cutset::Error that lists the models if there is no such model.
const Model& find(const std::string& name);

}  // namespace cutset::models
