// SPDX-License-Identifier: Apache-2.0
// Tests that a step uses exactly the planned memory, and that a device's memory limit is checked before
// anything is allocated.
#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <optional>

#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/session/configure.h"
#include "frontends/models/models.h"
#include "ir/core/philox.h"
#include "runtime/execute/executable.h"
#include "runtime/execute/executor.h"
#include "runtime/program/forecast.h"
#include "tests/equivalence/support/runs.h"
#include "tests/temporary_folder.h"

namespace cutset::testing {
namespace {

Program compiled(const std::string& model, const CompileOptions& options) {
  Graph g = models::find(model).build({13, 1, {}});
  return check(g.state()->builder->snapshot()->compile(check(configure(options)))).program;
}

HostTensor random_numbers(const TensorType& type, uint64_t stream) {
  PhiloxSequence random(1, stream);
  HostTensor t(type);
  for (int64_t i = 0; i < type.elements(); ++i)
    t.set(i, is_float(type.dtype) ? 0.2 * random.unit() - 0.1 : static_cast<double>(random.below(10)));
  return t;
}

// Observes a step and measures how much of each arena its instructions access. It also checks that every
// operand still has the bytes that were written, so no memory is reused too early.
class Touched : public Observer {
 public:
  Touched(Executable& executable, const Function& function)
      : executable_(executable),
        function_(function),
        top_(function.devices.size()),
        made_(function.buffers.size()) {}

  Status before(const PlacedInstruction& place) override {
    for (BufferId b : place.instruction->operands()) {
      CUTSET_TRY(touch(b));
      const auto& made = made_[root(b).index()];
      if (!made) continue;
      CUTSET_ASSIGN(const HostTensor found, executable_.read_buffer(function_.name, root(b)));
      EXPECT_EQ(found, *made) << function_.name << ": '" << place.instruction->op() << "' of "
                              << place.instruction->layer() << " finds other bytes in buffer " << b.value
                              << " than were written";
      ++read_;
    }
    return {};
  }
  Status after(const PlacedInstruction& place) override {
    const Instruction& i = *place.instruction;
    for (const auto list : {i.results(), i.pieces()})
      for (BufferId b : list) {
        CUTSET_TRY(touch(b));
        CUTSET_ASSIGN(made_[root(b).index()], executable_.read_buffer(function_.name, root(b)));
      }
    return {};
  }

  uint64_t top(size_t device) const { return top_[device]; }
  int read() const { return read_; }

 private:
  BufferId root(BufferId b) const {
    while (function_.buffers[b].view_of.is_set()) b = function_.buffers[b].view_of;
    return b;
  }
  Status touch(BufferId b) {
    const Buffer& buffer = function_.buffers[b];
    if (buffer.storage != Storage::kArena) return {};
    uint64_t& top = top_[static_cast<size_t>(buffer.device)];
    top = std::max(top, buffer.offset + static_cast<uint64_t>(buffer.type.bytes()));
    return {};
  }

  Executable& executable_;
  const Function& function_;
  std::vector<uint64_t> top_;                    // by device: the end of the highest buffer that was accessed
  std::vector<std::optional<HostTensor>> made_;  // by buffer: the value that was written last
  int read_ = 0;                                 // the number of operands that were compared
};

TEST(Memory, AStepUsesExactlyThePlannedMemory) {
  for (const char* model : {"lenet", "lenet-smooth", "mlp"})
    for (const auto& [devices, strategy] : {std::pair("reference:0", ""), std::pair("cpu:0", ""),
                                            std::pair("reference:0,sim:0", "pipeline(2, micro_batches=1)"),
                                            std::pair("reference:0,sim:0", "data(2)")}) {
      if (!have(devices)) continue;
      const CompileOptions options{.devices = devices, .strategy = strategy};
      const Program program = compiled(model, options);
      const DeviceList described = check(describe_devices({.devices = devices}));
      const auto wanted = check(forecast(program, described));
      auto executor = check(Executor::open(described));
      auto executable = check(Executable::load(*executor, program));
      for (size_t d = 0; d < executor->devices().size(); ++d)
        EXPECT_EQ(executor->devices().device(d).allocated_bytes(), wanted[d].total()) << wanted[d].device;
      for (const Variable& v : program.variables)
        check(executor->variables().write(v.name, random_numbers(v.type, 1)));
      for (const Function& f : executable->program().functions) {
        std::vector<HostTensor> inputs;
        std::vector<const HostTensor*> feeds;
        for (const Port& p : caller_inputs(f)) inputs.push_back(random_numbers(p.type, 2));
        for (const HostTensor& t : inputs) feeds.push_back(&t);
        Touched touched(*executable, f);
        check(executable->step_through(f.name, feeds, touched));
        EXPECT_GE(touched.read(), 8);
        for (size_t d = 0; d < f.devices.size(); ++d) {
          EXPECT_EQ(touched.top(d), f.devices[d].arena_bytes) << model << " " << devices << " " << f.name;
          EXPECT_LE(f.devices[d].lower_bound_bytes, f.devices[d].arena_bytes);
          EXPECT_LE(static_cast<double>(f.devices[d].arena_bytes),
                    1.02 * static_cast<double>(f.devices[d].lower_bound_bytes) + 4096)
              << model << " " << devices << " " << f.name;
        }
      }
    }
}

// Programs of one session share the arena of a device. A program that had to leave the arena computes the
// same bits again.
TEST(Memory, ProgramsShareTheArenaOfADevice) {
  for (const char* devices : {"cpu:0", "opencl:0", "reference:0,sim:0"}) {
    if (!have(devices)) continue;
    const std::string strategy =
        std::string(devices).find(',') == std::string::npos ? "" : "pipeline(2, micro_batches=1)";
    CompileConfig config = check(configure({.devices = devices, .strategy = strategy}));
    auto program_of = [&](int64_t batch) {
      Graph g = models::find("mlp").build({batch, 1, {}});
      CompileResult result = check(g.state()->builder->snapshot()->compile(config));
      follow(config, result);  // a variable has the same homes in both programs
      return std::move(result.program);
    };
    const Program small = program_of(4), large = program_of(16);
    auto executor = check(Executor::open(config.devices));
    auto first = check(Executable::load(*executor, small));
    for (const Variable& v : small.variables)
      check(executor->variables().write(v.name, random_numbers(v.type, 1)));
    auto evaluate = [&](Executable& executable) {
      std::vector<HostTensor> inputs;
      std::vector<const HostTensor*> feeds;
      for (const Port& p : caller_inputs(*executable.program().find("evaluate")))
        inputs.push_back(random_numbers(p.type, 2));
      for (const HostTensor& t : inputs) feeds.push_back(&t);
      const auto results = check(executable.run("evaluate", feeds));
      return std::vector<HostTensor>(results.begin(), results.end());
    };
    const auto of_small = evaluate(*first);
    auto second = check(Executable::load(*executor, large));
    EXPECT_FALSE(first->read_buffer("evaluate", BufferId(0)).ok())
        << "the larger program has taken its memory";
    const auto of_large = evaluate(*second);
    EXPECT_EQ(evaluate(*first), of_small) << devices;
    EXPECT_EQ(evaluate(*second), of_large) << devices;
    const auto small_needs = check(forecast(small, config.devices));
    const auto large_needs = check(forecast(large, config.devices));
    for (size_t d = 0; d < executor->devices().size(); ++d) {
      EXPECT_GT(large_needs[d].arena, small_needs[d].arena);
      EXPECT_EQ(executor->devices().device(d).allocated_bytes(),
                large_needs[d].total() + small_needs[d].constants)
          << devices;
    }
    second.reset();
    EXPECT_EQ(evaluate(*first), of_small) << devices;
  }
}

// If two results that are alive at the same time are moved to the same offset, the observer finds the
// overlap.
TEST(Memory, OverlappingLifetimesAreFound) {
  Graph g;
  Tensor x = g.input("x", f32, {64});
  g.output("y", tanh(x) * sigmoid(x));
  Program program =
      check(g.state()->builder->snapshot()->compile(check(configure({.devices = "reference:0"})))).program;
  Function& f = program.functions[0];
  std::vector<BufferId> made;
  for (const Instruction& i : f.devices[0].queues[static_cast<int>(Queue::kCompute)].compute)
    if (const auto* c = i.as<RunKernel>()) made.push_back(c->results[0]);
  ASSERT_EQ(made.size(), 3u);
  f.buffers[made[1]].offset = f.buffers[made[0]].offset;
  auto executor = check(Executor::open(check(describe_devices({.devices = "reference:0"}))));
  auto executable = Executable::load(*executor, program);
  if (!executable) return;  // the program may be refused before it runs
  const HostTensor input = random_numbers({f32, {64}}, 2);
  const HostTensor* feeds[] = {&input};
  Touched touched(**executable, (*executable)->program().functions[0]);
  EXPECT_NONFATAL_FAILURE(check((*executable)->step_through("evaluate", feeds, touched)),
                          "finds other bytes");
}

TEST(Memory, ABudgetIsAnErrorThatNamesTheOpAndTheBytes) {
  const TemporaryFolder folder;
  const std::string path = folder.path("devices.json");
  const auto need = check(forecast(compiled("lenet", {.devices = "sim:0"}),
                                   check(describe_devices({.devices = "sim:0"}))))[0]
                        .total();
  for (int percent : {10, 50, 99, 100, 110}) {
    std::ofstream(path) << "{\"sim:0\": {\"memory_bytes\": " << need * static_cast<uint64_t>(percent) / 100
                        << "}}";
    Graph g = models::find("lenet").build({13, 1, {}});
    try {
      compile(g, {.devices = "sim:0", .device_file = path});
      EXPECT_GE(percent, 100);
    } catch (const Error& e) {
      EXPECT_LT(percent, 100);
      EXPECT_THAT(e.what(), ::testing::HasSubstr("'sim:0' has"));
      EXPECT_THAT(e.what(), ::testing::HasSubstr("of conv1 in 'train'"));
      EXPECT_THAT(e.what(), ::testing::HasSubstr("bytes alive"));
      EXPECT_THAT(e.what(), ::testing::HasSubstr("lenet.cc:"));
    }
  }
}

}  // namespace
}  // namespace cutset::testing
