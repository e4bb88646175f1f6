// The built-in models, which classify the images of Fashion-MNIST. Each has the inputs "image", f32 [batch, 1, 28, 28],
// and "label", i32 [batch], and three functions: "train" returns "loss"; "evaluate" returns "loss" and "correct", the
// number of samples that are classified correctly; "predict" reads only "image" and returns "logits" and "probability",
// f32 [batch, 10], and "class", i64 [batch].
#pragma once
#include <cutset/layers.h>

#include <functional>
#include <string>
#include <vector>

namespace cutset::models {

// The parameters of a model.
struct Settings {
  int64_t batch = 64;  // samples per step
  uint64_t seed = 0;   // the seed of the initial values
  Sgd optimizer{0.01, 0.9};
  std::optional<Optimizer> other = {};  // instead of `optimizer`
};

// A model that can be chosen by its name.
struct Model {
  const char* name;
  const char* summary;  // one line for people
  Graph (*build)(const Settings&);
};
// Returns all models.
const std::vector<Model>& all();
// Returns the names of all models, separated by commas.
std::string names();
// Returns the model `name`. Throws a cutset::Error that lists the models if there is no such model.
const Model& find(const std::string& name);

// The builders of the models.
Graph lenet(const Settings&);
Graph lenet_smooth(const Settings&);
Graph mlp(const Settings&);

// Adds the part that all models share: the loss, the optimizer and the functions.
void classify(Graph& g, const Tensor& image, const Tensor& logits, const Tensor& label, const Settings& settings);

}  // namespace cutset::models
