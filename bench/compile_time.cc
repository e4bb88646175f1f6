// SPDX-License-Identifier: Apache-2.0
// Measures the time and the memory of compilation for generated training graphs with any number of
// operations.
//
//   cutset_compile_time --family small --ops 1000,10000,100000 --devices cpu:0,cpu:1 --strategy "data(2)"
//   --phases
//
// There are three families of graphs. `small` is a chain of tanh, add and mul over 16x16 tensors with a
// matrix product after every 50 operations. `dense` is a chain of dense layers, which are two operations
// each. `mlp` is a chain of dense layers and relu, which are three operations together.
//
// Each size is measured in a separate process and printed as one row. `build s` is the CPU time of building
// the graph. `seconds` is the wall-clock time of compile(), up to a session that is ready to run. `cpu s` is
// the CPU time of all threads during that call; load from other processes lengthens the wall-clock time but
// not the CPU time. `compiler` is the CPU time of the compiler in a second compilation of the graph. `again`
// is the CPU time of the compiler in a third compilation, for inputs with half as many rows. The third
// compilation takes the devices of ops and variables from the second, as a session does for another batch
// shape. With --phases, each phase has a column: the CPU time of compiling up to the end of the phase, minus
// the CPU time up to the end of the phase before it. The last column includes the emission of the program.
#include <cutset/cutset.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/session/configure.h"

using namespace cutset;

namespace {

constexpr int64_t kRows = 16, kColumns = 16;

struct Setting {
  std::string family = "small", devices = "cpu:0", strategy;
  std::vector<int64_t> ops{1000, 10000};
  bool phases = false;
};

Tensor small(Graph& g, Tensor x, int64_t ops) {
  Tensor h = x, before = x;
  for (int64_t i = 0; i < ops; ++i) {
    if (i % 50 == 49) {
      h = matmul(
          h, g.variable("w" + std::to_string(i), f32, {kColumns, kColumns}, Initializer::uniform(-0.4, 0.4)));
    } else if (i % 3 == 0) {
      before = h;
      h = tanh(h);
    } else {
      h = i % 3 == 1 ? h + x : h * before;
    }
  }
  return h;
}

Tensor layers(Graph& g, Tensor x, int64_t ops, bool with_relu) {
  const int64_t each = with_relu ? 3 : 2;
  for (int64_t i = 0; i < ops / each; ++i) {
    x = nn::dense("dense" + std::to_string(i), x, kColumns);
    if (with_relu) x = relu(x);
  }
  return x;
}

Graph build(const std::string& family, int64_t ops) {
  Graph g(1);
  Tensor x = g.input("x", f32, {kRows, kColumns});
  Tensor y = family == "small" ? small(g, x, ops) : layers(g, x, ops, family == "mlp");
  g.minimize(mean(y * y), {.learning_rate = 0.01, .momentum = 0.9});
  return g;
}

rusage usage() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return u;
}
double processor_seconds() {
  const rusage u = usage();
  auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(u.ru_utime) + seconds(u.ru_stime);
}
double processor_seconds_of(auto&& f) {
  const double start = processor_seconds();
  f();
  return processor_seconds() - start;
}
double peak_mebibytes() { return static_cast<double>(usage().ru_maxrss) / 1024; }

// Totals over all functions of a program.
struct Counts {
  size_t instructions = 0, buffers = 0;
};
Counts counts_of(const Program& program) {
  Counts c;
  for (const Function& f : program.functions) {
    c.buffers += f.buffers.size();
    for (const DevicePlan& d : f.devices)
      for (const Sequence& s : d.queues) c.instructions += s.compute.size() + s.apply.size();
  }
  return c;
}

std::vector<std::string> phases() { return check(load_compiler())->phases(); }

void print_header(const Setting& s) {
  std::printf("%-6s %-12s %-9s %7s %8s %8s %8s %9s %8s %9s %9s %9s %8s", "family", "devices", "strategy",
              "ops", "build s", "seconds", "cpu s", "compiler", "again", "s/1k ops", "instr.", "buffers",
              "peak MiB");
  for (const std::string& phase : phases())
    if (s.phases) std::printf(" %8.8s", phase.c_str());
  std::printf("\n");
}

void print_row(const Setting& s, int64_t ops) {
  std::optional<Graph> graph;
  const double building = processor_seconds_of([&] { graph = build(s.family, ops); });
  const CompileOptions options{.devices = s.devices, .strategy = s.strategy};
  std::optional<Session> session;
  double all = 0;
  const double processor = processor_seconds_of([&] {
    const auto start = std::chrono::steady_clock::now();
    session.emplace(compile(*graph, options));
    all = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  });
  const double peak = peak_mebibytes();
  session.reset();
  CompileConfig config = check(configure(options));
  const auto snapshot = graph->state()->builder->snapshot();
  CompileResult first;
  const double compiler = processor_seconds_of([&] { first = check(snapshot->compile(config)); });
  const Counts counts = counts_of(first.program);
  CompileConfig other = config;
  follow(other, first);
  other.input_shapes["x"] = {kRows / 2, kColumns};
  const double again = processor_seconds_of([&] { (void)check(snapshot->compile(other)); });
  std::printf("%-6s %-12s %-9s %7lld %8.2f %8.2f %8.2f %9.2f %8.2f %9.3f %9zu %9zu %8.0f", s.family.c_str(),
              s.devices.c_str(), s.strategy.empty() ? "-" : s.strategy.c_str(), static_cast<long long>(ops),
              building, all, processor, compiler, again, 1000 * processor / static_cast<double>(ops),
              counts.instructions, counts.buffers, peak);
  double before = 0;
  for (const std::string& phase : phases()) {
    if (!s.phases) break;
    config.last_phase = phase;
    const double now = processor_seconds_of([&] { (void)check(snapshot->compile(config)); });
    std::printf(" %8.3f", now - before);
    before = now;
  }
  std::printf("\n");
}

bool parse(int argc, char** argv, Setting& s) {
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--phases") {
      s.phases = true;
      continue;
    }
    if (i + 1 == argc) return false;
    const std::string value = argv[++i];
    if (flag == "--family" && (value == "small" || value == "dense" || value == "mlp")) {
      s.family = value;
    } else if (flag == "--devices") {
      s.devices = value;
    } else if (flag == "--strategy") {
      s.strategy = value;
    } else if (flag == "--ops") {
      s.ops.clear();
      for (const char* at = value.c_str(); *at;) {
        char* end = nullptr;
        s.ops.push_back(std::strtoll(at, &end, 10));
        if (end == at || s.ops.back() < 3 || (*end && *end != ',')) return false;
        at = *end ? end + 1 : end;
      }
    } else {
      return false;
    }
  }
  return !s.ops.empty();
}

}  // namespace

int main(int argc, char** argv) {
  Setting setting;
  if (!parse(argc, argv, setting)) {
    std::fprintf(stderr,
                 "usage: %s [--family small|dense|mlp] [--ops N,N,...] [--devices D,D,...] [--strategy S] "
                 "[--phases]\n",
                 argv[0]);
    return 2;
  }
  print_header(setting);
  int failures = 0;
  for (int64_t ops : setting.ops) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      try {
        print_row(setting, ops);
      } catch (const std::exception& e) {
        std::printf("%lld operations: %s\n", static_cast<long long>(ops), e.what());
        std::fflush(stdout);
        _exit(1);
      }
      std::fflush(stdout);
      _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
      if (WIFSIGNALED(status))
        std::printf("%lld operations: signal %d\n", static_cast<long long>(ops), WTERMSIG(status));
      ++failures;
    }
  }
  return failures != 0;
}
