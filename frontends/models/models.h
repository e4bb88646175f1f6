// The built-in models: each a graph from a batch size and a seed, with inputs "image" and "label" and the functions
// "train", which returns "loss"; "evaluate", which returns "loss" and "correct", how many of the batch were
// classified right; and "predict", which takes "image" alone and returns "logits", "probability" and "class".
#pragma once
#include <cutset/graph.h>

#include <functional>
#include <string>
#include <vector>

namespace cutset::models {

struct Settings {
  int64_t batch = 64;
  uint64_t seed = 0;
  Sgd optimizer{0.01, 0.9};
};

struct Model {
  const char* name;
  const char* summary;
  Graph (*build)(const Settings&);
};
const std::vector<Model>& all();
// Throws cutset::Error naming the models there are.
const Model& find(const std::string& name);

Graph lenet(const Settings&);
Graph lenet_smooth(const Settings&);
Graph mlp(const Settings&);

// The end that all of them share: the functions and the optimizer.
void classify(Graph& g, const Tensor& image, const Tensor& logits, const Tensor& label, const Settings& settings);

}  // namespace cutset::models
