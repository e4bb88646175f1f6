// Fuzzes saved programs behind a right checksum: reads, loads and runs what mutated bytes say.
#include <cutset/saved.h>
#include <zlib.h>

#include <fstream>

#include "frontends/models/models.h"
#include "ir/core/philox.h"
#include "runtime/files.h"
#include "runtime/program_file.h"
#include "tests/fuzz/driver.h"

namespace cutset {
namespace {

constexpr size_t kHeader = 24;
std::vector<std::string> bases;

void save_bases(const std::string& directory) {
  const struct {
    const char *devices, *strategy;
  } settings[] = {{"reference:0", ""}, {"sim:0,reference:0", "data(2)"}, {"cpu:0", ""}};
  for (size_t i = 0; i < std::size(settings); ++i)
    save_program(models::find("mlp").build({4, 3, {0.05, 0.9}}),
                 {.devices = settings[i].devices, .strategy = settings[i].strategy},
                 directory + "/base" + std::to_string(i));
}

void read_bases(const std::string& directory) {
  for (int i = 0; std::filesystem::exists(directory + "/base" + std::to_string(i)); ++i) {
    auto text = read_file(directory + "/base" + std::to_string(i), uint64_t{1} << 32);
    if (text) bases.push_back(*text);
  }
}

std::string run_case(uint64_t seed, const std::string& directory, bool verbose) {
  PhiloxSequence random(seed, 1);
  std::string bytes = bases[random.below(bases.size())];
  for (uint64_t changes = 1 + random.below(3); changes > 0; --changes)
    bytes[kHeader + random.below(bytes.size() - kHeader)] =
        static_cast<char>(random.below(4) == 0 ? 0xff : random.below(256));
  const auto sum =
      static_cast<uint32_t>(crc32(crc32(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes.data() + kHeader),
                                  static_cast<uInt>(bytes.size() - kHeader)));
  std::memcpy(bytes.data() + 12, &sum, sizeof sum);
  const std::string path = directory + "/case";
  std::ofstream(path, std::ios::binary) << bytes;
  std::unique_ptr<SavedProgram> program;
  try {
    program = std::make_unique<SavedProgram>(SavedProgram::load(path, {.threads = 1}));
  } catch (const Error& e) {
    if (verbose) std::fprintf(stderr, "refused: %s\n", e.what());
    return "refused";
  }
  for (const std::string& function : program->functions()) {
    Batch batch;
    for (const auto& input : program->inputs(function)) batch.emplace(input.name, HostTensor(input.type));
    try {
      for (int step = 0; step < 2; ++step) program->run(function, batch);
    } catch (const Error& e) {
      if (verbose) std::fprintf(stderr, "%s: %s\n", function.c_str(), e.what());
      return "failed in a step";
    }
  }
  return "ran";
}

}  // namespace
}  // namespace cutset

int main(int argc, char** argv) {
  using namespace cutset;
  return fuzz::drive(argc, argv, {"saved programs", save_bases, read_bases, run_case});
}
