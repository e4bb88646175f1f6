// SPDX-License-Identifier: Apache-2.0
// Trains the network of model.h and prints the losses: program DEVICES STRATEGY [FILE]. With a FILE, it
// writes the compiled program to this file instead.
#include <cutset/saved.h>

#include <cstdio>
#include <exception>

#include "model.h"

int main(int argc, char** argv) try {
  if (argc < 3) return 2;
  const cutset::CompileOptions options{.devices = argv[1], .strategy = argv[2]};
  if (argc > 3) {
    cutset::save_program(model(12), options, argv[3]);
    return 0;
  }
  auto session = cutset::compile(model(12), options);
  for (int step = 0; step < 30; ++step)
    std::printf("%.9g\n", session.train(batch(12))["loss"].item<double>());
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
