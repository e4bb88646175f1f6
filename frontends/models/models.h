// The built-in models: each a graph from a batch size and a seed, with inputs "image" and "label", outputs
// "loss" and "correct" (how many of the batch were classified right), and a function "train".
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

// The end that all of them share: loss, count of correct answers, optimizer.
void classify(Graph& g, const Tensor& logits, const Tensor& label, const Settings& settings);

}  // namespace cutset::models
