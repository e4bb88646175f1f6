// SPDX-License-Identifier: Apache-2.0
// The first network: builds LeNet, trains it on Fashion-MNIST on one CPU device, and prints the loss of each
// step.
//
//   build/release/bin/first_network [STEPS] [FOLDER]
//
// STEPS is the number of training steps (default: 100). FOLDER holds the four files of Fashion-MNIST
// (default: the folder of Debian's package dataset-fashion-mnist). The exit code is 77 if the data set is
// missing.
#include <cutset/cutset.h>

#include <cstdio>
#include <cstdlib>

using namespace cutset;

namespace {

constexpr int64_t kBatch = 64;

Graph build() {
  Graph g(/*seed=*/1);
  Tensor image = g.input("image", f32, {kBatch, 1, 28, 28});
  Tensor label = g.input("label", i32, {kBatch});
  Tensor x = image;
  for (auto [name, channels] : {std::pair("conv1", 20), std::pair("conv2", 50)})
    x = max_pool(relu(nn::conv(name, x, {.out_channels = channels, .kernel_size = 5})), {.kernel_size = 2});
  x = relu(nn::dense("fc1", flatten(x), 500));
  Tensor logits = nn::dense("fc2", x, 10);
  g.minimize(mean(softmax_cross_entropy(logits, label)), {.learning_rate = 0.01, .momentum = 0.9});
  return g;
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t steps = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100;
  const char* folder = argc > 2 ? argv[2] : "";
  try {
    const data::Dataset images = data::fashion_mnist("train", folder);
    Session session = compile(build());
    for (auto& batch : images.shuffle(/*seed=*/1).batch(kBatch).prefetch(2)) {
      if (session.step() == steps) break;
      const float loss = session.train(batch)["loss"].item<float>();
      std::printf("step %llu: loss %.4f\n", static_cast<unsigned long long>(session.step()), loss);
    }
  } catch (const Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return e.code() == ErrorCode::kUnavailable ? 77 : 1;
  }
}
