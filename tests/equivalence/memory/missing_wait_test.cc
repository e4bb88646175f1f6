// SPDX-License-Identifier: Apache-2.0
// Tests that every wait between queues is needed, and that a missing wait is found. The test removes each
// wait of several programs in turn. HappensBefore then finds instructions that access the same memory without
// an order, and other orders of the queues may change the results. No wait follows from other waits.
#include <cutset/cutset.h>
#include <gtest/gtest.h>

#include <cctype>

#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/session/configure.h"
#include "ir/core/philox.h"
#include "runtime/execute/executable.h"
#include "runtime/program/check/check_program.h"
#include "runtime/program/order/expand.h"
#include "tests/equivalence/support/happens_before.h"

namespace cutset::testing {
namespace {

Graph small() {
  Graph g(3);
  Tensor x = g.input("x", f32, {16, 32}), y = g.input("y", i32, {16});
  Tensor h = tanh(nn::dense("fc1", x, 24));
  g.output("h", h);
  g.minimize(mean(softmax_cross_entropy(nn::dense("fc2", h, 3), y)), {.learning_rate = 0.1, .momentum = 0.9});
  return g;
}

HostTensor drawn(const TensorType& type, uint64_t stream) {
  PhiloxSequence random(5, stream);
  HostTensor t(type);
  for (int64_t i = 0; i < type.elements(); ++i)
    t.set(i, is_float(type.dtype) ? 0.4 * random.unit() - 0.2 : static_cast<double>(random.below(3)));
  return t;
}

// Runs two steps of each function. Returns the bytes of all results and variables, or the text of the first
// error.
std::string results(const Program& program, const std::string& devices, uint64_t seed) {
  auto executor = Executor::open(*describe_devices({.devices = devices, .simulation_seed = seed}));
  if (!executor) return executor.error().text();
  auto executable = Executable::load(**executor, program);
  if (!executable) return executable.error().text();
  for (size_t v = 0; v < program.variables.size(); ++v)
    EXPECT_TRUE(
        (*executor)->variables().write(program.variables[v].name, drawn(program.variables[v].type, v)).ok());
  std::string bytes;
  auto add = [&](const HostTensor& t) {
    bytes.append(reinterpret_cast<const char*>(t.data()), t.bytes().size());
  };
  for (uint64_t step = 0; step < 2; ++step)
    for (const Function& f : program.functions) {
      std::vector<HostTensor> values;
      std::vector<const HostTensor*> feeds;
      for (const Port& p : caller_inputs(f))
        values.push_back(drawn(p.type, 100 * (step + 1) + values.size()));
      for (const HostTensor& v : values) feeds.push_back(&v);
      auto out = (*executable)->run(f.name, feeds);
      if (!out) return out.error().text();
      for (const HostTensor& t : *out) add(t);
    }
  for (const Variable& v : program.variables)
    for (size_t copy = 0; copy < (*executor)->variables().copies(v.name); ++copy)
      if (auto value = (*executor)->variables().read(v.name, copy)) add(*value);
  return bytes;
}

struct Split {
  const char *devices, *strategy;
};
class MissingWaits : public ::testing::TestWithParam<Split> {};

TEST_P(MissingWaits, AreNeededAndFound) {
  const auto [devices, strategy] = GetParam();
  if (auto described = describe_devices({.devices = devices}); !described.ok())
    GTEST_SKIP() << described.error().text();
  Graph graph = small();
  const CompileConfig config =
      check(configure({.devices = devices, .strategy = strategy, .bucket_bytes = 2048}));
  Program program = expand(check(graph.state()->builder->snapshot()->compile(config)).program);
  const std::string want = results(program, devices, 0);
  for (uint64_t seed = 1; seed < 5; ++seed) EXPECT_EQ(results(program, devices, seed), want);
  int needed = 0, shown = 0;
  for (Function& f : program.functions) {
    const HappensBefore sound(f);
    const size_t related = HappensBefore(f, false).related();
    EXPECT_TRUE(sound.unordered().empty())
        << f.name << ": " << sound.unordered().size()
        << " pairs of instructions access the same memory without an order";
    for (DevicePlan& d : f.devices)
      for (Sequence& s : d.queues)
        for (auto* list : {&s.compute, &s.apply})
          for (size_t i = 0; i < list->size(); ++i) {
            if (!(*list)[i].is<AwaitEvent>()) continue;
            const Instruction wait = (*list)[i];
            const std::string event = std::to_string(wait.as<AwaitEvent>()->event.value);
            list->erase(list->begin() + static_cast<int64_t>(i));
            const HappensBefore without(f);
            EXPECT_LT(HappensBefore(f, false).related(), related)
                << f.name << " on " << d.device << ": other waits imply the wait for event " << event;
            ++needed;
            EXPECT_FALSE(without.unordered().empty())
                << f.name << " on " << d.device
                << ": all accesses are ordered even without the wait for event " << event;
            EXPECT_FALSE(check_races(f).ok())
                << f.name << " on " << d.device << ": the check accepts the function "
                << "without the wait for event " << event;
            bool shows = false;
            for (uint64_t seed = 0; seed < 60 && !shows; ++seed)
              shows = results(program, devices, seed) != want;
            shown += shows;
            list->insert(list->begin() + static_cast<int64_t>(i), wait);
          }
  }
  EXPECT_GE(needed, 8);
  // The timing of threads decides which missing waits change results. The test therefore requires only one
  // change of results. The checks above cover the order of accesses.
  EXPECT_GT(shown, 0) << "no missing wait has changed a result";
  RecordProperty("waits_that_are_needed", needed);
  RecordProperty("waits_that_show", shown);
}
std::string name_of_split(const ::testing::TestParamInfo<Split>& info) {
  std::string name = info.param.strategy;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(
    Splits, MissingWaits,
    ::testing::Values(Split{"sim:0,sim:1", "pipeline(2, micro_batches=1)"}, Split{"sim:0,sim:1", "data(2)"},
                      Split{"sim:0", "pipeline(1, micro_batches=3)"},
                      Split{"sim:0,sim:1", "pipeline(2, micro_batches=3)"},
                      Split{"sim:0,sim:1", "pipeline(2, micro_batches=3, schedule=zb-h1)"},
                      Split{"sim:0,sim:1", "pipeline(2, micro_batches=3, schedule=interleaved)"},
                      Split{"sim:0,sim:1,sim:2,sim:3", "data(2) * pipeline(2, micro_batches=1)"},
                      Split{"sim:0,sim:1", "data(2) * pipeline(1, micro_batches=2)"},
                      Split{"sim:0,sim:1", "tensor(2)"},
                      Split{"sim:0,sim:1,sim:2,sim:3", "pipeline(2, micro_batches=2) * tensor(2)"},
                      Split{"sim:0,sim:1", "data(2, shard=gradients)"}),
    name_of_split);
// The double of NVIDIA's driver draws another order of the streams for each run
// (tests/cuda/driver/commands.h).
INSTANTIATE_TEST_SUITE_P(cuda, MissingWaits,
                         ::testing::Values(Split{"cuda:0,cuda:1", "pipeline(2, micro_batches=1)"},
                                           Split{"cuda:0,cuda:1", "data(2)"}),
                         name_of_split);

// Queues without a common event are not ordered.
TEST(HappensBefore, FindsAccessesThatNothingOrders) {
  Function f;
  f.buffers.push_back({.device = 0, .type = {DType::f32, {4}}});
  f.devices.resize(1);
  const Instruction write{.command = ReadInput{.to = BufferId(0)}},
      read{.command = WriteOutput{.from = BufferId(0)}}, signal{.command = SignalEvent{EventId(0)}},
      wait{.command = AwaitEvent{EventId(0)}};
  f.devices[0].queues[0].compute = {write, signal};
  f.devices[0].queues[2].compute = {read};
  EXPECT_EQ(HappensBefore(f).unordered().size(), 1u);
  f.devices[0].queues[2].compute = {wait, read};
  EXPECT_TRUE(HappensBefore(f).unordered().empty());
  EXPECT_EQ(HappensBefore(f).ordered().size(), 1u);
  f.devices[0].queues[2].compute = {read, wait};
  EXPECT_EQ(HappensBefore(f).unordered().size(), 1u);
}

}  // namespace
}  // namespace cutset::testing
