// SPDX-License-Identifier: Apache-2.0
// Runs ONNX's backend node tests on one device, and compares the results with the committed lists.
//
//   cutset_onnx_nodes DEVICE CASES LISTS [--write] [--shard I/N] [--only NAME]
//
// CASES is the folder that cases.py wrote, and LISTS the folder of cases.txt, failures/KIND.txt,
// deviations.txt and onnxruntime.txt. A case passes if every result has the expected type and values (with
// the tolerance of ONNX's runner), and if the device computed every op with its own kernel. On `reference`,
// the import must also refuse the model with an attribute that no op has.
// - A case that fails must be in the list of failures, and a case that passes must not be in it.
// - A case with an unexpected value is wrong, unless deviations.txt says why Cutset deliberately computes
//   another value than ONNX's reference evaluator. A case in deviations.txt must deviate.
//
// --write writes the list of failures. --shard I/N runs every N-th case, from the I-th on. --only runs one
// case and prints its outcome.
#include <cutset/onnx.h>
#include <cutset/session.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "frontends/onnx/import/model/tensor_proto.h"

namespace cutset {
namespace {

namespace fs = std::filesystem;
enum class Outcome { kPassed, kFailed, kWrong };
struct Result {
  Outcome outcome = Outcome::kPassed;
  std::string reason;
};

std::vector<unsigned char> read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Error(ErrorCode::kUnavailable, "cannot read " + path.string(), "",
                "build the target cutset_onnx_cases");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> lines(const fs::path& path) {
  const auto bytes = read(path);
  std::istringstream text(std::string(bytes.begin(), bytes.end()));
  std::vector<std::string> all;
  for (std::string line; std::getline(text, line);)
    if (!line.empty()) all.push_back(line);
  return all;
}

std::vector<HostTensor> tensors(const fs::path& folder, const std::string& kind) {
  std::vector<HostTensor> all;
  for (int i = 0;; ++i) {
    const std::string name = kind + "_" + std::to_string(i) + ".pb";
    if (!fs::exists(folder / name)) return all;
    all.push_back(onnx::parse_tensor(read(folder / name), name));
  }
}

// Whether `got` is within the tolerance. NaN equals only NaN, and an infinity equals only itself.
bool close(double got, double expected, double relative) {
  if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
  if (std::isinf(expected) || std::isinf(got)) return got == expected;
  return std::fabs(got - expected) <= 1e-7 + relative * std::fabs(expected);
}

Result compare(const std::string& name, const HostTensor& got, const HostTensor& expected) {
  if (got.type() != expected.type())
    return {Outcome::kWrong,
            "'" + name + "' is a " + to_string(got.type()) + ", not a " + to_string(expected.type())};
  if (got == expected) return {};
  // The tolerance of bf16 is two units in its last place, as in ONNX's runner. f16 has the same tolerance,
  // because NumPy rounds each addition of a sum to f16 when it computes the expected values.
  const double relative = got.dtype() == DType::bf16 ? 0x1p-6 : got.dtype() == DType::f16 ? 0x1p-9 : 1e-3;
  for (int64_t i = 0; i < got.elements(); ++i)
    if (!close(got.at(i), expected.at(i), relative))
      return {Outcome::kWrong, "element " + std::to_string(i) + " of '" + name + "' is " +
                                   std::to_string(got.at(i)) + ", not " + std::to_string(expected.at(i))};
  return {};
}

// Returns why a case does not count as computed by the device: the first op that another device or a
// reference loop computed; or an empty string. A line of the log is "dispatch: LAYER OP (LINE) on DEVICE:
// KERNEL; refused: ...". The kernels of the kinds `reference` and `cpu` include the reference loops.
std::string foreign_kernel(const Session& session, const std::string& device) {
  const bool loops_are_its_own = device.starts_with("reference:") || device.starts_with("cpu:");
  std::istringstream log(session.log("dispatch"));
  for (std::string line; std::getline(log, line);) {
    const std::string chosen = line.substr(0, line.find("; refused: "));
    if (!chosen.starts_with("dispatch: ") || chosen.find(" on " + device + ": ") == std::string::npos ||
        (!loops_are_its_own && chosen.ends_with(".reference")))
      return "not computed by a kernel of the device: " + line;
  }
  return "";
}

// Whether the import refuses the model with an attribute that no op has.
bool refuses_attribute(const fs::path& folder, const onnx::ImportOptions& options) {
  try {
    onnx::import_model(read(folder / "refused.onnx"), options);
  } catch (const Error& e) {
    return std::string(e.what()).find("the attribute 'attribute_of_no_op'") != std::string::npos;
  }
  return false;
}

Result run_case(const fs::path& folder, const std::string& device) {
  const std::vector<unsigned char> model = read(folder / "model.onnx");
  const auto inputs = tensors(folder, "input"), outputs = tensors(folder, "output");
  try {
    onnx::ImportOptions options;
    const std::vector<std::string> names = onnx::input_names(model);
    for (size_t i = 0; i < names.size() && i < inputs.size(); ++i) {
      options.inputs.emplace(names[i], inputs[i].type());
      options.known.emplace(names[i], inputs[i]);
    }
    const onnx::Model imported = onnx::import_model(model, options);
    if (device.starts_with("reference:") && !refuses_attribute(folder, options))
      return {Outcome::kWrong, "a node with an attribute that no op has is imported"};
    Session session = compile(imported.graph, {.devices = device, .threads = 1});
    Batch batch;
    // A known input, whose elements decide the graph, is a constant and takes no value.
    for (size_t i = 0; i < names.size() && i < inputs.size(); ++i)
      if (imported.inputs.contains(names[i])) batch.emplace(names[i], inputs[i]);
    const Outputs results = session.run("evaluate", batch);
    if (imported.outputs.size() != outputs.size())
      return {Outcome::kWrong, "there are " + std::to_string(imported.outputs.size()) + " results, not " +
                                   std::to_string(outputs.size())};
    for (size_t i = 0; i < outputs.size(); ++i)
      if (Result r = compare(imported.outputs[i], results[imported.outputs[i]], outputs[i]);
          r.outcome != Outcome::kPassed)
        return r;
    if (const std::string kernel = foreign_kernel(session, device); !kernel.empty())
      return {Outcome::kFailed, kernel};
    return {};
  } catch (const Error& e) {
    return {Outcome::kFailed, e.what()};
  }
}

// Returns the reason as one short line.
std::string one_line(std::string reason) {
  const std::string head = "the model has nodes that cannot be imported: ";
  if (reason.starts_with(head)) reason = reason.substr(head.size());
  for (char& c : reason)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return reason.size() > 200 ? reason.substr(0, 197) + "..." : reason;
}

struct Arguments {
  std::string device, only;
  fs::path cases, lists;
  bool write = false;
  size_t shard = 0, shards = 1;
};

int run(const Arguments& a) {
  if (!a.only.empty()) {
    const Result r = run_case(a.cases / a.only, a.device);
    std::printf("%s: %s %s\n", a.only.c_str(),
                r.outcome == Outcome::kPassed  ? "passed"
                : r.outcome == Outcome::kWrong ? "WRONG"
                                               : "failed",
                r.reason.c_str());
    return r.outcome != Outcome::kPassed;
  }
  const fs::path list = a.lists / "failures" / (a.device.substr(0, a.device.find(':')) + ".txt");
  std::set<std::string> listed;
  if (!a.write)
    for (const std::string& line : lines(list)) listed.insert(line.substr(0, line.find(':')));
  std::set<std::string> deviations;
  for (const std::string& line : lines(a.lists / "deviations.txt"))
    deviations.insert(line.substr(0, line.find(':')));
  const auto names = lines(a.lists / "cases.txt");
  std::map<std::string, std::string> failures;
  int64_t passed[2] = {}, counted[2] = {}, wrong = 0, deviating = 0, unexpected = 0;
  for (const std::string& name : deviations)
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      ++unexpected;
      std::printf("listed as a deviation, but no case: %s\n", name.c_str());
    }
  for (size_t i = a.shard; i < names.size(); i += a.shards) {
    const std::string& name = names[i];
    const Result r = run_case(a.cases / name, a.device);
    const bool expanded = name.find("_expanded") != std::string::npos, ok = r.outcome == Outcome::kPassed;
    ++counted[expanded];
    passed[expanded] += ok;
    if (deviations.contains(name)) {
      if (r.outcome == Outcome::kWrong) {
        ++deviating;
        continue;
      }
      ++unexpected;
      std::printf("%s: %s: %s\n",
                  ok ? "passes, but is listed as a deviation" : "fails, but is listed as a deviation",
                  name.c_str(), one_line(r.reason).c_str());
      continue;
    }
    if (r.outcome == Outcome::kWrong) {
      ++wrong;
      std::printf("wrong: %s: %s\n", name.c_str(), one_line(r.reason).c_str());
    } else if (!ok) {
      failures[name] = one_line(r.reason);
    }
    if (a.write || r.outcome == Outcome::kWrong || ok != listed.contains(name)) continue;
    ++unexpected;
    std::printf(ok ? "passes, but is listed as a failure: %s\n" : "fails, but is not listed: %s: %s\n",
                name.c_str(), one_line(r.reason).c_str());
  }
  std::printf(
      "%s: %lld of %lld cases pass, and %lld of %lld expanded ones; %lld are wrong, and %lld deviate on "
      "purpose; ONNX Runtime passes %zu of all %zu\n",
      a.device.c_str(), static_cast<long long>(passed[0]), static_cast<long long>(counted[0]),
      static_cast<long long>(passed[1]), static_cast<long long>(counted[1]), static_cast<long long>(wrong),
      static_cast<long long>(deviating), lines(a.lists / "onnxruntime.txt").size(), names.size());
  if (a.write) {
    std::ofstream file(list);
    for (const auto& [name, reason] : failures) file << name << ": " << reason << "\n";
  } else if (unexpected > 0) {
    std::printf("%lld cases differ from %s; --write writes it anew\n", static_cast<long long>(unexpected),
                list.c_str());
  }
  return wrong > 0 || unexpected > 0;
}

}  // namespace
}  // namespace cutset

int main(int argc, char** argv) {
  cutset::Arguments a;
  std::vector<std::string> places;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--write")
      a.write = true;
    else if (word == "--only" && i + 1 < argc)
      a.only = argv[++i];
    else if (word == "--shard" && i + 1 < argc &&
             std::sscanf(argv[i + 1], "%zu/%zu", &a.shard, &a.shards) == 2 && a.shards > 0)
      ++i;
    else
      places.push_back(word);
  }
  if (places.size() != 3 || (a.write && a.shards != 1)) {
    std::fprintf(stderr,
                 "usage: cutset_onnx_nodes DEVICE CASES LISTS [--write] [--shard I/N] [--only NAME]\n");
    return 2;
  }
  a.device = places[0];
  a.cases = places[1];
  a.lists = places[2];
  try {
    return cutset::run(a);
  } catch (const cutset::Error& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 2;
  }
}
