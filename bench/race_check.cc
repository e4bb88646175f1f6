// SPDX-License-Identifier: Apache-2.0
// Measures how long the check of the order of memory accesses (runtime/program/check/memory.h) takes.
//
//   cutset_race_check [--rounds N]
//
//   --rounds N   checks per row; the median is printed; default: 5
//
// Each row is a training step of a deep network, divided over simulated devices, with another number of
// layers and micro-batches. `instr.` and `buffers` are the numbers of instructions and buffers of the
// function when all calls of roles are expanded. `check` is the time of check_races. `compile` is the time of
// the whole compilation, which contains the check and the expansion.
#include <cutset/cutset.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/session/configure.h"
#include "runtime/program/check/check_program.h"
#include "runtime/program/order/expand.h"

using namespace cutset;

namespace {

struct Row {
  const char *devices, *strategy;
  int64_t layers, micro_batches;
};
constexpr Row kRows[] = {
    {"sim:0", "", 200, 1},
    {"sim:0", "", 800, 1},
    {"sim:0,sim:1", "pipeline(2, micro_batches=1)", 400, 1},
    {"sim:0,sim:1", "data(2)", 400, 1},
    {"sim:0", "pipeline(1, micro_batches=16)", 80, 16},
    {"sim:0", "pipeline(1, micro_batches=96)", 80, 96},
    {"sim:0", "pipeline(1, micro_batches=256)", 80, 256},
    {"sim:0,sim:1,sim:2,sim:3", "pipeline(4, micro_batches=96)", 80, 96},
    {"sim:0,sim:1,sim:2,sim:3", "pipeline(4, micro_batches=256)", 80, 256},
    {"sim:0,sim:1,sim:2,sim:3,sim:4,sim:5,sim:6,sim:7", "pipeline(8, micro_batches=256)", 80, 256},
};

Graph build(const Row& row) {
  constexpr int64_t kWidth = 8, kRowsPerMicroBatch = 2;
  Graph g(1);
  Tensor x = g.input("x", f32, {kRowsPerMicroBatch * std::max<int64_t>(row.micro_batches, 2), kWidth}), h = x;
  for (int64_t i = 0; i < row.layers; ++i)
    h = h + 0.1 * tanh(nn::dense("layer" + std::to_string(i), h, kWidth));
  g.minimize(mean(h * h), {.learning_rate = 0.01, .momentum = 0.9});
  return g;
}

double seconds_of(const std::function<void()>& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  int rounds = 5;
  if (argc == 3 && std::string(argv[1]) == "--rounds") rounds = std::atoi(argv[2]);
  if ((argc != 1 && argc != 3) || rounds < 1 || rounds > 1000) {
    std::fprintf(stderr, "usage: %s [--rounds N]; N is 1 to 1000\n", argv[0]);
    return 2;
  }
  std::printf("%-7s %-32s %6s %9s %9s %10s %12s %11s\n", "devices", "strategy", "layers", "instr.", "buffers",
              "check ms", "ns per instr", "compile ms");
  for (const Row& row : kRows) {
    Graph graph = build(row);
    Program program;
    const double compiling = seconds_of([&] {
      const CompileConfig config = check(configure({.devices = row.devices, .strategy = row.strategy}));
      program = check(graph.state()->builder->snapshot()->compile(config)).program;
    });
    const Function f = expand(*program.find("train"));
    size_t instructions = 0;
    for (const DevicePlan& d : f.devices)
      for (const Sequence& s : d.queues) instructions += s.compute.size() + s.apply.size();
    std::vector<double> times;
    for (int r = 0; r < rounds; ++r) times.push_back(seconds_of([&] { check(check_races(f)); }));
    std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
    const double time = times[static_cast<size_t>(rounds / 2)];
    std::printf("%-7zu %-32s %6lld %9zu %9zu %10.1f %12.0f %11.0f\n", f.devices.size(), row.strategy,
                static_cast<long long>(row.layers), instructions, f.buffers.size(), time * 1e3,
                time * 1e9 / static_cast<double>(instructions), compiling * 1e3);
    std::fflush(stdout);
  }
}
