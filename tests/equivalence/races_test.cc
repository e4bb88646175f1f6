// The check of the order of memory accesses (runtime/program/check/memory.h) refuses programs that use memory again too
// early, and accepts the programs of the compiler.
#include <cutset/cutset.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "frontends/cpp/configure.h"
#include "frontends/cpp/graph_state.h"
#include "ir/core/philox.h"
#include "runtime/program/check_program.h"
#include "runtime/program/expand.h"
#include "tests/equivalence/reuse_defects.h"

namespace cutset::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

struct Setting {
  const char *devices, *strategy;
};
constexpr Setting kSettings[] = {
    {"reference:0,sim:0", "model"},
    {"cpu:0,sim:0", "pipeline(2, micro_batches=4)"},
    {"reference:0,sim:0", "data(2)"},
    {"sim:0,reference:0", "pipeline(2, micro_batches=4, schedule=gpipe)"},
    {"sim:0,reference:0", "pipeline(2, micro_batches=4, schedule=1f1b)"},
    {"sim:0,reference:0,sim:1", "pipeline(3, micro_batches=8)"},
    {"sim:0,reference:0,sim:1", "pipeline(3, micro_batches=8, schedule=zb-h1)"},
    {"sim:0,reference:0", "pipeline(2, micro_batches=5, schedule=interleaved)"},
    {"sim:0", "pipeline(1, micro_batches=8)"},
    {"sim:0,reference:0", "data(2) * pipeline(1, micro_batches=2)"},
};

// A network whose depth, widths and batch are drawn with the seed.
Graph drawn(uint64_t seed) {
  PhiloxSequence random(seed, 7);
  const auto below = [&](uint64_t n) { return static_cast<int64_t>(random.below(n)); };
  const int64_t batch = 16 + below(25), width = 3 + below(20);
  Graph g(seed);
  Tensor x = g.input("x", f32, {batch, width}), y = g.input("y", i32, {batch}), h = x;
  for (int64_t layer = 0, layers = 3 + below(4); layer < layers; ++layer) {
    Tensor next = tanh(nn::dense(g, "layer" + std::to_string(layer), h, width));
    h = below(2) ? next + h : next;
  }
  g.output("h", h);
  g.minimize(mean(softmax_cross_entropy(nn::dense(g, "out", h, 4), y)), {.learning_rate = 0.1, .momentum = 0.9});
  return g;
}

Program compiled(const Setting& s, uint64_t seed) {
  const CompileConfig config =
      check(configure({.devices = s.devices, .strategy = s.strategy, .bucket_bytes = seed % 2 ? 0 : 2048}));
  Graph graph = drawn(seed);
  return check(graph.state()->builder->snapshot()->compile(config)).program;
}

TEST(Races, EveryPlantedReuseIsRefused) {
  std::map<std::string, int> planted;
  int defects = 0;
  for (const Setting& s : kSettings) {
    const Program program = compiled(s, 2);
    for (const Function& f : program.functions)
      for (const ReuseDefect& d : reuse_defects(f, 4)) {
        SCOPED_TRACE(std::string(s.strategy) + ", " + d.device + ": " + d.kind + ": " + d.what);
        ++planted[d.kind], ++defects;
        const Status status = check_races(d.function);
        ASSERT_FALSE(status.ok());
        // Both actions, both buffers, the device and the missing order.
        EXPECT_THAT(status.error().what,
                    ::testing::AnyOf(
                        ContainsRegex("buffer [0-9]+.* and buffer [0-9]+.* are in use at once and overlap: instruction "
                                      "[0-9]+ of the .* queue .*writes buffer [0-9]+, and (later|without waiting for "
                                      "it) .* reads buffer [0-9]+"),
                        ContainsRegex("instruction [0-9]+ of the .* queue .* (reads|writes) buffer [0-9]+.* without "
                                      "waiting for another queue: instruction [0-9]+ of the .* queue .* "
                                      "(reads|writes) .*no event orders the (in|compute|out) queue before the"),
                        ContainsRegex("instruction [0-9]+ of the .* queue .* uses buffer [0-9]+.* and buffer [0-9]+"),
                        ContainsRegex("instruction [0-9]+ of the .* queue .* reads buffer [0-9]+, which nothing has "
                                      "written")));
        // A wait also orders the queues of other devices, through messages, so its lack may show there.
        if (d.kind != "a wait too few") {
          EXPECT_THAT(status.error().what, HasSubstr(d.device));
        }
      }
  }
  EXPECT_GE(defects, 50);
  for (const std::string& kind : reuse_defect_kinds()) EXPECT_GE(planted[kind], 3) << kind;
  RecordProperty("defects", defects);
}

TEST(Races, ProgramsOfTheCompilerAreAccepted) {
  for (const Setting& s : kSettings)
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      const Program program = compiled(s, seed);  // the compiler checks the program, too
      const Status status = check_program(program);
      EXPECT_TRUE(status.ok()) << s.strategy << ", seed " << seed << ": " << status.error().what;
    }
}

// Device 0 copies a value to host memory, device 1 answers, and only then device 0 overwrites the value. No event of
// device 0 orders the two accesses; the messages do.
TEST(Races, MessagesOrderAccesses) {
  const TensorType type{DType::f32, {4}};
  const auto exchange = [&](bool answered) {
    Function f{.name = "f"};
    f.inputs.push_back({"x", type});
    f.devices = {{.device = "a"}, {.device = "b"}};
    f.devices[0].events = 1, f.devices[1].events = 1;
    f.channels.resize(2);
    for (int32_t d : {0, 1, 0}) f.buffers.push_back({.device = d, .type = type});
    auto list = [&](size_t d, Queue q) -> auto& { return f.devices[d].queues[static_cast<int>(q)].compute; };
    const auto make = [](Command c) { return Instruction{.command = std::move(c)}; };
    list(0, Queue::kIn) = {make(ReadInput{PortId(0), 0, BufferId(0)}), make(SignalEvent{EventId(0)})};
    if (answered)
      list(0, Queue::kIn).push_back(make(Receive{ChannelId(1), BufferId(2)}));
    else
      list(0, Queue::kIn).push_back(make(ReadInput{PortId(0), 0, BufferId(2)}));
    list(0, Queue::kOut) = {make(AwaitEvent{EventId(0)}), make(Send{ChannelId(0), BufferId(0)})};
    list(1, Queue::kIn) = {make(Receive{ChannelId(0), BufferId(1)}), make(SignalEvent{EventId(0)})};
    list(1, Queue::kOut) = {make(AwaitEvent{EventId(0)}), make(Send{ChannelId(1), BufferId(1)})};
    return check_races(f);
  };
  EXPECT_TRUE(exchange(true).ok()) << exchange(true).error().what;
  ASSERT_FALSE(exchange(false).ok());
  EXPECT_THAT(exchange(false).error().what,
              ContainsRegex("instruction 2 of the in queue of a writes buffer 2 .* without waiting for another queue: "
                            "instruction 1 of the out queue of a reads buffer 0 .*, which overlaps it, and no event "
                            "orders the out queue before the in queue there"));
}

}  // namespace
}  // namespace cutset::testing
