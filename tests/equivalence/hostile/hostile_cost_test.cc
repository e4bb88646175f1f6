// SPDX-License-Identifier: Apache-2.0
// Tests programs that would take too much memory or time. Checking and loading them must be fast, and a
// memory limit must count everything.
#include <chrono>
#include <thread>

#include "runtime/program/file/program_file.h"
#include "runtime/program/forecast.h"
#include "tests/equivalence/hostile/lies.h"
#include "tests/temporary_folder.h"

namespace cutset::testing {
namespace {

// The time of checking and loading must be O(n log n) in the numbers of instructions, buffers and events.
// With an algorithm in O(n^2), this program takes a minute.
TEST(HostileProgram, ManyBuffersAndEventsAreCheckedInTime) {
  Program p = compiled({});
  Function& f = train(p);
  DevicePlan& d = f.devices[0];
  const auto started = std::chrono::steady_clock::now();
  constexpr int32_t kMany = 60'000;
  std::vector<Instruction> makers, users;
  auto relu = [](BufferId from, BufferId to) {
    return Instruction{.command = RunKernel{.kernel = "relu.reference", .operands = {from}, .results = {to}},
                       .names = named("relu")};
  };
  const auto first = static_cast<int32_t>(f.buffers.size());
  const BufferId variable = kernel(p, "matmul").operands[1];
  for (int32_t n = 0; n < kMany; ++n) {  // all these buffers are alive at the same time
    Buffer b = buffer(f, variable);
    b.storage = Storage::kArena;
    b.variable = {};
    b.offset = d.arena_bytes = (d.arena_bytes + 255) / 256 * 256;
    d.arena_bytes += static_cast<uint64_t>(b.type.bytes());
    f.buffers.push_back(b);
    makers.push_back(relu(n == 0 ? variable : BufferId(first + n - 1), BufferId(first + n)));
    makers.push_back(make(SignalEvent{EventId(d.events++)}));
  }
  for (int32_t n = 0; n < kMany; ++n) {
    Buffer b = buffer(f, BufferId(first));
    b.offset = d.arena_bytes = (d.arena_bytes + 255) / 256 * 256;
    b.view_of = {};
    if (n == 0) d.arena_bytes += static_cast<uint64_t>(b.type.bytes());
    if (n > 0) b.offset = f.buffers.back().offset;
    users.push_back(relu(BufferId(first + n), f.buffers.next()));
    f.buffers.push_back(b);
  }
  for (int32_t n = 0; n < kMany; ++n) {
    const BufferId flag = f.buffers.next(), tensor(first + n);
    f.buffers.push_back({.offset = d.arena_bytes, .type = {DType::i1, {}}});
    d.arena_bytes += 256;
    f.checks.push_back({.device = 0, .flag = flag, .tensors = {{tensor, "tensor"}}});
    users.push_back(
        {.command = RunKernel{.kernel = "all_finite.reference", .operands = {tensor}, .results = {flag}},
         .names = named("all_finite")});
  }
  auto& compute = list(p, Queue::kCompute);
  compute.insert(compute.end(), makers.begin(), makers.end());
  compute.insert(compute.end(), users.begin(), users.end());
  const Status status = check_program(p);
  ASSERT_TRUE(status.ok()) << status.error().what;
  const DeviceList devices = check(describe_devices({.devices = "reference:0"}));
  EXPECT_GT(check(forecast(p, devices))[0].activations, uint64_t{kMany} * 30);
  {
    auto executor = check(Executor::open(devices));
    auto executable = Executable::load(*executor, p);
    ASSERT_TRUE(executable.ok()) << executable.error().text();
  }
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count(), 30);
}

TEST(HostileProgram, AllThatLoadingTakesIsCounted) {
  constexpr uint64_t kLimit = uint64_t{1} << 30;
  const TensorType big{u8, {int64_t{1} << 31}}, huge{u8, {int64_t{1} << 48}};
  auto fits = [&](const std::function<void(Program&)>& grow) {
    Program p = compiled({});
    grow(p);
    return check_memory_limit(p, kLimit).ok();
  };
  EXPECT_TRUE(fits([](Program&) {}));
  EXPECT_FALSE(fits([&](Program& p) { train(p).outputs.push_back({"o", big}); }));
  EXPECT_FALSE(fits([&](Program& p) { train(p).channels.push_back({0, 0, big, ""}); }));
  EXPECT_FALSE(fits([&](Program& p) {
    train(p).collectives.push_back({{u8, {kLimit / 2 + 1}}, {{0, 0, 1}, {0, 1, 2}}, ""});
  }));
  EXPECT_FALSE(fits([&](Program& p) { train(p).devices[0].arena_bytes = 2 * kLimit; }));
  EXPECT_FALSE(fits([&](Program& p) { p.variables.push_back({"v", big, {0}}); }));
  EXPECT_FALSE(fits([&](Program& p) { train(p).devices[0].events = 1 << 24; }));
  EXPECT_FALSE(fits([&](Program& p) {  // the sum would wrap around to 0
    for (int i = 0; i < 1 << 16; ++i) {
      p.functions.push_back({});
      p.functions.back().outputs.push_back({"o", huge});
    }
  }));
  EXPECT_FALSE(fits([&](Program& p) {  // so would the sum of the variables
    for (int i = 0; i < 1 << 16; ++i) p.variables.push_back({"v" + std::to_string(i), huge, {0}});
  }));
}

// The reader holds all values of the file in memory, so values that belong to no variable could take any
// amount of memory.
TEST(HostileProgram, ValuesThatBelongToNoVariableAreRefused) {
  const TemporaryFile file("hostile.cutset");
  save_program(small(), {.devices = "reference:0"}, file.path);
  SavedProgramFile saved = check(read_program(file.path));
  saved.variables.emplace("stranger", HostTensor::scalar(1.0f));
  check(write_program(file.path, saved));
  const auto read = read_program(file.path);
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().what, HasSubstr("values for"));
}

TEST(HostileProgram, LoadingObeysTheLimitAndThrowsOnlyErrors) {
  const TemporaryFile file("hostile.cutset");
  save_program(small(), {.devices = "reference:0"}, file.path);
  EXPECT_NO_THROW(load_program(file.path));
  EXPECT_NO_THROW(load_program(file.path, {.memory_bytes = 1 << 20}));
  try {
    load_program(file.path, {.memory_bytes = 10'000});
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("more than the limit of 10000"));
  }
  EXPECT_THROW(load_program(file.path + ".none"), Error);
  EXPECT_THROW(load_program(file.folder.path()), Error);
}

TEST(HostileProgram, ReadingTakesLittleMoreMemoryThanTheFile) {
  const TemporaryFile file("hostile.cutset");
  SavedProgramFile saved{compiled({}), {}};
  for (const Variable& v : saved.program.variables) saved.variables.emplace(v.name, HostTensor(v.type));
  // An attribute without a name takes 10 bytes in the file and 64 bytes in memory.
  kernel(saved.program, "tanh").attributes.assign(4'000'000, {"", true});
  ASSERT_TRUE(write_program(file.path, saved).ok());
  auto read = read_program(file.path);
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().what, HasSubstr("its lists would take more memory than its size allows"));
}

TEST(HostileProgram, BuffersOutOfRangeAreNeitherReadNorWritten) {
  auto executor = check(Executor::open(check(describe_devices({.devices = "reference:0"}))));
  auto executable = check(Executable::load(*executor, compiled({})));
  for (int32_t b : {-1, 1 << 20, INT32_MIN}) {
    EXPECT_FALSE(executable->read_buffer("train", BufferId(b)).ok());
    EXPECT_FALSE(executable->write_buffer("train", BufferId(b), HostTensor({f32, {1}})).ok());
  }
}

}  // namespace
}  // namespace cutset::testing
