// SPDX-License-Identifier: Apache-2.0
// cutset solve memory packs the buffers of an instance from a file.
#include <charconv>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "frontends/cli/commands/commands.h"
#include "frontends/cli/options/options.h"
#include "frontends/cli/output/outputs.h"
#include "frontends/cli/output/terminal.h"
#include "frontends/cpp/checks/failure.h"
#include "graph/packing/buffer_packing_exact.h"
#include "runtime/files/files.h"

namespace cutset::cli {
namespace {

struct Instance {
  std::vector<std::string> ids;
  std::vector<PackedBuffer> buffers;
  std::vector<std::pair<int64_t, int64_t>> lifetimes;  // lower, upper
};

// Reads the format of the MiniMalloc benchmarks: the header id,lower,upper,size, then one line per buffer. A
// buffer is alive in [lower, upper).
Instance read_instance(const std::string& path) {
  const std::string text = check(read_file(path, uint64_t{1} << 28));
  auto bad = [&](size_t line, const std::string& why) {
    raise(invalid_data("'" + path + "', line " + std::to_string(line) + ": " + why,
                       "the header is id,lower,upper,size, followed by one line per buffer"));
  };
  Instance instance;
  size_t line_number = 0;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find('\n', at);
    if (end == std::string::npos) end = text.size();
    std::string line = text.substr(at, end - at);
    at = end + 1;
    ++line_number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line_number == 1) {
      if (line != "id,lower,upper,size") bad(1, "the line is not the header");
      continue;
    }
    if (line.empty()) continue;
    int64_t numbers[3];
    size_t from = line.find(',');
    if (from == std::string::npos || from == 0) bad(line_number, "the line has no id");
    const std::string id = line.substr(0, from);
    for (int64_t& n : numbers) {
      if (from == std::string::npos) bad(line_number, "the line has too few numbers");
      const size_t next = line.find(',', from + 1);
      const char *first = line.data() + from + 1,
                 *last = line.data() + (next == std::string::npos ? line.size() : next);
      const auto parsed = std::from_chars(first, last, n);
      if (parsed.ec != std::errc() || parsed.ptr != last)
        bad(line_number, "'" + std::string(first, last) + "' is not a number");
      from = next;
    }
    if (from != std::string::npos) bad(line_number, "the line has too many numbers");
    const auto [lower, upper, size] = numbers;
    constexpr int64_t kMost = int64_t{1} << 47;
    if (lower < -kMost || upper > kMost || lower > upper || size < 0 || size > kMost / 1024)
      bad(line_number,
          "a number is out of range: lower and upper must be from -2^47 to 2^47 with lower <= upper, and "
          "size from 0 to 2^37");
    instance.ids.push_back(id);
    instance.lifetimes.emplace_back(lower, upper);
    instance.buffers.push_back(
        {lower, std::max(lower, upper - 1), lower == upper ? 0 : static_cast<uint64_t>(size), 0});
  }
  if (instance.buffers.empty()) bad(line_number, "the file lists no buffer");
  if (instance.buffers.size() > 1'000'000)
    bad(line_number, "the file lists more than the limit of 1000000 buffers");
  return instance;
}

constexpr uint64_t kAlignment = 1;  // the instances of the benchmarks require no alignment

struct SolveMemoryOptions {
  std::string file, mode = "default", out, json;
  uint64_t capacity = 0;
  double seconds = 15;
};

void solve_memory(const SolveMemoryOptions& o) {
  OutputFiles outputs;
  outputs.reads("the instance", o.file);
  outputs.file("--out", o.out, true);
  outputs.file("--json", o.json, true);
  Instance instance = read_instance(o.file);
  const auto start = std::chrono::steady_clock::now();
  Packing packing;
  std::string verdict = "packed";
  uint64_t nodes = 0;
  if (o.mode == "exact") {
    std::vector<PackedBuffer> copy = instance.buffers;
    const uint64_t capacity = o.capacity ? o.capacity : pack_buffers(copy, kAlignment).lower_bound;
    const ExactResult r = pack_exactly(instance.buffers, kAlignment, capacity, o.seconds);
    nodes = r.nodes;
    if (r.out_of_memory)
      raise(execution_failed("the search for a packing of " + std::to_string(instance.buffers.size()) +
                                 " buffers into " + std::to_string(capacity) +
                                 " bytes exceeded its memory limit",
                             "use --mode default for an instance of this size"));
    if (!r.packing)
      raise(execution_failed(r.timed_out ? "no packing into " + std::to_string(capacity) +
                                               " bytes was found in " + fixed(o.seconds, 1) + " s"
                                         : "there is no packing into " + std::to_string(capacity) + " bytes",
                             r.timed_out ? "increase --seconds or --capacity" : "increase --capacity"));
    packing = *r.packing;
  } else {
    packing = pack_buffers(instance.buffers, kAlignment);
    if (o.capacity && packing.bytes > o.capacity)
      raise(execution_failed("the packing takes " + std::to_string(packing.bytes) +
                                 " bytes, more than the capacity of " + std::to_string(o.capacity),
                             "try --mode exact"));
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double ratio =
      packing.lower_bound ? static_cast<double>(packing.bytes) / static_cast<double>(packing.lower_bound) : 1;
  if (!o.out.empty()) {
    std::string text = "id,lower,upper,size,offset\n";
    for (size_t i = 0; i < instance.ids.size(); ++i)
      text += instance.ids[i] + "," + std::to_string(instance.lifetimes[i].first) + "," +
              std::to_string(instance.lifetimes[i].second) + "," + std::to_string(instance.buffers[i].bytes) +
              "," + std::to_string(instance.buffers[i].offset) + "\n";
    write_text(o.out, text);
  }
  if (o.json != "-" && o.out != "-")
    write_text("-", table({{"buffers", "mode", "bytes", "live peak", "ratio", "seconds", "nodes"},
                           {std::to_string(instance.buffers.size()), o.mode, std::to_string(packing.bytes),
                            std::to_string(packing.lower_bound), fixed(ratio, 5), fixed(seconds, 3),
                            std::to_string(nodes)}}));
  if (!o.json.empty())
    write_json(o.json, nlohmann::json{{"buffers", instance.buffers.size()},
                                      {"mode", o.mode},
                                      {"bytes", packing.bytes},
                                      {"lower_bound", packing.lower_bound},
                                      {"ratio", ratio},
                                      {"seconds", seconds},
                                      {"nodes", nodes}});
}

}  // namespace

void add_solve_memory(CLI::App& solve) {
  auto o = std::make_shared<SolveMemoryOptions>();
  CLI::App* memory = solve.add_subcommand("memory", "find offsets for buffers with given lifetimes");
  memory->group("Solvers");
  memory->add_option("file", o->file, "the instance as CSV: id,lower,upper,size")->required();
  memory->add_option("--mode", o->mode, "default (fast) or exact (search)")
      ->transform(one_of({"default", "exact"}))
      ->capture_default_str();
  memory->add_option("--capacity", o->capacity, "capacity in bytes")->check(whole_number());
  memory->add_option("--seconds", o->seconds, "time limit of --mode exact")
      ->check(number_between(0, 1e6))
      ->capture_default_str();
  memory->add_option("--out", o->out, "file for the offsets as CSV; - is standard output")
      ->check(path_name());
  memory->add_option("--json", o->json, kJsonHelp)->check(path_name());
  memory->callback([o] { solve_memory(*o); });
}

}  // namespace cutset::cli
