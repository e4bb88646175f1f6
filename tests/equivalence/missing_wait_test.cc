// A wait that the compiler forgot must show: each wait of a program on simulated devices is taken away, and
// some shuffle of the queues then gives other numbers, or none.
#include <cutset/cutset.h>
#include <gtest/gtest.h>

#include "frontends/cpp/graph_state.h"
#include "runtime/executable.h"

namespace cutset::testing {
namespace {

Graph small() {
  Graph g(3);
  Tensor x = g.input("x", f32, {16, 32}), y = g.input("y", i32, {16});
  Tensor h = tanh(nn::dense(g, "fc1", x, 24));
  g.minimize(mean(softmax_cross_entropy(nn::dense(g, "fc2", h, 3), y)), {.learning_rate = 0.1});
  return g;
}

// The losses of three steps; empty if a step failed.
std::vector<double> losses(const Program& program, uint64_t seed) {
  auto machine = *Machine::open(*describe_devices({.devices = "sim:0,sim:1", .simulation_seed = seed}));
  auto executable = *Executable::load(*machine, program);
  for (const Variable& v : program.variables) {
    HostTensor value(v.type);
    for (int64_t i = 0; i < v.type.elements(); ++i)
      value.as<float>()[i] = static_cast<float>((i * 7 + 3) % 11) * 0.02f - 0.1f;
    EXPECT_TRUE(machine->write_variable(v.name, value).ok());
  }
  std::vector<double> result;
  for (int step = 0; step < 3; ++step) {
    HostTensor x({f32, {16, 32}}), y({i32, {16}});
    for (int i = 0; i < 16 * 32; ++i) x.as<float>()[i] = static_cast<float>((i * (step + 5)) % 13) * 0.1f;
    for (int i = 0; i < 16; ++i) y.as<int32_t>()[i] = (i + step) % 3;
    const HostTensor* feeds[] = {&x, &y};
    auto out = executable->run("train", feeds);
    if (!out) return {};
    result.push_back((*out)[0].at(0));
  }
  return result;
}

TEST(Asynchrony, EveryWaitThatIsMissingShows) {
  Graph graph = small();
  CompileRequest request;
  request.devices.devices = "sim:0,sim:1";
  Program program = check(graph.state()->builder->compile(request)).program;
  const std::vector<double> want = losses(program, 0);
  ASSERT_EQ(want.size(), 3u);
  for (uint64_t seed = 1; seed < 5; ++seed) EXPECT_EQ(losses(program, seed), want);
  int waits = 0;
  for (Function& f : program.functions) {
    if (f.name != "train") continue;
    for (DevicePlan& d : f.devices)
      for (Sequence& s : d.queues)
        for (size_t i = 0; i < s.compute.size(); ++i) {
          if (s.compute[i].kind != Instruction::Kind::kWait) continue;
          ++waits;
          const Instruction wait = s.compute[i];
          s.compute.erase(s.compute.begin() + static_cast<int64_t>(i));
          bool shows = false;
          for (uint64_t seed = 0; seed < 200 && !shows; ++seed) shows = losses(program, seed) != want;
          EXPECT_TRUE(shows) << d.device << ": the wait for event " << wait.index << " can be left out unnoticed";
          s.compute.insert(s.compute.begin() + static_cast<int64_t>(i), wait);
        }
  }
  EXPECT_GE(waits, 6);
}

}  // namespace
}  // namespace cutset::testing
