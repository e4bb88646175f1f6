// What is planned is what is taken, and a budget is respected before the first byte of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "frontends/cpp/compilation.h"
#include "frontends/models/models.h"
#include "runtime/executable.h"
#include "runtime/forecast.h"
#include "tests/equivalence/runs.h"

namespace cutset::testing {
namespace {

Program compiled(const std::string& model, const CompileOptions& options) {
  Graph g = models::find(model).build({13, 1, {}});
  return check(g.state()->builder->compile(check(request_of(options)))).program;
}

TEST(Memory, PlannedBytesAreTheArenasHighWaterMark) {
  for (const char* model : {"lenet", "lenet-smooth", "mlp"})
    for (const auto& [devices, strategy] : {std::pair("reference:0", ""), std::pair("reference:0,sim:0", "model"),
                                            std::pair("reference:0,sim:0", "data(2)")}) {
      const CompileOptions options{.devices = devices, .strategy = strategy};
      const Program program = compiled(model, options);
      for (const Function& f : program.functions) {
        std::vector<uint64_t> top(f.devices.size(), 0);
        for (const Buffer& b : f.buffers)
          if (b.storage == Storage::kArena)
            top[size_t(b.device)] = std::max(top[size_t(b.device)], b.offset + static_cast<uint64_t>(b.type.bytes()));
        for (size_t d = 0; d < f.devices.size(); ++d) {
          EXPECT_EQ(top[d], f.devices[d].arena_bytes) << model << " " << devices << " " << f.name;
          EXPECT_LE(f.devices[d].lower_bound_bytes, f.devices[d].arena_bytes);
          EXPECT_LE(static_cast<double>(f.devices[d].arena_bytes),
                    1.02 * static_cast<double>(f.devices[d].lower_bound_bytes) + 4096)
              << model << " " << devices << " " << f.name;
        }
      }
      const auto wanted = forecast(program);
      auto machine = check(Machine::open(check(describe_devices({.devices = devices}))));
      auto executable = check(Executable::load(*machine, program));
      for (size_t d = 0; d < machine->size(); ++d)
        EXPECT_EQ(machine->device(d).allocated_bytes(), wanted[d].total()) << wanted[d].device;
    }
}

// Lifetimes as the packing sees them: no instruction finds another's bytes where it reads.
TEST(Memory, ABudgetIsAnErrorThatNamesTheOpAndTheBytes) {
  const std::string path = ::testing::TempDir() + "budget-" + std::to_string(::getpid()) + ".json";
  const auto need = forecast(compiled("lenet", {.devices = "sim:0"}))[0].total();
  for (int percent : {10, 50, 99, 100, 110}) {
    std::ofstream(path) << "{\"sim:0\": {\"memory_bytes\": " << need * static_cast<uint64_t>(percent) / 100 << "}}";
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
  std::remove(path.c_str());
}

}  // namespace
}  // namespace cutset::testing
