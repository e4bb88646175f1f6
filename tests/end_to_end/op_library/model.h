// SPDX-License-Identifier: Apache-2.0
// A network whose output passes through the op of the library.
#pragma once
#include <cutset/cutset.h>
#include <mine/ops.h>

inline cutset::Graph model(int64_t n) {
  using namespace cutset;
  Graph g(1);
  const Tensor x = g.input("x", f32, {n, 6}), y = g.input("y", i32, {n});
  const Tensor hidden = tanh(nn::dense("in", x, 16));
  const Tensor logits = mine::soft_cap(nn::dense("out", hidden, 3), {.limit = 2});
  g.minimize(mean(softmax_cross_entropy(logits, y)), {.learning_rate = 0.5, .momentum = 0.9});
  return g;
}

inline cutset::Batch batch(int64_t n) {
  cutset::Batch b{{"x", cutset::HostTensor({cutset::f32, {n, 6}})},
                  {"y", cutset::HostTensor({cutset::i32, {n}})}};
  for (int64_t i = 0; i < n * 6; ++i) b["x"].as<float>()[i] = static_cast<float>(i * i % 7) / 7;
  for (int64_t i = 0; i < n; ++i) b["y"].as<int32_t>()[i] = static_cast<int32_t>(i % 3);
  return b;
}
