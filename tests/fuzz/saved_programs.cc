// SPDX-License-Identifier: Apache-2.0
// Fuzzes saved programs with a correct checksum. A case takes a correct program and changes fields of its
// structure or bytes of its file. It loads the result with a memory limit and runs two steps of each
// function. The program may be refused or run to its end. A crash, a hang, or an exception other than
// cutset::Error is a finding.
#include <cutset/cutset.h>
#include <cutset/saved.h>
#include <cutset/verify.h>
#include <zlib.h>

#include <fstream>

#include "ir/core/op/op_info.h"
#include "ir/core/philox.h"
#include "runtime/files/files.h"
#include "runtime/program/file/program_file.h"
#include "tests/fuzz/driver.h"
#include "tests/fuzz/mutate_program.h"
#include "tests/fuzz/mutate_values.h"

namespace cutset {
namespace {

constexpr size_t kHeader = 24;
constexpr uint64_t kMemory = uint64_t{64} << 20;

struct Base {
  std::string bytes;
  SavedProgramFile saved;
};
std::vector<Base> bases;
fuzz::ProgramMutator* mutator;

// The graphs are small, so that a case is fast and changes are likely to hit every field.
Graph dense() {
  Graph g(3);
  Tensor x = g.input("x", f32, {4, 6}), y = g.input("y", i32, {4});
  Tensor h = tanh(nn::dense("a", x, 5));
  g.output("h", reshape(h, {.shape = {20}}));
  g.minimize(mean(softmax_cross_entropy(nn::dense("b", h, 3), y)), {0.1, 0.9});
  return g;
}
Graph convolution() {
  Graph g(5);
  Tensor x = g.input("x", f32, {4, 1, 8, 8}), y = g.input("y", i32, {4});
  Tensor h = max_pool(relu(nn::conv("c", x, {.out_channels = 2, .kernel_size = 3})));
  g.minimize(mean(softmax_cross_entropy(nn::dense("d", flatten(h), 3), y)), {0.1, 0});
  return g;
}

// Ops with optional operands, a variable number of results, and a word as an attribute.
Graph flexible() {
  Graph g(7);
  Tensor x = g.input("x", f32, {4, 6}), y = g.input("y", i32, {4});
  const std::vector<Tensor> parts = split_with_sizes(nn::dense("a", x, 5), {.axis = 1, .sizes = {2, 3}});
  Tensor high = g.variable("high", f32, {}, Initializer::constant(0.5));
  Tensor h = concat(
      {clip(parts[0], {}, high), ops::pad(parts[1], {.axis = 1, .after = 2, .mode = PadMode::kReflect})},
      {.axis = 1});
  g.minimize(mean(softmax_cross_entropy(nn::dense("b", h, 3), y)), {0.1, 0.9});
  return g;
}

void save_bases(const std::string& directory) {
  struct Setting {
    const char *devices, *strategy;
    bool deterministic;
  };
  const auto here = available_devices();
  int number = 0;
  for (const Setting& s :
       {Setting{"reference:0", "", false}, Setting{"sim:0", "", true}, Setting{"cpu:0", "", false},
        Setting{"reference:0,sim:0", "data(2)", false},
        Setting{"cpu:0,sim:0", "pipeline(2, micro_batches=1)", false},
        Setting{"sim:0,reference:0,sim:1", "data(3)", false},
        Setting{"sim:0", "pipeline(1, micro_batches=3)", false},
        Setting{"sim:0,sim:1", "pipeline(2, micro_batches=3)", false},
        Setting{"sim:0,sim:1", "pipeline(2, micro_batches=3, schedule=zb-h1)", false},
        Setting{"sim:0,sim:1", "pipeline(2, micro_batches=3, schedule=interleaved)", false},
        Setting{"sim:0,sim:1", "data(2) * pipeline(1, micro_batches=2)", false},
        Setting{"sim:0,reference:0", "tensor(2)", false},
        Setting{"sim:0,reference:0,sim:1,reference:1", "pipeline(2, micro_batches=2) * tensor(2)", false},
        Setting{"sim:0,reference:0", "data(2, shard=gradients)", false}})
    for (auto build : {dense, convolution, flexible}) {
      // The output of dense() joins the rows of all samples, so it cannot be computed in micro-batches.
      if (build == dense && std::string(s.strategy).find("pipeline") != std::string::npos) continue;
      if (std::string(s.devices).find("cpu") != std::string::npos &&
          std::find(here.begin(), here.end(), "cpu:0") == here.end())
        continue;
      save_program(
          build(),
          {.devices = s.devices, .strategy = s.strategy, .threads = 1, .deterministic = s.deterministic},
          directory + "/base" + std::to_string(number++));
    }
}

void read_bases(const std::string& directory) {
  std::vector<SavedProgramFile> programs;
  for (int i = 0; std::filesystem::exists(directory + "/base" + std::to_string(i)); ++i) {
    const std::string path = directory + "/base" + std::to_string(i);
    auto bytes = read_file(path, uint64_t{1} << 32);
    auto saved = read_program(path);
    if (!bytes || !saved) throw std::runtime_error("a correct program is refused: " + saved.error().text());
    bases.push_back({*bytes, *saved});
    programs.push_back(*saved);
  }
  mutator = new fuzz::ProgramMutator(programs);
}

void change_bytes(PhiloxSequence& random, std::string& bytes) {
  for (uint64_t changes = 1 + random.below(4); changes > 0 && bytes.size() > kHeader + 16; --changes) {
    const size_t at = kHeader + random.below(bytes.size() - kHeader - 8);
    switch (random.below(5)) {
      case 0:
        bytes[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        bytes[at] ^= static_cast<char>(1 << random.below(8));
        break;
      case 2: {
        const int32_t v = static_cast<int32_t>(fuzz::edge(random));
        std::memcpy(&bytes[at], &v, sizeof v);
        break;
      }
      case 3:
        bytes.erase(at, 1 + random.below(16));
        break;
      case 4:
        bytes.insert(at, bytes.substr(kHeader + random.below(bytes.size() - kHeader), random.below(64)));
        break;
    }
  }
  const uint64_t size = bytes.size() - kHeader;
  const auto sum = static_cast<uint32_t>(crc32(
      crc32(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes.data() + kHeader), static_cast<uInt>(size)));
  std::memcpy(&bytes[12], &sum, sizeof sum);
  std::memcpy(&bytes[16], &size, sizeof size);
}

std::string run_case(uint64_t seed, const std::string& directory, bool verbose) {
  PhiloxSequence random(seed, 1);
  const Base& base = bases[random.below(bases.size())];
  const std::string path = directory + "/case";
  if (random.below(4) == 0) {
    std::string bytes = base.bytes;
    change_bytes(random, bytes);
    std::ofstream(path, std::ios::binary) << bytes;
  } else {
    SavedProgramFile saved = base.saved;
    const std::string what = mutator->mutate(random, saved);
    if (verbose) std::fprintf(stderr, "changed: %s\n", what.c_str());
    if (!write_program(path, saved).ok()) return "not written";
  }
  if (const auto read = read_program(path); !read.ok()) {
    if (verbose) std::fprintf(stderr, "refused: %s\n", read.error().text().c_str());
    return "refused when read";
  }
  std::unique_ptr<SavedProgram> program;
  try {
    program = std::make_unique<SavedProgram>(load_program(path, {.threads = 1, .memory_bytes = kMemory}));
  } catch (const Error& e) {
    if (verbose) std::fprintf(stderr, "refused: %s\n", e.what());
    return "refused when loaded";
  }
  bool failed = false;
  for (const std::string& function : program->functions()) {
    Batch batch;
    uint64_t total = 0;
    for (const auto& input : program->inputs(function)) total += static_cast<uint64_t>(input.type.bytes());
    if (total > kMemory) continue;  // inputs are the user's memory, which the limit does not count
    for (const auto& input : program->inputs(function)) {
      HostTensor value(input.type);
      for (size_t i = 0; i < value.bytes().size(); ++i)
        value.data()[i] = input.type.dtype == f32 ? (i % 4 == 3 ? 0x3e : 0) : i % 8 == 0;
      batch.emplace(input.name, std::move(value));
    }
    try {
      for (int step = 0; step < 2; ++step) program->run(function, batch);
    } catch (const Error& e) {
      if (verbose) std::fprintf(stderr, "%s: %s\n", function.c_str(), e.what());
      failed = true;
    }
  }
  return failed ? "failed in a step" : "ran";
}

}  // namespace
}  // namespace cutset

int main(int argc, char** argv) {
  using namespace cutset;
  return fuzz::drive(argc, argv, {"saved programs", save_bases, read_bases, run_case});
}
