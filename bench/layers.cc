// SPDX-License-Identifier: Apache-2.0
// Times training steps of one layer, for bench/layers_beside_torch.py.
//
//   cutset_layers DEVICE THREADS LAYER
//
// LAYER is attention, layer_norm, embedding_bag, lstm or adam. The parameters and all operands except the
// indices are variables, so a step computes every gradient and updates every variable. For each line with a
// number N on its standard input, the program runs N steps and prints their mean time in milliseconds.
#include <cutset/attention.h>
#include <cutset/cutset.h>
#include <cutset/indexing.h>
#include <cutset/optimizers.h>
#include <cutset/session.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

using namespace cutset;

namespace {

Tensor parameter(Graph& g, const char* name, const Shape& shape) {
  return g.variable(name, f32, shape, Initializer::normal(0, 1));
}

// Each function below returns the loss. bench/layers_beside_torch.py has the same layers with the same sizes.
Tensor attention_of_heads(Graph& g) {
  const Shape shape = {8, 8, 256, 64};
  return mean(
      attention(parameter(g, "query", shape), parameter(g, "key", shape), parameter(g, "value", shape))
          .output);
}
Tensor normalized(Graph& g) {
  const Tensor y = nn::layer_norm("norm", parameter(g, "x", {4096, 768}));
  return mean(y * y);
}
Tensor bags(Graph& g) {
  const Tensor ids = g.input("ids", i64, {512, 32});
  return mean(embedding_bag(parameter(g, "table", {20000, 128}), ids, BagMode::kMean));
}
Tensor sequences(Graph& g) {
  return mean(nn::lstm("lstm", parameter(g, "x", {64, 32, 256}), {.hidden = 256}).output);
}
Tensor square(Graph& g) {
  const Tensor w = parameter(g, "w", {4'000'000});
  return mean(w * w);
}

Batch batch_of(const std::string& layer) {
  if (layer != "embedding_bag") return {};
  HostTensor ids({i64, {512, 32}});
  uint64_t state = 1;
  for (int64_t i = 0; i < ids.elements(); ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;  // the generator MMIX of Knuth
    ids.as<int64_t>()[static_cast<size_t>(i)] = static_cast<int64_t>((state >> 33) % 20000);
  }
  return {{"ids", ids}};
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, Tensor (*)(Graph&)> layers = {{"attention", attention_of_heads},
                                                            {"layer_norm", normalized},
                                                            {"embedding_bag", bags},
                                                            {"lstm", sequences},
                                                            {"adam", square}};
  if (argc != 4 || !layers.contains(argv[3])) {
    std::fprintf(stderr,
                 "usage: cutset_layers DEVICE THREADS attention|layer_norm|embedding_bag|lstm|adam\n");
    return 2;
  }
  try {
    const std::string layer = argv[3];
    Graph g(1);
    const Tensor loss = layers.at(layer)(g);
    if (layer == "adam")
      g.minimize(loss, Adam{.learning_rate = 1e-3});
    else
      g.minimize(loss, Sgd{.learning_rate = 1e-3});
    Session session = compile(g, {.devices = argv[1], .threads = std::atoi(argv[2])});
    const Batch batch = batch_of(layer);
    for (int64_t steps; std::cin >> steps;) {
      const auto start = std::chrono::steady_clock::now();
      for (int64_t i = 0; i < steps; ++i) session.train(batch);
      const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
      std::printf("%f\n", time.count() / static_cast<double>(steps));
      std::fflush(stdout);
    }
  } catch (const Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
