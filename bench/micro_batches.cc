// SPDX-License-Identifier: Apache-2.0
// Measures how a program grows with the number of micro-batches.
//
//   cutset_micro_batches [--devices D,D,...] [--schedule S] [--device-file FILE] [--threads N]
//                        [--layers N] [--rows N] [--width N] [--rounds N]
//                        [--micro-batches N,N,...] [--trace PREFIX]
//
//   --devices    the devices of the pipeline; default: cpu:0
//   --schedule   the schedule of the pipeline; default: 1f1b; it may be followed by `, chunks=V`
//   --device-file FILE  the performance models of the devices; default: the
//                models of the backends
//   --threads N  threads per CPU device; default: 0, which divides the cores
//   --layers N   residual layers of the network; default: 40
//   --rows N     rows per micro-batch, which stay the same; default: 16
//   --width N    the width of a layer; default: 256
//   --rounds N   compilations and steps per row; the medians are printed; default: 5; each round compiles
//                the programs of all rows in turn
//   --micro-batches N,N,...  the rows; default: 1,2,4,8,16,32
//   --trace PREFIX  records one step per row as PREFIX followed by the number of micro-batches and
//                `.json`, for bench/bubble.py; default: no trace
//
// Each row is a program with another number of micro-batches. The first row has no micro-batches: the graph
// is on one device, or split over the devices by the strategy `model`. The columns are
// - `roles`, `kernels` (in roles), `instr.` (one per call) and `buffers`: their numbers in the program;
// - `compile`: the CPU time of the compiler;
// - `load`: the wall-clock time to load the program;
// - `expanded`: the number of instructions after the expansion of all calls;
// - `arena`: the memory of a step on the first device;
// - `places`: the number of different combinations of a role and the addresses of its arguments in the calls
//   of all devices;
// - `most`: the largest number of such combinations for one role;
// - `step/mb`: the wall-clock time of a training step, divided by the number of micro-batches.
#include <cutset/cutset.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/session/configure.h"
#include "runtime/program/order/expand.h"
#include "tests/equivalence/support/places.h"

using namespace cutset;

namespace {

struct Setting {
  std::string devices = "cpu:0", schedule = "1f1b", device_file, micro_batches = "1,2,4,8,16,32", trace;
  int64_t layers = 40, rows = 16, width = 256, rounds = 5, threads = 0;
  int64_t number_of_devices() const { return 1 + std::count(devices.begin(), devices.end(), ','); }

  bool parse(int argc, char** argv) {
    for (int a = 1; a + 1 < argc; a += 2) {
      const std::string option = argv[a];
      std::string* text = option == "--devices"         ? &devices
                          : option == "--schedule"      ? &schedule
                          : option == "--device-file"   ? &device_file
                          : option == "--micro-batches" ? &micro_batches
                          : option == "--trace"         ? &trace
                                                        : nullptr;
      if (text) {
        *text = argv[a + 1];
        continue;
      }
      int64_t* number = option == "--layers"    ? &layers
                        : option == "--rows"    ? &rows
                        : option == "--width"   ? &width
                        : option == "--rounds"  ? &rounds
                        : option == "--threads" ? &threads
                                                : nullptr;
      char* end = nullptr;
      if (number) *number = std::strtoll(argv[a + 1], &end, 10);
      if (!number || *end || *number < (number == &threads ? 0 : 1) || *number > 100'000) return false;
    }
    return argc % 2 == 1;
  }
};

Graph build(const Setting& s, int64_t micro_batches) {
  Graph g(1);
  Tensor x = g.input("x", f32, {s.rows * micro_batches, s.width}), h = x;
  for (int64_t i = 0; i < s.layers; ++i)
    h = h + 0.1 * tanh(nn::dense("layer" + std::to_string(i), h, s.width));
  g.minimize(mean(h * h), {.learning_rate = 0.01, .momentum = 0.9});
  return g;
}

double median(std::vector<double> all) {
  const auto middle = all.begin() + static_cast<int64_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}
double median(int64_t rounds, const std::function<double()>& measure) {
  std::vector<double> all;
  for (int64_t i = 0; i < rounds; ++i) all.push_back(measure());
  return median(std::move(all));
}
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
double seconds_of(const std::function<void()>& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A row: a graph with its strategy, and the results of its compilations.
struct Row {
  int64_t micro_batches;
  Graph graph;
  CompileOptions options;
  CompileConfig config;
  std::shared_ptr<const GraphSnapshot> snapshot;
  std::vector<double> seconds = {};  // the CPU time of each compilation
  Program program = {};              // the program of the last compilation

  void compile_once() {
    program = {};  // freeing the program of the round before is not part of a compilation
    const double start = processor_seconds();
    program = check(snapshot->compile(config)).program;
    seconds.push_back(processor_seconds() - start);
  }
};

Row prepare(const Setting& s, int64_t micro_batches) {
  const std::string strategy = micro_batches > 1 ? "pipeline(" + std::to_string(s.number_of_devices()) +
                                                       ", micro_batches=" + std::to_string(micro_batches) +
                                                       ", schedule=" + s.schedule + ")"
                                                 : "";
  Row row{micro_batches, build(s, micro_batches), {}, {}, {}};
  row.options = {.devices = s.devices,
                 .strategy = strategy,
                 .threads = static_cast<int>(s.threads),
                 .device_file = s.device_file};
  row.config = check(configure(row.options));
  row.snapshot = row.graph.state()->builder->snapshot();
  return row;
}

void print_row(const Setting& s, Row& row) {
  const double compiling = median(row.seconds);
  const int64_t micro_batches = row.micro_batches;
  Session session = compile(row.graph, row.options);
  Batch batch{{"x", HostTensor({f32, {s.rows * micro_batches, s.width}})}};
  for (int i = 0; i < 3; ++i) session.train(batch);
  const double step = median(s.rounds, [&] { return seconds_of([&] { session.train(batch); }); });
  if (!s.trace.empty()) {
    session.start_trace();
    session.train(batch);
    session.write_trace(s.trace + std::to_string(micro_batches) + ".json");
  }
  const double loading =
      median(s.rounds, [&] { return seconds_of([&] { (void)compile(row.graph, row.options); }); }) -
      compiling;
  const Function& f = *row.program.find("train");
  size_t kernels = 0;
  for (const Role& r : f.roles) kernels += r.body.size();
  auto instructions = [](const Function& of) {
    size_t n = 0;
    for (const DevicePlan& d : of.devices)
      for (const Sequence& q : d.queues) n += q.compute.size() + q.apply.size();
    return n;
  };
  size_t places = 0, most = 0;
  for (const auto& [role, of_role] : testing::places_of_calls(f)) {
    places += of_role.size();
    most = std::max(most, of_role.size());
  }
  std::printf("%6lld %6zu %8zu %8zu %8zu %9zu %10.4f %8.4f %10.1f %6zu %5zu %12.2f\n",
              static_cast<long long>(micro_batches), f.roles.size(), kernels, instructions(f),
              f.buffers.size(), instructions(expand(f)), compiling, loading,
              static_cast<double>(f.devices[0].arena_bytes) / 1048576, places, most,
              1000 * step / static_cast<double>(micro_batches));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Setting setting;
  if (!setting.parse(argc, argv)) {
    std::fprintf(stderr,
                 "usage: %s [--devices D,D,...] [--schedule S] [--device-file FILE] [--threads N] [--layers "
                 "N] [--rows N] [--width N] [--rounds N] [--micro-batches N,N,...] [--trace PREFIX]\n",
                 argv[0]);
    return 2;
  }
  std::printf("%6s %6s %8s %8s %8s %9s %10s %8s %10s %6s %5s %12s\n", "m", "roles", "kernels", "instr.",
              "buffers", "expanded", "compile s", "load s", "arena MiB", "places", "most", "step/mb ms");
  try {
    std::vector<Row> rows;
    std::istringstream numbers(setting.micro_batches);
    for (std::string number; std::getline(numbers, number, ',');)
      rows.push_back(prepare(setting, std::stoll(number)));
    for (int64_t i = 0; i < setting.rounds; ++i)
      for (Row& row : rows) row.compile_once();
    for (Row& row : rows) print_row(setting, row);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
    return 1;
  }
  return 0;
}
